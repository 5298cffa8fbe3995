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

/// A copy of a schedule for blocks of one size, made into one for blocks of another whenever that is wanted. Where all
/// offsets and sizes are multiples of a block's, what moves and is combined are whole blocks: as blocks grow or shrink,
/// everything keeps its place among them, and the schedule is as right as it was. For one operation, which is idle
/// meanwhile; tasks, messages and dependencies stay the same.
class ScaledSchedule {
 public:
  /// Whether a schedule for blocks of so many bytes, at least one, is of that kind: all data in one piece each, of
  /// MPI's own datatypes without holes, and no functions.
  [[nodiscard]] static bool is_possible(const Schedule& schedule, std::int64_t block_bytes) noexcept;

  /// Throws std::bad_alloc, and Error with MPI's class.
  ScaledSchedule(const Schedule& schedule, std::int64_t block_bytes);
  ScaledSchedule(const ScaledSchedule&) = delete;
  ScaledSchedule& operator=(const ScaledSchedule&) = delete;

  [[nodiscard]] const std::shared_ptr<const Schedule>& schedule() const noexcept { return seen_; }
  [[nodiscard]] std::int64_t block_bytes() const noexcept { return block_bytes_; }
  /// `block_bytes`: at least one, at most what it was made for, and elements of its datatypes. Throws std::bad_alloc,
  /// and must be called again then.
  void scale_to(std::int64_t block_bytes);

 private:
  /// In blocks, of a task or of a pair of operands.
  struct Places {
    std::int32_t source;
    std::int32_t target;
    std::int32_t size;
  };
  static_assert(sizeof(Places) == 12);

  std::shared_ptr<Schedule> schedule_;
  std::shared_ptr<const Schedule> seen_;                ///< the same
  std::vector<Places> tasks_;                           ///< by task
  std::vector<Places> pairs_;                           ///< by pair of operands
  std::vector<std::shared_ptr<Reduction>> reductions_;  ///< the schedule's
  std::vector<std::int32_t> blocks_of_reductions_;
  std::int64_t block_bytes_;
};

}  // namespace rondo::internal

#endif
