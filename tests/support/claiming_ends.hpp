/// @file
/// Two ends of an operation in one process, whose buffers are allocated arrays.
#ifndef RONDO_TESTS_CLAIMING_ENDS_HPP
#define RONDO_TESTS_CLAIMING_ENDS_HPP

#include <rondo/memory.hpp>

#include "runtime/execution/connection.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/execution/node_transport.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "tests/support/cases/listed_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::test {

/// Where an end's buffers lie.
enum class Arrays : std::uint8_t { both, send, recv, none };

/// An operation on one of the two ranks, 0 and 1.
struct ClaimingEnd {
  static constexpr std::size_t kBytes = 700000;

  ClaimingEnd(std::shared_ptr<const Schedule> schedule, int number, NodeTransport<LoopbackTransport>& over,
              Arrays arrays)
      : rank(number), transport(over), execution(std::move(schedule), over, MPI_COMM_NULL, 0) {
    const auto take = [](Array<std::byte>& allocated, std::vector<std::byte>& own, bool allocates) {
      if (allocates)
        allocated = Array<std::byte>(kBytes);
      else
        own.resize(kBytes);
      return allocates ? allocated.span() : std::span(own);
    };
    sent = take(allocated_send, private_send, arrays == Arrays::both || arrays == Arrays::send);
    received = take(allocated_recv, private_recv, arrays == Arrays::both || arrays == Arrays::recv);
    execution.bind(sent.data(), received.data());
  }
  void offer(std::int64_t shortest) {
    execution.prepare_connection(
        std::make_unique<Connection>(execution, rank, SharedMemory::on, ShortestMessages{.claimed = shortest}));
  }
  void start() {
    execution.announce();
    execution.start();
  }
  std::size_t poll() const {
    const std::span<const Completion> completions = transport.poll();
    for (const Completion& it : completions) it.execution->complete(it.task, it.code);
    return completions.size();
  }
  [[nodiscard]] Connection& connection() { return *execution.connection(); }
  [[nodiscard]] Connection::Partner& partner() { return connection().partners().front(); }
  /// By number of message: 'c' for those that are claimed, 's' or 'r' for those in slots, '-' for the network.
  [[nodiscard]] std::string ways() {
    std::vector<Route> routes(execution.schedule().messages().size());
    connection().route(routes);
    std::string text;
    for (const Route& route : routes) {
      text += route.claim != nullptr ? 'c' : route.send != nullptr ? 's' : route.receive != nullptr ? 'r' : '-';
    }
    return text;
  }

  int rank;
  NodeTransport<LoopbackTransport>& transport;
  Array<std::byte> allocated_send;
  Array<std::byte> allocated_recv;
  std::vector<std::byte> private_send;
  std::vector<std::byte> private_recv;
  std::span<std::byte> sent;
  std::span<std::byte> received;
  Execution execution;
};

/// Both of them, and what ranks tell each other, by hand.
struct ClaimingEnds {
  void make(const std::vector<ListedMessage>& messages, Arrays of_a = Arrays::both, Arrays of_b = Arrays::both,
            bool spread_a = false, bool spread_b = false) {
    a.emplace(schedule_of(messages, 0, spread_a), 0, over_a, of_a);
    b.emplace(schedule_of(messages, 1, spread_b), 1, over_b, of_b);
  }
  void offer() {
    a->offer(shortest);
    b->offer(shortest);
    a->partner().theirs = b->partner().own;
    b->partner().theirs = a->partner().own;
  }
  void answer_and_settle() {
    a->connection().answer();
    b->connection().answer();
    a->partner().their_answer = b->partner().own_answer;
    b->partner().their_answer = a->partner().own_answer;
    for (ClaimingEnd* end : {&*a, &*b}) {
      end->connection().settle();
      end->execution.take_channels();
    }
  }
  void connect() {
    offer();
    answer_and_settle();
  }
  void fill(int seed) {
    for (ClaimingEnd* end : {&*a, &*b}) {
      for (std::size_t i = 0; i < end->sent.size(); ++i)
        end->sent[i] = std::byte(static_cast<unsigned char>(static_cast<std::size_t>(seed) * 31 + i * 7 + i / 251 +
                                                            static_cast<std::size_t>(end->rank) * 101));
      std::ranges::fill(end->received, std::byte{0});
    }
  }
  void run_to_the_end() {
    while (a->execution.active() || b->execution.active()) {
      static_cast<void>(a->poll());
      static_cast<void>(b->poll());
    }
  }

  std::int64_t shortest = kShortestClaimed;
  LoopbackNetwork network{2, 1};
  NodeTransport<LoopbackTransport> over_a{network.transport(0)};
  NodeTransport<LoopbackTransport> over_b{network.transport(1)};
  std::optional<ClaimingEnd> a;
  std::optional<ClaimingEnd> b;
};

/// The bytes of a message, one after the other.
inline std::vector<std::byte> bytes_of(const ClaimingEnd& end, std::uint32_t number) {
  const Message& message = end.execution.message(number);
  std::vector<std::byte> bytes;
  const Layout* layout = end.execution.layout_of(message);
  const auto append = [&](std::int64_t offset, std::int64_t length) {
    bytes.insert(bytes.end(), message.address + offset, message.address + offset + length);
  };
  if (layout == nullptr)
    append(0, message.size);
  else
    layout->for_each_piece(append);
  return bytes;
}

}  // namespace rondo::internal::test

#endif
