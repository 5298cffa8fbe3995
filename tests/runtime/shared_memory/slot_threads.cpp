// Slots between threads, under the thread sanitizer too: all bytes of many messages arrive.
#include <gtest/gtest.h>

#include "runtime/shared_memory/slot.hpp"
#include "tests/runtime/shared_memory/threads.hpp"
#include "tests/support/test_scale.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace rondo::internal::slot_threads_test {
namespace {

const std::uint64_t kStarts = scaled(100'000);
constexpr std::size_t kLongest = 300;

/// The slots of one pair of threads, and both of their ends.
class Edge {
 public:
  Edge(std::size_t from, std::size_t to, bool counted, std::uint32_t slots = 2)
      : messages_(from, to, kLongest),
        memory_(slots * kSize / kCacheLine),
        sender_({make_words(slots), kStep}, slots, counted ? &consumed_ : nullptr),
        receiver_({word(0), kStep}, slots, counted ? &consumed_ : nullptr) {}

  [[nodiscard]] bool try_send(std::uint64_t start) {
    if (!sender_.may_fill()) return false;
    const auto message = messages_.at(start);
    const bool failed = messages_.fails(start);
    if (!failed) std::memcpy(slot(sender_.slot()), message.data(), message.size());
    sender_.publish(failed);
    return true;
  }
  [[nodiscard]] bool try_receive(std::uint64_t start) {
    const SlotState arrival = receiver_.look();
    if (arrival == SlotState::none) return false;
    const auto message = messages_.at(start);
    if (messages_.fails(start)) {
      wrong_ += arrival == SlotState::failed ? 0U : 1U;
    } else {
      const bool same = std::memcmp(slot(receiver_.slot()), message.data(), message.size()) == 0;
      wrong_ += arrival == SlotState::whole && same ? 0U : 1U;
    }
    receiver_.give_back();
    return true;
  }
  /// Messages that came otherwise than they were sent.
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  struct alignas(kCacheLine) Line {
    std::array<std::byte, kCacheLine> bytes;
  };
  static constexpr std::size_t kSize = slot_size(kLongest);
  static constexpr std::ptrdiff_t kStep = kSize / sizeof(SharedWord);

  [[nodiscard]] std::byte* slot(std::size_t which) { return memory_.front().bytes.data() + which * kSize; }
  [[nodiscard]] SharedWord* word(std::size_t which) {
    return reinterpret_cast<SharedWord*>(slot(which) + kSize - sizeof(SharedWord));
  }
  /// Returns the first of them.
  [[nodiscard]] SharedWord* make_words(std::size_t slots) {
    for (std::size_t which = 0; which < slots; ++which) new (word(which)) SharedWord(0);
    return word(0);
  }

  KnownMessages messages_;
  std::vector<Line> memory_;
  SharedWord consumed_ = 0;
  SlotSender<> sender_;
  SlotReceiver<> receiver_;
  std::uint64_t wrong_ = 0;
};

void until(auto attempt) {
  while (!attempt()) std::this_thread::yield();
}

/// From each thread to the next one, so that those in front run ahead until a count stops them.
void send_along(std::size_t threads, std::uint32_t slots = 2) {
  std::vector<std::unique_ptr<Edge>> edges;
  for (std::size_t i = 0; i + 1 < threads; ++i) edges.push_back(std::make_unique<Edge>(i, i + 1, true, slots));
  on_threads(threads, [&](std::size_t self) {
    for (std::uint64_t start = 1; start <= kStarts; ++start) {
      if (self > 0) until([&] { return edges[self - 1]->try_receive(start); });
      if (self < edges.size()) until([&] { return edges[self]->try_send(start); });
    }
  });
  for (const auto& edge : edges) EXPECT_EQ(edge->wrong(), 0U);
}

/// From each thread to all others in every start, where nobody counts.
void exchange(std::size_t threads) {
  std::vector<std::vector<std::unique_ptr<Edge>>> edges(threads);  // by sender and receiver
  for (std::size_t from = 0; from < threads; ++from) {
    for (std::size_t to = 0; to < threads; ++to) edges[from].push_back(std::make_unique<Edge>(from, to, false));
  }
  std::atomic<std::uint64_t> waited = 0;
  on_threads(threads, [&](std::size_t self) {
    for (std::uint64_t start = 1; start <= kStarts; ++start) {
      for (std::size_t i = 1; i < threads; ++i) {
        if (!edges[self][(self + i) % threads]->try_send(start)) ++waited;
      }
      for (std::size_t i = 1; i < threads; ++i)
        until([&] { return edges[(self + i) % threads][self]->try_receive(start); });
    }
  });
  EXPECT_EQ(waited, 0U);
  for (const auto& row : edges) {
    for (const auto& edge : row) EXPECT_EQ(edge->wrong(), 0U);
  }
}

TEST(SlotThreads, TwoSendAlong) { send_along(2); }
TEST(SlotThreads, ThreeSendAlong) { send_along(3); }
TEST(SlotThreads, ThreeSendAlongManySlots) { send_along(3, 16); }
TEST(SlotThreads, TwoExchange) { exchange(2); }
TEST(SlotThreads, ThreeExchange) { exchange(3); }

}  // namespace
}  // namespace rondo::internal::slot_threads_test
