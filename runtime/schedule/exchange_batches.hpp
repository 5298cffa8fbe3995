/// @file
/// ExchangeBatches: so many exchanges of a schedule, then a wait for all of them.
#ifndef RONDO_RUNTIME_SCHEDULE_EXCHANGE_BATCHES_HPP
#define RONDO_RUNTIME_SCHEDULE_EXCHANGE_BATCHES_HPP

#include "runtime/schedule/task.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The queue of the randomized alltoall (section 2, algorithms 2 and 3): requests are posted until there are so many,
/// then comes a Waitall. As a send and its receive belong to batches of one number, nothing can wait in a circle where
/// all ranks go through their exchanges in the same order and end their batches at the same ones: the first batch that
/// is not complete on every rank waits for nothing.
class ExchangeBatches {
 public:
  /// Lets `exchanges` of them, at least 1, be in a batch.
  void open(std::uint32_t exchanges) { most_ = exchanges; }
  [[nodiscard]] bool is_open() const noexcept { return most_ != 0; }

  /// The next exchange begins another batch, however full this one is.
  void end() noexcept { begun_ = most_; }
  /// Whether the next exchange begins another batch: then next() comes before it.
  [[nodiscard]] bool is_over() const noexcept { return begun_ == most_; }
  /// The messages of this batch so far.
  [[nodiscard]] std::span<const TaskId> messages() const noexcept { return messages_; }
  /// Begins another batch, all of which waits for one task; an empty batch is over when the one before it is.
  void next(TaskId awaited) {
    if (!messages_.empty()) awaited_ = awaited;
    messages_.clear();
    begun_ = 0;
  }

  /// What is added from here on belongs to the next exchange.
  void begin_exchange() noexcept { ++begun_; }
  /// What the messages of this batch wait for; kNoTask: nothing.
  [[nodiscard]] TaskId awaited() const noexcept { return awaited_; }
  void add(TaskId message) { messages_.push_back(message); }

 private:
  std::uint32_t most_ = 0;
  std::uint32_t begun_ = 0;  ///< exchanges of this batch
  std::vector<TaskId> messages_;
  TaskId awaited_ = kNoTask;
};

}  // namespace rondo::internal

#endif
