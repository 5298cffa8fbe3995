/// @file
/// Accumulator: the running result of a reduction of a whole vector on one rank.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_ACCUMULATOR_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_ACCUMULATOR_HPP

#include "collectives/dense_reduction/contribution.hpp"
#include "collectives/dense_reduction/problem.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::internal::dense_reduction {

/// The running result of a reduction on one rank. Keeps order: the operand of lower ranks goes left. The problem must
/// have bytes.
class Accumulator {
 public:
  Accumulator(const Problem& problem, ScheduleBuilder& builder)
      : builder_(builder), mine_(problem, builder), at_(mine_.own), ours_(problem.in_place) {}

  /// at() returns the block of the running result; result() returns the block in which the final result must end.
  [[nodiscard]] const BlockId& at() const noexcept { return at_; }
  [[nodiscard]] const BlockId& result() const noexcept { return mine_.result; }

  /// One step of a reduction: this rank gets a partner's running result.
  struct Step {
    int partner;
    bool partner_is_lower;
    bool sends;  ///< whether the partner gets this rank's running result from before the step
    std::uint32_t tag;
    bool is_last = false;  ///< no later partner is higher: the result may be left in its final place
  };
  /// Receives a partner's running result and combines it with this rank's.
  void combine(const Step& step);
  /// Moves the final result to its place, if it is not there. Call this after the last combine().
  void finish() {
    if (at_.index != mine_.result.index) builder_.copy({&at_, 1}, {&mine_.result, 1});
  }

 private:
  ScheduleBuilder& builder_;
  Contribution mine_;
  BlockId at_;
  bool ours_;  ///< whether the block at_ may be combined into
};

/// Combines the running results of `ranks`, in this order, by recursive doubling; each of them gets the result. This
/// rank is number `place` among them. Uses doubling_tags() tags, from `tag` on.
void double_up(std::span<const int> ranks, int place, std::uint32_t tag, Accumulator& accumulator,
               ScheduleBuilder& builder);
/// Returns the number of tags that double_up() uses among so many ranks.
[[nodiscard]] std::uint32_t doubling_tags(int ranks);
/// Adds the phases, messages of `bytes` bytes and reductions of double_up() to a prediction. Pass `nodes` only if
/// `ranks` are all ranks.
void predict_doubling(const CostModel& costs, int ranks, std::int64_t bytes, Prediction& prediction,
                      const NodeMembers* nodes = nullptr);

}  // namespace rondo::internal::dense_reduction

#endif
