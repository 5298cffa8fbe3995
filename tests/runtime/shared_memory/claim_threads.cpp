// Claims between threads, under the thread sanitizer too: all bytes of many messages arrive.
#include <gtest/gtest.h>

#include "runtime/shared_memory/claim.hpp"
#include "tests/runtime/shared_memory/threads.hpp"
#include "tests/support/test_scale.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace rondo::internal::claim_threads_test {
namespace {

const std::uint64_t kStarts = scaled(50'000);
constexpr std::size_t kLongest = 500;

/// A message of two parts, each with a claim of its own, that either thread may copy.
class Message {
 public:
  Message(std::size_t from, std::size_t to) : messages_(from, to, kLongest) {}

  void begin_send(std::uint64_t start) {
    const auto message = messages_.at(start);
    std::memcpy(source_.data(), message.data(), message.size());
    length_ = message.size();
    for (ClaimEnd<>& end : sender_) end.arrive(messages_.fails(start));
  }
  void begin_receive() {
    std::memset(target_.data(), 0, target_.size());
    for (ClaimEnd<>& end : receiver_) end.arrive(false);
  }
  [[nodiscard]] bool sent() { return is_over(sender_); }
  [[nodiscard]] bool received() { return is_over(receiver_); }
  /// After received().
  void check(std::uint64_t start) {
    const bool failed = receiver_[0].look() == ClaimState::failed || receiver_[1].look() == ClaimState::failed;
    const auto message = messages_.at(start);
    const bool same = failed || std::memcmp(target_.data(), message.data(), message.size()) == 0;
    wrong_ += same && failed == messages_.fails(start) ? 0U : 1U;
  }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  using Ends = std::array<ClaimEnd<>, 2>;

  [[nodiscard]] bool is_over(Ends& ends) {
    bool over = true;
    for (std::size_t part = 0; part < 2; ++part) {
      if (ends[part].try_take()) {
        const std::size_t middle = length_ / 2;
        std::memcpy(&target_[part * middle], &source_[part * middle], part == 0 ? middle : length_ - middle);
        ends[part].finish();
      }
      over = ends[part].look() != ClaimState::none && over;
    }
    return over;
  }

  KnownMessages messages_;
  std::vector<std::byte> source_ = std::vector<std::byte>(kLongest + 1);
  std::vector<std::byte> target_ = std::vector<std::byte>(kLongest + 1);
  std::size_t length_ = 0;  ///< the sender's to write, like the source
  std::array<SharedWord, 2> words_{};
  Ends sender_{ClaimEnd<>(&words_[0], ClaimSide::sender), ClaimEnd<>(&words_[1], ClaimSide::sender)};
  Ends receiver_{ClaimEnd<>(&words_[0], ClaimSide::receiver), ClaimEnd<>(&words_[1], ClaimSide::receiver)};
  std::uint64_t wrong_ = 0;
};

/// From each thread to the next one in a ring, in every start.
void send_around(std::size_t threads) {
  std::vector<std::unique_ptr<Message>> messages;
  for (std::size_t i = 0; i < threads; ++i) messages.push_back(std::make_unique<Message>(i, (i + 1) % threads));
  on_threads(threads, [&](std::size_t self) {
    Message& out = *messages[self];
    Message& in = *messages[(self + threads - 1) % threads];
    for (std::uint64_t start = 1; start <= kStarts; ++start) {
      in.begin_receive();
      out.begin_send(start);
      bool sent = false;
      bool received = false;
      for (;;) {
        sent = sent || out.sent();
        received = received || in.received();
        if (sent && received) break;
        std::this_thread::yield();
      }
      in.check(start);
    }
  });
  for (const auto& message : messages) EXPECT_EQ(message->wrong(), 0U);
}

TEST(ClaimThreads, Two) { send_around(2); }
TEST(ClaimThreads, Three) { send_around(3); }

}  // namespace
}  // namespace rondo::internal::claim_threads_test
