/// @file
/// DeferredDense: a nonblocking alltoall of blocks that differ in size, whose algorithm depends on the ranks' sizes.
#ifndef RONDO_COLLECTIVES_OPERATIONS_DEFERRED_DENSE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_DEFERRED_DENSE_HPP

#include "collectives/agreement/dense_agreement.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/dense_alltoall/round_sizes.hpp"
#include "runtime/operation/operation.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace rondo::internal {

/// Takes the steps that come before an operation's algorithm is chosen, without waiting (zero-copy Bruck paper, section
/// 3.5). The steps obtain the communicator, if that is not made yet; the largest and the smallest block of all ranks;
/// the sizes of the blocks that pass through this rank, round by round; and at last the algorithm.
class DeferredDense {
 public:
  /// Takes a number in the context, and begins no step. `blocks`: those of the call, whose arrays are not needed
  /// afterwards. Uses the tags of the context's communicator from `first_tag` on: one, and those of the schedule. Call
  /// this with the context locked.
  DeferredDense(const Call& call, const Settings& settings, std::shared_ptr<DenseContext> context,
                std::shared_ptr<const CallShapes> blocks, int first_tag);
  DeferredDense(const DeferredDense&) = delete;
  DeferredDense& operator=(const DeferredDense&) = delete;
  /// Gives the number back if the first step is not complete; then call this with the context locked.
  ~DeferredDense();

  /// Advances the steps, and returns whether `operation` has its schedule. Call this with the progress token held, in a
  /// prologue of Operation::start_after(). Throws Error and std::bad_alloc on this rank only: other ranks keep waiting.
  [[nodiscard]] bool advance(Operation& operation);

 private:
  void take_place() noexcept;
  [[nodiscard]] dense::Problem problem() const;
  void begin_exchange();
  void choose(Operation& operation);

  enum class Step : std::uint8_t { communicator, agreement, sizes };

  const char* name_;
  bool in_place_;
  const void* send_;
  void* recv_;
  std::shared_ptr<DenseContext> context_;
  Settings settings_;
  // A copy, because another thread may prepare the communicator anew.
  CostModel costs_;
  MeasuredTimes times_;
  int fewest_near_;
  std::shared_ptr<const CallShapes> blocks_;
  int first_tag_;
  std::uint64_t seed_;
  std::uint64_t number_;  ///< see DenseContext::take_number()
  Step step_ = Step::communicator;
  DenseAgreement agreement_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  DenseSizes sizes_;
  std::optional<dense::RoundSizeExchange> exchange_;
  dense::RoundSizes passing_;
};

}  // namespace rondo::internal

#endif
