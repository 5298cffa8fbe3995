/// @file
/// BlockWatch: tells which of the user's blocks an operation is done with, while the rest of the operation continues.
#ifndef RONDO_RUNTIME_EXECUTION_BLOCK_WATCH_HPP
#define RONDO_RUNTIME_EXECUTION_BLOCK_WATCH_HPP

#include "datatypes/layout/layout.hpp"
#include "runtime/schedule/schedule.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rondo::internal {

/// The place of a user's block, from the beginning of its buffer.
struct UserBlock {
  std::int64_t offset;
  Layout layout;
};

/// The user's blocks of an operation. The functions are called only if somebody watches the blocks.
struct UserBlocks {
  int received = 0;
  int sent = 0;
  std::function<UserBlock(int)> received_block = {};  ///< returns a received block in [0, received)
  std::function<UserBlock(int)> sent_block = {};      ///< returns a sent block; in place, it lies in the receive buffer
};

enum class BlockSide : std::uint8_t { received, sent };

/// The counts, for each block of a schedule's user, of the incomplete tasks that the block waits for. A received block
/// has arrived when all tasks are complete that write any of its bytes, because algorithms also use its memory for
/// blocks that only pass through. A sent block may be overwritten when no task is left that touches it; in place, that
/// includes tasks that receive into it.
///
/// One thread at a time counts, the holder of the progress token. Any thread may ask about blocks.
class BlockWatch {
 public:
  /// Finds the blocks that each task touches, piece by piece, and allocates all memory that the watch will ever need.
  BlockWatch(const Schedule& schedule, const UserBlocks& blocks);

  /// Begins a count with no task complete. Counting needs the progress token unless the operation is not active.
  void begin() noexcept;
  /// Begins a count in which only the tasks `under_way` and their successors are incomplete. Throws std::bad_alloc.
  void begin_amid(const Schedule& schedule, std::span<const TaskId> under_way);
  void complete(TaskId task) noexcept;
  /// Counts all remaining tasks as complete.
  void end() noexcept;

  /// Returns whether a received block has arrived, or a sent block may be overwritten.
  [[nodiscard]] bool is_done(BlockSide side, int block) const noexcept {
    // acquire: whoever sees that it has arrived also sees its data.
    return left_[number(side, block)].load(std::memory_order_acquire) == 0;
  }
  /// Returns a received block that has arrived, each block once, in the order of arrival; or nothing if there is no new
  /// one.
  [[nodiscard]] std::optional<int> claim() noexcept;
  [[nodiscard]] bool all_claimed() const noexcept {
    return claimed_.load(std::memory_order_relaxed) == received_;  // relaxed: nothing else is published with it
  }

 private:
  using Number = std::uint32_t;  ///< of a block: the received blocks first, then the sent blocks
  [[nodiscard]] Number number(BlockSide side, int block) const noexcept {
    return static_cast<Number>(block) + (side == BlockSide::sent ? received_ : 0);
  }
  [[nodiscard]] std::span<const Number> blocks_of(TaskId task) const noexcept {
    return std::span(blocks_of_tasks_).subspan(first_of_task_[task], first_of_task_[task + 1] - first_of_task_[task]);
  }
  void arrive(Number block) noexcept;
  void note_arrived() noexcept;

  Number received_;
  std::vector<std::size_t> first_of_task_;  ///< index in blocks_of_tasks_, for each task, and one past the last
  std::vector<Number> blocks_of_tasks_;     ///< blocks that wait for each task
  std::vector<std::uint32_t> tasks_;        ///< for each block, the number of tasks that it waits for
  std::unique_ptr<std::atomic<std::uint32_t>[]> left_;  ///< for each block, how many of its tasks are not complete
  std::unique_ptr<Number[]> arrivals_;                  ///< received blocks in the order in which they arrived
  std::atomic<Number> arrived_ = 0;                     ///< number of received blocks that have arrived
  std::atomic<Number> claimed_ = 0;                     ///< number of arrived blocks that claim() has returned
};

}  // namespace rondo::internal

#endif
