/// @file
/// ScaledSchedule: a schedule of whole blocks, for blocks of any size and place.
#ifndef RONDO_RUNTIME_SCHEDULE_SCALED_SCHEDULE_HPP
#define RONDO_RUNTIME_SCHEDULE_SCALED_SCHEDULE_HPP

#include "runtime/schedule/reduction.hpp"
#include "runtime/schedule/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal {

/// The bytes of a block, counted from the beginning of its buffer.
struct PlacedBlock {
  std::int64_t begin;
  std::int64_t bytes;
  friend bool operator==(const PlacedBlock&, const PlacedBlock&) = default;
};

/// A ScaledSchedule is a copy of a schedule for blocks of one size that can be changed for blocks of another size at
/// any time. All offsets and sizes are multiples of a block's size, so whole blocks move and are combined. As blocks
/// grow or shrink, everything keeps its place among the blocks, and the schedule stays as right as it was. Tasks,
/// messages and dependencies stay the same. For one operation, which must be idle while the size changes.
///
/// If each task moves a single block, the blocks may also have different sizes, none among them, and lie anywhere. In a
/// reduction, the blocks in scratch memory then have the size of the result, and lie one after the other.
class ScaledSchedule {
 public:
  /// Returns whether a schedule for blocks of `block_bytes` bytes, at least one, can be scaled: all data are in one
  /// piece each, of MPI's own datatypes without holes, and there are no functions.
  [[nodiscard]] static bool is_possible(const Schedule& schedule, std::int64_t block_bytes) noexcept;

  /// Returns whether place() may be called for such a schedule: besides, each task moves or combines single blocks.
  /// Without reductions, these are the user's, and no task waits for another.
  [[nodiscard]] static bool is_of_single_blocks(const Schedule& schedule, std::int64_t block_bytes) noexcept;

  /// Copies a schedule for blocks of `block_bytes` bytes. Throws std::bad_alloc, and Error with MPI's class.
  ScaledSchedule(const Schedule& schedule, std::int64_t block_bytes);
  ScaledSchedule(const ScaledSchedule&) = delete;
  ScaledSchedule& operator=(const ScaledSchedule&) = delete;

  [[nodiscard]] const std::shared_ptr<const Schedule>& schedule() const noexcept { return seen_; }
  [[nodiscard]] std::int64_t block_bytes() const noexcept { return block_bytes_; }
  /// Changes the size of the blocks. `block_bytes`: at least one, at most the size at construction, and a multiple of
  /// the elements of the datatypes. Throws std::bad_alloc; the call must then be repeated.
  void scale_to(std::int64_t block_bytes);
  /// Gives each block a size and a place of its own: the blocks that are sent, and those that are received, by number.
  /// Messages of blocks without bytes must not be posted then; with reductions, all blocks must have bytes. Returns
  /// false if all blocks are where they were already. Needs has_room_for(received). Not for a schedule whose blocks
  /// scale_to() changes, too. Throws std::bad_alloc; the call must then be repeated.
  bool place(std::span<const PlacedBlock> sent, std::span<const PlacedBlock> received);
  /// Returns whether the scratch memory is long enough for operands of the size of the result.
  [[nodiscard]] bool has_room_for(std::span<const PlacedBlock> received) const noexcept {
    return schedule_->scratch_bytes() == 0 || received[0].bytes <= largest_;
  }
  /// Returns whether all blocks are where place() would put them.
  [[nodiscard]] bool has_places(std::span<const PlacedBlock> sent, std::span<const PlacedBlock> received) const {
    return std::ranges::equal(sent, sent_) && std::ranges::equal(received, received_);
  }
  /// Returns the blocks of the last call of place().
  [[nodiscard]] const std::vector<PlacedBlock>& sent() const noexcept { return sent_; }
  [[nodiscard]] const std::vector<PlacedBlock>& received() const noexcept { return received_; }

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
  std::int64_t block_bytes_;  ///< 0 if each block has a size of its own
  std::int64_t largest_;      ///< size of the blocks at construction
  std::vector<PlacedBlock> sent_;
  std::vector<PlacedBlock> received_;
};

}  // namespace rondo::internal

#endif
