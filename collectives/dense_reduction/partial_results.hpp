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

/// Part numbers, in the order in which the parts travel.
using Parts = std::vector<int>;
/// Returns the numbers of the parts from `begin` up to but not including `end`. Numbers from `parts` on continue with
/// part 0.
[[nodiscard]] Parts parts_in_a_row(int begin, int end, int parts);

/// Returns the number of elements of each of `parts` parts of a vector, as equal as possible.
[[nodiscard]] std::vector<std::int64_t> cut_evenly(std::int64_t elements, int parts);

/// The partial results of one rank, for commutative operations. A partial result is combined into the block that
/// arrives, so that nothing is copied.
class PartialResults {
 public:
  /// Lays out the vector of an allreduce in `parts` parts; a reduce-scatter has as many parts as ranks. Call this
  /// before anything else is built.
  PartialResults(const Problem& problem, int parts, ScheduleBuilder& builder);

  /// An exchange for add() or replace(): the parts to send to `target` and those that arrive from `source`. Either list
  /// may be empty; a partner without parts is ignored.
  struct Exchange {
    int target;
    const Parts& sent;
    int source;
    const Parts& received;
    std::uint32_t tag;
  };
  /// Sends the partial results of some parts, and combines those of others with what arrives. `completes`: nothing is
  /// added to the latter any more.
  void add(const Exchange& exchange, bool completes);
  /// Sends results of some parts, and puts the arriving results of others in place of the partial ones.
  void replace(const Exchange& exchange);
  /// Copies a part to the place of its result, if nothing was ever added to the part. Call this only for a part whose
  /// result is this rank's, and add nothing to it later.
  void finish(int part);

 private:
  struct Part {
    BlockId at{};      ///< where the partial result is
    BlockId result{};  ///< where the result goes
    bool has_result = false;
    std::shared_ptr<const Reduction> reduction = nullptr;  ///< null if the part has no bytes
  };
  [[nodiscard]] Part& part(int number) { return parts_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const std::shared_ptr<const Reduction>& reduction_of(std::int64_t count);
  void lay_out_vector(std::span<const std::int64_t> counts);
  void lay_out_parts();
  void send_and_receive(const Exchange& exchange, std::span<const BlockId> incoming);

  const Problem& problem_;
  ScheduleBuilder& builder_;
  std::vector<Part> parts_;
  std::map<std::int64_t, std::shared_ptr<const Reduction>> reductions_;  ///< by number of elements
};

/// Upper bound of the number of different part lengths, because a schedule has no more reductions.
inline constexpr std::size_t kMostCounts = 256;
/// Returns whether the parts of a problem have fewer different lengths than kMostCounts.
[[nodiscard]] bool has_few_counts(const Problem& problem);

}  // namespace rondo::internal::dense_reduction

#endif
