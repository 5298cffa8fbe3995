/// @file
/// LateDense: a nonblocking alltoall of blocks that differ in size, whose algorithm needs to know how much.
#ifndef RONDO_COLLECTIVES_LATE_DENSE_HPP
#define RONDO_COLLECTIVES_LATE_DENSE_HPP

#include "collectives/dense_choice.hpp"
#include "collectives/round_sizes.hpp"
#include "runtime/operation.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace rondo {

/// Zero-copy Bruck paper, section 3.5, in steps none of which waits: the communicator, if it is not made yet; the
/// largest and the smallest block of all ranks; what passes through this one, round by round; and the choice.
class LateDense {
 public:
  /// `blocks`: of the call, whose arrays are not needed any more afterwards. Of the context's communicator it uses the
  /// tags from `first_tag` on: one, and those of the schedule. Made with the context locked.
  LateDense(const DenseCall& call, std::shared_ptr<DenseContext> context, std::shared_ptr<const DenseShapes> blocks,
            int first_tag);
  LateDense(const LateDense&) = delete;
  LateDense& operator=(const LateDense&) = delete;
  /// With the context locked where it has not begun.
  ~LateDense();

  /// For Operation::start_after(), by the progress token's holder: whether `operation` has got its schedule. Throws
  /// Error, and std::bad_alloc, which other ranks do not hear of: they wait.
  [[nodiscard]] bool advance(Operation& operation);

 private:
  void take_turn() noexcept;
  [[nodiscard]] DenseProblem problem() const;
  void begin_exchange();
  void choose(Operation& operation);

  enum class Step : std::uint8_t { communicator, agreement, sizes };

  const char* name_;
  bool in_place_;
  const void* send_;
  void* recv_;
  std::shared_ptr<DenseContext> context_;
  Settings settings_;
  CostModel costs_;  ///< of its own, as another thread may prepare the communicator anew
  std::shared_ptr<const DenseShapes> blocks_;
  int first_tag_;
  std::uint64_t seed_;
  std::uint64_t turn_;  ///< see DenseContext::take_turn()
  Step step_ = Step::communicator;
  SizeWords words_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  DenseSizes sizes_;
  std::optional<RoundSizeExchange> exchange_;
  RoundSizes passing_;
};

}  // namespace rondo

#endif
