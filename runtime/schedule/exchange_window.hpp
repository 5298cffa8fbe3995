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
/// exchange begins when the one k before it has ended, both halves, whatever the others do. As a send and its receive
/// belong to exchanges of one number, nothing can wait in a circle where all ranks go through their exchanges in the
/// same order: the first one that is not complete on every rank waits for nothing.
class ExchangeWindow {
 public:
  /// Lets `exchanges` of them, at least 1, be in flight.
  void open(std::uint32_t exchanges) { width_ = exchanges; }
  [[nodiscard]] bool is_open() const noexcept { return width_ != 0; }

  /// What is added from here on belongs to the next exchange. Only when open.
  void begin_exchange() {
    // An exchange without messages is over when what it would have waited for is.
    if (begun_ > 0 && current().empty()) current().swap(awaited_);
    if (begun_++ < width_) places_.emplace_back();
    awaited_.clear();
    awaited_.swap(current());
  }
  /// The messages that those of this exchange wait for.
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
