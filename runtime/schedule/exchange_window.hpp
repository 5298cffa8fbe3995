/// @file
/// ExchangeWindow: how many exchanges of a schedule may be in flight at a time.
#ifndef RONDO_RUNTIME_SCHEDULE_EXCHANGE_WINDOW_HPP
#define RONDO_RUNTIME_SCHEDULE_EXCHANGE_WINDOW_HPP

#include "runtime/schedule/task.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// Direct communication through k ports (isomorphic collectives, EuroMPI 2015, section 5.1), without its rounds: an
/// exchange begins when both halves of the exchange k before it have ended, whatever the others do. A send and its
/// receive belong to exchanges of one number. So nothing can wait in a circle if all ranks go through their exchanges
/// in the same order: the first exchange that is not complete on every rank waits for nothing.
class ExchangeWindow {
 public:
  /// Sets the number of exchanges that may be in flight, at least 1.
  void open(std::uint32_t exchanges) { width_ = exchanges; }
  [[nodiscard]] bool is_open() const noexcept { return width_ != 0; }

  /// Begins the next exchange: messages that are added from now on belong to it. Only when open.
  void begin_exchange() {
    // An exchange without messages is over when the exchange for which it would have waited is over.
    if (begun_ > 0 && current().empty()) current().swap(awaited_);
    if (begun_++ < width_) places_.emplace_back();
    awaited_.clear();
    awaited_.swap(current());
  }
  /// Returns the messages for which the messages of this exchange wait.
  [[nodiscard]] std::span<const TaskId> awaited() const noexcept { return awaited_; }
  void add(TaskId message) { current().push_back(message); }

 private:
  [[nodiscard]] std::vector<TaskId>& current() noexcept { return places_[(begun_ - 1) % width_]; }

  std::size_t width_ = 0;
  std::vector<std::vector<TaskId>> places_;  ///< messages of the last exchanges, by number modulo the window
  std::vector<TaskId> awaited_;
  std::size_t begun_ = 0;
};

}  // namespace rondo::internal

#endif
