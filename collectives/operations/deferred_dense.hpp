/// @file
/// DeferredDense: a nonblocking alltoall of blocks that differ in size, whose algorithm needs to know how much.
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

/// Zero-copy Bruck paper, section 3.5, in steps none of which waits: the communicator, if it is not made yet; the
/// largest and the smallest block of all ranks; what passes through this one, round by round; and the choice.
class DeferredDense {
 public:
  /// `blocks`: of the call, whose arrays are not needed any more afterwards. Of the context's communicator it uses the
  /// tags from `first_tag` on: one, and those of the schedule. Made with the context locked.
  DeferredDense(const Call& call, const Settings& settings, std::shared_ptr<DenseContext> context,
                std::shared_ptr<const CallShapes> blocks, int first_tag);
  DeferredDense(const DeferredDense&) = delete;
  DeferredDense& operator=(const DeferredDense&) = delete;
  /// With the context locked where it has not begun.
  ~DeferredDense();

  /// For Operation::start_after(), by the progress token's holder: whether `operation` has got its schedule. Throws
  /// Error, and std::bad_alloc, which other ranks do not hear of: they wait.
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
  // Of its own, as another thread may prepare the communicator anew.
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
