/// @file
/// Accumulator: what a rank has combined so far, of a whole vector.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_ACCUMULATOR_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_ACCUMULATOR_HPP

#include "collectives/dense_reduction/contribution.hpp"
#include "collectives/dense_reduction/problem.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::internal::dense_reduction {

/// Keeps order: what lower ranks have goes left. The problem has bytes.
class Accumulator {
 public:
  Accumulator(const Problem& problem, ScheduleBuilder& builder)
      : builder_(builder), mine_(problem, builder), at_(mine_.own), ours_(problem.in_place) {}

  /// What it has, and where the result goes.
  [[nodiscard]] const BlockId& at() const noexcept { return at_; }
  [[nodiscard]] const BlockId& result() const noexcept { return mine_.result; }

  struct Step {
    int partner;
    bool partner_is_lower;
    bool sends;  ///< what it has before, to the partner
    std::uint32_t tag;
    bool is_last = false;  ///< no later partner is higher: this step may leave the result where it goes
  };
  /// Takes what a partner has.
  void combine(const Step& step);
  /// At last: moves the result to its place, if it is not there.
  void finish() {
    if (at_.index != mine_.result.index) builder_.copy({&at_, 1}, {&mine_.result, 1});
  }

 private:
  ScheduleBuilder& builder_;
  Contribution mine_;
  BlockId at_;
  bool ours_;  ///< may be combined into
};

/// Recursive doubling among some ranks, in this order, of which this one is that at `place`: what they have is combined
/// in the result of each. Uses as many tags as doubling_tags() says, from `tag` on.
void double_up(std::span<const int> ranks, int place, std::uint32_t tag, Accumulator& accumulator,
               ScheduleBuilder& builder);
[[nodiscard]] std::uint32_t doubling_tags(int ranks);
/// Adds its messages, of `bytes` bytes, and what they wait for. `nodes`: of the ranks, where these are all.
void predict_doubling(const CostModel& costs, int ranks, std::int64_t bytes, Prediction& prediction,
                      const NodeMembers* nodes = nullptr);

}  // namespace rondo::internal::dense_reduction

#endif
