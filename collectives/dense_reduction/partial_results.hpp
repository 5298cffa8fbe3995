/// @file
/// PartialResults: the parts of a vector on one rank, as far as they are combined.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_PARTIAL_RESULTS_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_PARTIAL_RESULTS_HPP

#include "collectives/dense_reduction/problem.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal::dense_reduction {

/// Numbers of parts, in the order in which they travel.
using Parts = std::vector<int>;
/// Those from `begin` to `end`, which may be past `parts`: part 0 comes after the last one.
[[nodiscard]] Parts parts_in_a_row(int begin, int end, int parts);

/// The elements of each of `parts` parts of a vector, as equal as can be.
[[nodiscard]] std::vector<std::int64_t> cut_evenly(std::int64_t elements, int parts);

/// For operations that are commutative: what arrives is combined into from what is there, so that nothing is copied.
class PartialResults {
 public:
  /// Of a vector in an allreduce, cut into `parts` parts; in a reduce-scatter in as many as there are ranks. Before
  /// anything else is built.
  PartialResults(const Problem& problem, int parts, ScheduleBuilder& builder);

  /// Sends what it has of some parts, and combines what comes with what it has of others. `completes`: nothing is going
  /// to be added to those any more. Either list may be empty; a partner without parts is not looked at.
  struct Exchange {
    int target;
    const Parts& sent;
    int source;
    const Parts& received;
    std::uint32_t tag;
  };
  void add(const Exchange& exchange, bool completes);
  /// The same with results, which take the place of what it had.
  void replace(const Exchange& exchange);
  /// Nothing is going to be added to a part whose result goes to this rank: where nothing ever was, it is moved there.
  void finish(int part);

 private:
  struct Part {
    BlockId at{};      ///< what it has
    BlockId result{};  ///< where the result goes
    bool has_result = false;
    std::shared_ptr<const Reduction> reduction = nullptr;  ///< none where there are no bytes
  };
  [[nodiscard]] Part& part(int number) { return parts_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const std::shared_ptr<const Reduction>& reduction_of(std::int64_t count);
  void lay_out_vector(std::span<const std::int64_t> counts);
  void lay_out_parts();
  void send_and_receive(const Exchange& exchange, std::span<const BlockId> incoming);

  const Problem& problem_;
  ScheduleBuilder& builder_;
  std::vector<Part> parts_;
  std::map<std::int64_t, std::shared_ptr<const Reduction>> reductions_;  ///< by count
};

/// Most numbers of elements that parts may have: a schedule has no more reductions.
inline constexpr std::size_t kMostCounts = 256;
/// Whether the parts of a problem do not have more.
[[nodiscard]] bool has_few_counts(const Problem& problem);

}  // namespace rondo::internal::dense_reduction

#endif
