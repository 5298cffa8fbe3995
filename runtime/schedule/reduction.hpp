/// @file
/// Reduction: the operation of a schedule's reduce tasks on two operands.
#ifndef RONDO_RUNTIME_SCHEDULE_REDUCTION_HPP
#define RONDO_RUNTIME_SCHEDULE_REDUCTION_HPP

#include <rondo/datatypes.hpp>

#include "datatypes/layout/layout.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace rondo::internal {

/// A Reduction is target = source OP target, in which each operand is `count` elements of one datatype. It is shared by
/// a schedule and its users, and immutable, except the reductions that a ScaledSchedule owns; the buffers are not part
/// of it.
///
/// A derived datatype is kept, so that the user may free it: a user-defined operation sees the handle that the user
/// gave, as in MPI. MPI has no way to keep an operation: a user-defined one must not be freed before the last request
/// that uses it.
class Reduction {
 public:
  /// `element` is the layout of one element of `type`, which must be committed, and `count` at least 0. Local. Throws
  /// Error with MPI's class.
  Reduction(MPI_Op op, MPI_Datatype type, std::int64_t count, const Layout& element);
  /// Makes a reduction of another rank, which can be inspected but not run.
  Reduction(Layout operand, std::int64_t alignment);
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  ~Reduction() = default;

  /// Returns the layout of an operand: all bytes of its `count` elements, from its address on.
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  /// Return the first byte, and one past the last, that an operation may touch, from the address of an operand: the
  /// bytes of its data and of whole elements, because an operation may assign structs with their padding.
  [[nodiscard]] std::int64_t room_begin() const noexcept { return std::min<std::int64_t>(0, layout_.true_begin()); }
  [[nodiscard]] std::int64_t room_end() const noexcept { return std::max(count_ * extent_, layout_.true_end()); }
  /// Returns the alignment that the address of an operand should have: a power of two, at most 64.
  [[nodiscard]] std::int64_t alignment() const noexcept { return alignment_; }

  /// Returns whether the elements have one of MPI's own datatypes, without holes.
  [[nodiscard]] bool is_of_basic_elements() const noexcept {
    return op_ != MPI_OP_NULL && keeper_.native() == MPI_DATATYPE_NULL && layout_.size() == count_ * extent_ &&
           layout_.true_begin() == 0 && layout_.true_end() == layout_.size();
  }
  // Only for reductions of such elements. copy_of_basic() throws Error with MPI's class; both throw std::bad_alloc.
  [[nodiscard]] std::shared_ptr<Reduction> copy_of_basic() const;
  /// Changes the operands to `bytes` bytes, which must be whole elements. Not while anybody runs the reduction.
  void resize_basic(std::int64_t bytes);

  /// Combines two operands, which must not overlap. Returns MPI's code. Allocates nothing itself.
  [[nodiscard]] int run(const std::byte* source, std::byte* target) const noexcept {
    if (count_ > kMostAtOnce) [[unlikely]]
      return run_in_parts(source, target);
    return MPI_Reduce_local(source, target, static_cast<int>(count_), type_, op_);
  }

 private:
  /// Maximum number of elements in one call of MPI, whose counts are ints.
  static constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 30U;
  [[nodiscard]] int run_in_parts(const std::byte* source, std::byte* target) const noexcept;

  Layout layout_;
  std::int64_t alignment_;
  MPI_Op op_ = MPI_OP_NULL;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::int64_t count_ = 0;
  std::int64_t extent_ = 0;  ///< extent of an element
  Datatype keeper_;          ///< keeps a derived datatype
};

}  // namespace rondo::internal

#endif
