/// @file
/// ExchangeBatches: a limited number of exchanges of a schedule, then a wait for all of them.
#ifndef RONDO_RUNTIME_SCHEDULE_EXCHANGE_BATCHES_HPP
#define RONDO_RUNTIME_SCHEDULE_EXCHANGE_BATCHES_HPP

#include "runtime/schedule/task.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The queue of the randomized alltoall (section 2, algorithms 2 and 3): requests are posted up to a limit, then a
/// Waitall follows. A send and its receive belong to batches of one number. So nothing can wait in a circle if all
/// ranks go through their exchanges in the same order and end their batches at the same exchanges: the first batch that
/// is not complete on every rank waits for nothing.
class ExchangeBatches {
 public:
  /// Sets the number of exchanges in a batch, at least 1.
  void open(std::uint32_t exchanges) { most_ = exchanges; }
  [[nodiscard]] bool is_open() const noexcept { return most_ != 0; }

  /// Makes the next exchange begin another batch, even if this one is not full.
  void end() noexcept { begun_ = most_; }
  /// Returns whether the next exchange begins another batch. If so, call next() before it.
  [[nodiscard]] bool is_over() const noexcept { return begun_ == most_; }
  /// Returns the messages of this batch so far.
  [[nodiscard]] std::span<const TaskId> messages() const noexcept { return messages_; }
  /// Begins another batch, all of which waits for the task `awaited`. An empty batch is over when the one before it is.
  void next(TaskId awaited) {
    if (!messages_.empty()) awaited_ = awaited;
    messages_.clear();
    begun_ = 0;
  }

  /// Begins the next exchange: tasks that are added from now on belong to it.
  void begin_exchange() noexcept { ++begun_; }
  /// Returns the task for which the messages of this batch wait; kNoTask: none.
  [[nodiscard]] TaskId awaited() const noexcept { return awaited_; }
  void add(TaskId message) { messages_.push_back(message); }

 private:
  std::uint32_t most_ = 0;
  std::uint32_t begun_ = 0;  ///< exchanges of this batch that have begun
  std::vector<TaskId> messages_;
  TaskId awaited_ = kNoTask;
};

}  // namespace rondo::internal

#endif
