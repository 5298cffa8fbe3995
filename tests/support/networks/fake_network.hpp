/// @file
/// Two ranks in one process that share memory, and a network of which a test sees what it is asked for.
#ifndef RONDO_TESTS_SUPPORT_NETWORKS_FAKE_NETWORK_HPP
#define RONDO_TESTS_SUPPORT_NETWORKS_FAKE_NETWORK_HPP

#include "runtime/execution/connection.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/execution/transport.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal {

/// Does nothing by itself, and notes what it is asked for.
class FakeNetwork final : public Transport {
 public:
  void reserve(std::size_t messages) override { reserved += messages; }
  void release(std::size_t messages) noexcept override { reserved -= messages; }
  Posted post(Execution& execution, std::span<const Message> messages, const Route*) override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (good-- == 0) return {i, MPI_ERR_OTHER};
      posted.push_back({&execution, messages[i].task, MPI_SUCCESS});
    }
    return {messages.size(), MPI_SUCCESS};
  }
  int post_in_failure(Execution& execution, const Message& message, const Route*) override {
    posted.push_back({&execution, message.task, MPI_SUCCESS});
    return MPI_SUCCESS;
  }
  std::span<const Completion> poll() override {
    ++polls;
    reported.clear();
    if (completes) reported.swap(posted);
    for (const Completion& it : std::exchange(news, {})) reported.push_back(it);
    return reported;
  }
  void look(const Execution&) noexcept {
    ++looks;
    now += ticks_of_look;
  }
  std::uint64_t ticks() const noexcept { return now; }
  bool has_news() const noexcept { return !news.empty(); }
  std::optional<std::int64_t> find(const Execution&, const Message&) noexcept { return std::nullopt; }
  bool end_receive(std::size_t, int) noexcept { return true; }
  bool wait_all(bool, const std::atomic<bool>& stop) override {
    if (stop) return false;
    ++waits;
    posted.clear();
    return true;
  }
  void abandon(Execution&, ScratchMemory&) override { posted.clear(); }
  std::size_t in_flight() const noexcept override { return posted.size(); }
  InFlight in_flight_at(std::size_t place) const noexcept override {
    return {posted[place].execution, posted[place].task};
  }

  std::vector<Completion> posted;
  std::vector<Completion> news;  ///< to report, and not in flight any more
  std::vector<Completion> reported;
  std::size_t reserved = 0;
  int good = -1;  ///< posts that go well; -1: all
  int polls = 0;
  int looks = 0;
  std::uint64_t now = 0;  ///< of its clock
  std::uint64_t ticks_of_look = 0;
  int waits = 0;
  bool completes = true;
};

/// Connects the executions of ranks 0 and 1, whose buffers are bound, as by messages.
inline void connect_executions(Execution& of_0, Execution& of_1) {
  of_0.prepare_connection(std::make_unique<Connection>(of_0, 0, SharedMemory::on));
  of_1.prepare_connection(std::make_unique<Connection>(of_1, 1, SharedMemory::on));
  Connection& a = *of_0.connection();
  Connection& b = *of_1.connection();
  a.partners().front().theirs = b.partners().front().own;
  b.partners().front().theirs = a.partners().front().own;
  a.answer();
  b.answer();
  a.partners().front().their_answer = b.partners().front().own_answer;
  b.partners().front().their_answer = a.partners().front().own_answer;
  a.settle();
  b.settle();
  of_0.take_channels();
  of_1.take_channels();
}

}  // namespace rondo::internal

#endif
