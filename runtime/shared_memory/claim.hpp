/// @file
/// Claims: which end of a message copies it, where each can reach the memory of both.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_CLAIM_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_CLAIM_HPP

#include "runtime/shared_memory/slot.hpp"

#include <cstdint>

namespace rondo::internal {

/// What has become of a message.
enum class ClaimState : std::uint8_t {
  none,   ///< it is not over
  whole,  ///< its data are where they belong
  failed  ///< one of the two ends has failed: nobody copied
};

/// The word of a claim: the number of a start, counted from 1, over these bits. Zero before the first start.
namespace claim_words {
inline constexpr std::uint64_t kSender = 1;    ///< has arrived: the data may be read
inline constexpr std::uint64_t kReceiver = 2;  ///< has arrived: they may be written to where they belong
inline constexpr std::uint64_t kFailed = 4;    ///< one of the two has failed, so nobody copies
inline constexpr std::uint64_t kTaken = 8;     ///< one of the two copies
inline constexpr std::uint64_t kOver = 16;
/// kFailed of the start before. One end may be over with a start, and have arrived in the next, before the other looks.
inline constexpr std::uint64_t kFailedBefore = 32;
inline constexpr unsigned kBits = 6;

inline constexpr std::uint64_t kBoth = kSender | kReceiver;

[[nodiscard]] constexpr std::uint64_t start(std::uint64_t word) noexcept { return word >> kBits; }

/// What `word` becomes when `end` arrives in start `number`.
[[nodiscard]] constexpr std::uint64_t arrived(std::uint64_t word, std::uint64_t number, std::uint64_t end,
                                              bool failed) noexcept {
  const std::uint64_t before = (word & kFailed) != 0 ? kFailedBefore : 0;
  const std::uint64_t next = (start(word) == number ? word : number << kBits | before) | end | (failed ? kFailed : 0);
  return (next & kBoth) == kBoth && (next & kFailed) != 0 ? next | kOver : next;
}
/// Whether an end that has arrived in start `number` may copy.
[[nodiscard]] constexpr bool open(std::uint64_t word, std::uint64_t number) noexcept {
  return start(word) == number && (word & kBoth) == kBoth && (word & (kTaken | kOver)) == 0;
}
/// What has become of the message of start `number`.
[[nodiscard]] constexpr ClaimState outcome(std::uint64_t word, std::uint64_t number) noexcept {
  if (start(word) != number) return (word & kFailedBefore) != 0 ? ClaimState::failed : ClaimState::whole;
  if ((word & kOver) == 0) return ClaimState::none;
  return (word & kFailed) != 0 ? ClaimState::failed : ClaimState::whole;
}
}  // namespace claim_words

/// Memory orders of the protocol; a proof weakens them, one at a time.
struct ClaimOrders {
  static constexpr std::memory_order arrive = std::memory_order_release;    // own use of the memory before the copy
  static constexpr std::memory_order take = std::memory_order_acquire;      // both arrivals before the copy
  static constexpr std::memory_order finish = std::memory_order_release;    // the copy before the news of it
  static constexpr std::memory_order look = std::memory_order_acquire;      // that news before the memory's next use
  static constexpr std::memory_order withdraw = std::memory_order_acquire;  // the same, for who does not wait for it
};

enum class ClaimSide : std::uint8_t { sender, receiver };

/// One end of a message of a persistent operation. In every start it arrives; as soon as both have, the first to take
/// the message copies it, while the other may be anywhere, and need not come back for it. Who arrives second can take
/// it at once, so nobody waits for one that is not there. A long message may be several claims, one for each part.
template <typename Word = SharedWord, typename Orders = ClaimOrders>
class ClaimEnd {
 public:
  ClaimEnd() noexcept = default;  ///< of no message
  ClaimEnd(Word* word, ClaimSide side) noexcept
      : word_(word), side_(side == ClaimSide::sender ? claim_words::kSender : claim_words::kReceiver) {}

  /// Begins the next start, with the last one over (see look()): from now on the other end may use this one's memory.
  /// After a failure it will not, and look() will say so to both.
  void arrive(bool failed) noexcept {
    ++start_;
    std::uint64_t word = word_->load(std::memory_order_relaxed);  // relaxed: the exchange that follows decides
    while (!word_->compare_exchange_weak(word, claim_words::arrived(word, start_, side_, failed), Orders::arrive,
                                         std::memory_order_relaxed)) {
    }
  }
  /// Whether this end is the one to copy now, and then to finish().
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
  /// Gives the message of this start up, for good: nobody copies it from now on, and the other end will find that it
  /// has failed. False: the other end is copying at this moment, so ask again.
  [[nodiscard]] bool withdraw() noexcept {
    for (;;) {
      std::uint64_t word = word_->load(Orders::withdraw);
      if (claim_words::outcome(word, start_) != ClaimState::none) return true;
      if ((word & claim_words::kTaken) != 0) return false;
      // relaxed: nobody has copied in this start, and nobody will; where it fails, the word is looked at again
      if (word_->compare_exchange_weak(word, claim_words::arrived(word, start_, side_, true), std::memory_order_relaxed,
                                       std::memory_order_relaxed))
        return true;
    }
  }
  /// What has become of the message: none while it is not over.
  [[nodiscard]] ClaimState look() const noexcept { return claim_words::outcome(word_->load(Orders::look), start_); }

 private:
  Word* word_ = nullptr;
  std::uint64_t side_ = 0;
  std::uint64_t start_ = 0;
};

}  // namespace rondo::internal

#endif
