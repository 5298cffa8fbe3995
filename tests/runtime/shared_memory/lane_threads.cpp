// Lanes between threads, under the thread sanitizer too: all bytes of many messages arrive.
#include <gtest/gtest.h>

#include "runtime/shared_memory/lane.hpp"
#include "tests/runtime/shared_memory/threads.hpp"
#include "tests/support/test_scale.hpp"

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace rondo::internal::lane_threads_test {
namespace {

const std::uint64_t kMessages = scaled(100'000);

class Lane {
 public:
  Lane(std::size_t from, std::size_t to, std::size_t lines)
      : messages_(from, to, lane_longest(lines)),
        lines_(lines),
        sender_(lines_, &consumed_),
        receiver_(lines_, &consumed_) {}

  [[nodiscard]] bool try_send(std::uint64_t number) {
    const auto message = messages_.at(number);
    std::byte* const data = sender_.try_reserve(message.size());
    if (data == nullptr) return false;
    const LaneHeader said = header(number);
    if (!said.failed) std::memcpy(data, message.data(), message.size());
    sender_.publish(said);
    return true;
  }
  [[nodiscard]] bool try_receive(std::uint64_t number) {
    const auto found = receiver_.peek();
    if (!found) return false;
    const auto message = messages_.at(number);
    const bool same = found->header == header(number) &&
                      (found->header.failed || std::memcmp(found->data, message.data(), message.size()) == 0);
    wrong_ += same ? 0U : 1U;
    receiver_.pop();
    return true;
  }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  [[nodiscard]] LaneHeader header(std::uint64_t number) const {
    return {~number, static_cast<std::uint32_t>(number * 7), static_cast<std::uint32_t>(messages_.at(number).size()),
            messages_.fails(number)};
  }

  KnownMessages messages_;
  std::vector<LaneLine<>> lines_;
  SharedWord consumed_ = 0;
  LaneSender<> sender_;
  LaneReceiver<> receiver_;
  std::uint64_t wrong_ = 0;
};

/// From each thread to the next one in a ring. Each goes on with whichever of its two ends can go on.
void send_around(std::size_t threads, std::size_t lines) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < threads; ++i) lanes.push_back(std::make_unique<Lane>(i, (i + 1) % threads, lines));
  on_threads(threads, [&](std::size_t self) {
    Lane& out = *lanes[self];
    Lane& in = *lanes[(self + threads - 1) % threads];
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    while (sent < kMessages || received < kMessages) {
      const bool sends = sent < kMessages && out.try_send(sent);
      const bool receives = received < kMessages && in.try_receive(received);
      sent += sends ? 1U : 0U;
      received += receives ? 1U : 0U;
      if (!sends && !receives) std::this_thread::yield();
    }
  });
  for (const auto& lane : lanes) EXPECT_EQ(lane->wrong(), 0U);
}

TEST(LaneThreads, TwoWithTheSmallestLanes) { send_around(2, 4); }
TEST(LaneThreads, TwoWithLanesOfAnOddSize) { send_around(2, 13); }
TEST(LaneThreads, ThreeWithLanesOfSomeKibibytes) { send_around(3, 64); }

}  // namespace
}  // namespace rondo::internal::lane_threads_test
