/// @file
/// BlockWatch: which of its user's blocks an operation is done with, while the rest of it goes on.
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

/// Where a block of the user's lies, from the beginning of its buffer.
struct UserBlock {
  std::int64_t offset;
  Layout layout;
};

/// The user's blocks of an operation. Where they lie is asked only when somebody watches them.
struct UserBlocks {
  int received = 0;
  int sent = 0;
  std::function<UserBlock(int)> received_block = {};  ///< of those in [0, received)
  std::function<UserBlock(int)> sent_block = {};      ///< in place, in the receive buffer
};

enum class BlockSide : std::uint8_t { received, sent };

/// Counts, for each block of a schedule's user, the tasks that it waits for. A received block has arrived when all are
/// complete that write any of its bytes: algorithms also use its memory for blocks that only pass through. A sent one
/// may be overwritten when nothing is left that touches it, which in place includes what is received into it.
///
/// One thread at a time counts, the holder of the progress token; any thread may ask.
class BlockWatch {
 public:
  /// Goes through all that the tasks touch, piece by piece, and takes all the memory that it will ever need.
  BlockWatch(const Schedule& schedule, const UserBlocks& blocks);

  /// No task is complete. Not while the operation is active, unless by the token's holder; as the next three.
  void begin() noexcept;
  /// Of the tasks, those `under_way` are not complete, nor is what depends on them. Throws std::bad_alloc.
  void begin_amid(const Schedule& schedule, std::span<const TaskId> under_way);
  void complete(TaskId task) noexcept;
  /// All tasks are complete that were not yet.
  void end() noexcept;

  /// Whether a block has arrived, or may be overwritten.
  [[nodiscard]] bool is_done(BlockSide side, int block) const noexcept {
    // acquire: whoever sees that it has arrived also sees its data.
    return left_[number(side, block)].load(std::memory_order_acquire) == 0;
  }
  /// A received block that has arrived, each once, in the order in which they do; nothing when there is no new one.
  [[nodiscard]] std::optional<int> claim() noexcept;
  [[nodiscard]] bool all_claimed() const noexcept {
    return claimed_.load(std::memory_order_relaxed) == received_;  // relaxed: nothing else is published with it
  }

 private:
  using Number = std::uint32_t;  ///< of a block: the received ones, then the sent ones
  [[nodiscard]] Number number(BlockSide side, int block) const noexcept {
    return static_cast<Number>(block) + (side == BlockSide::sent ? received_ : 0);
  }
  [[nodiscard]] std::span<const Number> blocks_of(TaskId task) const noexcept {
    return std::span(blocks_of_tasks_).subspan(first_of_task_[task], first_of_task_[task + 1] - first_of_task_[task]);
  }
  void arrive(Number block) noexcept;
  void note_arrived() noexcept;

  Number received_;
  std::vector<std::size_t> first_of_task_;              ///< in the next, for each task, and one past the last
  std::vector<Number> blocks_of_tasks_;                 ///< that wait for each task
  std::vector<std::uint32_t> tasks_;                    ///< of each block, how many it waits for
  std::unique_ptr<std::atomic<std::uint32_t>[]> left_;  ///< of those, how many are not complete
  std::unique_ptr<Number[]> arrivals_;                  ///< received blocks in the order in which they arrived
  std::atomic<Number> arrived_ = 0;                     ///< how many those are
  std::atomic<Number> claimed_ = 0;                     ///< of those, how many were handed out
};

}  // namespace rondo::internal

#endif
