/// @file
/// Claims: which end of a message copies the data, if each end can reach the memory of both.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_CLAIM_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_CLAIM_HPP

#include "runtime/shared_memory/slot.hpp"

#include <cstdint>

namespace rondo::internal {

/// The outcome of a message in one start.
enum class ClaimState : std::uint8_t {
  none,   ///< the message is not over
  whole,  ///< the data have been copied to their target
  failed  ///< one of the two ends has failed: nobody copied
};

/// Bits of a claim's word. Above them is the number of a start, counted from 1. The word is zero before the first
/// start.
namespace claim_words {
inline constexpr std::uint64_t kSender = 1;    ///< the sender has arrived: the data may be read
inline constexpr std::uint64_t kReceiver = 2;  ///< the receiver has arrived: the target may be written to
inline constexpr std::uint64_t kFailed = 4;    ///< one of the two has failed, so nobody copies
inline constexpr std::uint64_t kTaken = 8;     ///< one of the two copies
inline constexpr std::uint64_t kOver = 16;
/// kFailed of the previous start. One end may finish a start, and arrive in the next, before the other looks.
inline constexpr std::uint64_t kFailedBefore = 32;
inline constexpr unsigned kBits = 6;

inline constexpr std::uint64_t kBoth = kSender | kReceiver;

[[nodiscard]] constexpr std::uint64_t start(std::uint64_t word) noexcept { return word >> kBits; }

/// Returns the word that replaces `word` when `end` arrives in start `number`.
[[nodiscard]] constexpr std::uint64_t arrived(std::uint64_t word, std::uint64_t number, std::uint64_t end,
                                              bool failed) noexcept {
  const std::uint64_t before = (word & kFailed) != 0 ? kFailedBefore : 0;
  const std::uint64_t next = (start(word) == number ? word : number << kBits | before) | end | (failed ? kFailed : 0);
  return (next & kBoth) == kBoth && (next & kFailed) != 0 ? next | kOver : next;
}
/// Returns whether an end that has arrived in start `number` may copy.
[[nodiscard]] constexpr bool open(std::uint64_t word, std::uint64_t number) noexcept {
  return start(word) == number && (word & kBoth) == kBoth && (word & (kTaken | kOver)) == 0;
}
/// Returns the outcome of the message of start `number`.
[[nodiscard]] constexpr ClaimState outcome(std::uint64_t word, std::uint64_t number) noexcept {
  if (start(word) != number) return (word & kFailedBefore) != 0 ? ClaimState::failed : ClaimState::whole;
  if ((word & kOver) == 0) return ClaimState::none;
  return (word & kFailed) != 0 ? ClaimState::failed : ClaimState::whole;
}
}  // namespace claim_words

/// Memory orders of the protocol. Each comment says what must come before what. A proof weakens the orders, one at a
/// time.
struct ClaimOrders {
  static constexpr std::memory_order arrive = std::memory_order_release;    // own use of the memory before the copy
  static constexpr std::memory_order take = std::memory_order_acquire;      // both arrivals before the copy
  static constexpr std::memory_order finish = std::memory_order_release;    // the copy before the news of it
  static constexpr std::memory_order look = std::memory_order_acquire;      // that news before the memory's next use
  static constexpr std::memory_order withdraw = std::memory_order_acquire;  // that news, for an end that gives up
};

enum class ClaimSide : std::uint8_t { sender, receiver };

/// One end of a message of a persistent operation. In every start each end arrives. As soon as both have, the first to
/// take the message copies the data; the other may do anything else, and need not come back for the message. The end
/// that arrives second can take the message at once, so nobody waits for an absent end. A long message may be several
/// claims, one for each part.
template <typename Word = SharedWord, typename Orders = ClaimOrders>
class ClaimEnd {
 public:
  ClaimEnd() noexcept = default;  ///< an end of no message
  ClaimEnd(Word* word, ClaimSide side) noexcept
      : word_(word), side_(side == ClaimSide::sender ? claim_words::kSender : claim_words::kReceiver) {}

  /// Begins the next start. Call when the last start is over (see look()). From now on the other end may use this end's
  /// memory. After a failure the other end will not do so, and look() reports the failure at both ends.
  void arrive(bool failed) noexcept {
    ++start_;
    std::uint64_t word = word_->load(std::memory_order_relaxed);  // relaxed: the exchange that follows decides
    while (!word_->compare_exchange_weak(word, claim_words::arrived(word, start_, side_, failed), Orders::arrive,
                                         std::memory_order_relaxed)) {
    }
  }
  /// Returns whether this end must copy now, and then call finish().
  [[nodiscard]] bool try_take() noexcept {
    std::uint64_t word = word_->load(std::memory_order_relaxed);  // relaxed: the exchange that follows decides
    while (claim_words::open(word, start_)) {
      if (word_->compare_exchange_weak(word, word | claim_words::kTaken, Orders::take, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  void finish() noexcept {
    // relaxed: nobody else changes a word that is taken
    word_->store(word_->load(std::memory_order_relaxed) | claim_words::kOver, Orders::finish);
  }
  /// Gives up the message of this start, for good: nobody copies it from now on, and the other end finds that it has
  /// failed. Returns false if the other end is copying at this moment; then call again.
  [[nodiscard]] bool withdraw() noexcept {
    for (;;) {
      std::uint64_t word = word_->load(Orders::withdraw);
      if (claim_words::outcome(word, start_) != ClaimState::none) return true;
      if ((word & claim_words::kTaken) != 0) return false;
      // relaxed: nobody copies in this start; if the exchange fails, the word is read again
      if (word_->compare_exchange_weak(word, claim_words::arrived(word, start_, side_, true), std::memory_order_relaxed,
                                       std::memory_order_relaxed))
        return true;
    }
  }
  /// Returns the outcome of the message: none while the message is not over.
  [[nodiscard]] ClaimState look() const noexcept { return claim_words::outcome(word_->load(Orders::look), start_); }

 private:
  Word* word_ = nullptr;
  std::uint64_t side_ = 0;
  std::uint64_t start_ = 0;
};

}  // namespace rondo::internal

#endif
