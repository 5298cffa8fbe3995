/// @file
/// ScaledSchedule: a schedule of whole blocks, for blocks of any size.
#ifndef RONDO_RUNTIME_SCHEDULE_SCALED_SCHEDULE_HPP
#define RONDO_RUNTIME_SCHEDULE_SCALED_SCHEDULE_HPP

#include "runtime/schedule/reduction.hpp"
#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal {

/// A ScaledSchedule is a copy of a schedule for blocks of one size that can be changed for blocks of another size at
/// any time. All offsets and sizes are multiples of a block's size, so whole blocks move and are combined. As blocks
/// grow or shrink, everything keeps its place among the blocks, and the schedule stays as right as it was. Tasks,
/// messages and dependencies stay the same. For one operation, which must be idle while the size changes.
class ScaledSchedule {
 public:
  /// Returns whether a schedule for blocks of `block_bytes` bytes, at least one, can be scaled: all data are in one
  /// piece each, of MPI's own datatypes without holes, and there are no functions.
  [[nodiscard]] static bool is_possible(const Schedule& schedule, std::int64_t block_bytes) noexcept;

  /// Copies a schedule for blocks of `block_bytes` bytes. Throws std::bad_alloc, and Error with MPI's class.
  ScaledSchedule(const Schedule& schedule, std::int64_t block_bytes);
  ScaledSchedule(const ScaledSchedule&) = delete;
  ScaledSchedule& operator=(const ScaledSchedule&) = delete;

  [[nodiscard]] const std::shared_ptr<const Schedule>& schedule() const noexcept { return seen_; }
  [[nodiscard]] std::int64_t block_bytes() const noexcept { return block_bytes_; }
  /// Changes the size of the blocks. `block_bytes`: at least one, at most the size at construction, and a multiple of
  /// the elements of the datatypes. Throws std::bad_alloc; the call must then be repeated.
  void scale_to(std::int64_t block_bytes);

 private:
  /// Places and size of a task, or of a pair of operands, in blocks.
  struct Places {
    std::int32_t source;
    std::int32_t target;
    std::int32_t size;
  };
  static_assert(sizeof(Places) == 12);

  std::shared_ptr<Schedule> schedule_;
  std::shared_ptr<const Schedule> seen_;                ///< schedule_, for users that do not change it
  std::vector<Places> tasks_;                           ///< by task
  std::vector<Places> pairs_;                           ///< by pair of operands
  std::vector<std::shared_ptr<Reduction>> reductions_;  ///< the reductions of schedule_
  std::vector<std::int32_t> blocks_of_reductions_;
  std::int64_t block_bytes_;
};

}  // namespace rondo::internal

#endif
