/// @file
/// Slots: memory of a receiver into which one sender puts the same message of every start.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_SLOT_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_SLOT_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::internal {

/// A word of memory that two processes share. The proof of the protocol uses a word of a memory model instead.
using SharedWord = std::atomic<std::uint64_t>;
static_assert(SharedWord::is_always_lock_free && sizeof(SharedWord) == sizeof(std::uint64_t));

inline constexpr std::size_t kCacheLine = 64;

/// Returns the bytes of a slot for messages of `bytes` bytes: whole cache lines, because two messages in one line would
/// make their writers wait for each other. The data come first; the word that says what the slot holds comes last.
[[nodiscard]] constexpr std::size_t slot_size(std::size_t bytes) noexcept {
  return (bytes + sizeof(SharedWord) + kCacheLine - 1) / kCacheLine * kCacheLine;
}

/// The state of a slot as its receiver finds it.
enum class SlotState : std::uint8_t {
  none,
  whole,
  failed  ///< an execution of the sender has failed: there are no data
};

/// Objects at equal distances, one for each slot of a message.
template <typename Element>
struct OfSlots {
  Element* first = nullptr;
  std::ptrdiff_t step = 0;  ///< distance in elements
  [[nodiscard]] Element* operator[](std::size_t slot) const noexcept {
    return first + static_cast<std::ptrdiff_t>(slot) * step;
  }
};

/// Starts are counted from 1. Start n uses slot n % s of s slots, a power of two: while the receiver reads the message
/// of one start, the sender may write those of the next s - 1 starts. Both ends count for themselves.
namespace slot_words {
[[nodiscard]] constexpr std::uint64_t filled(std::uint64_t start, bool failed) noexcept {
  return start << 1U | (failed ? 1U : 0U);
}
}  // namespace slot_words

/// Memory orders of the protocol. Each comment says what must come before what. A proof weakens the orders, one at a
/// time.
struct SlotOrders {
  static constexpr std::memory_order publish = std::memory_order_release;    // the data before the news of them
  static constexpr std::memory_order look = std::memory_order_acquire;       // the news of the data before the data
  static constexpr std::memory_order give_back = std::memory_order_release;  // the last read before the news of it
  static constexpr std::memory_order may_fill = std::memory_order_acquire;   // that news before the next write
};

/// The sender's end of a message's slots. Data are written between may_fill() and publish().
///
/// Without a count of consumed messages there are two slots, and the sender never checks whether one is free. Its
/// operation then also receives a message of every start from the same partner. Before the sender begins start n, it
/// has the partner's message of start n - 1. The partner sent that message in its start n - 1, before which it had
/// consumed the message of start n - 2, the last one in this slot.
template <typename Word = SharedWord, typename Orders = SlotOrders>
class SlotSender {
 public:
  SlotSender() noexcept = default;
  /// `filled`: the words of `slots` slots. `consumed`: null if the partner's own messages tell what was consumed.
  SlotSender(OfSlots<Word> filled, std::uint32_t slots, const Word* consumed) noexcept
      : filled_(filled), consumed_(consumed), slots_(slots), free_until_(slots) {}

  /// Returns the start of the next message.
  [[nodiscard]] std::uint64_t start() const noexcept { return start_; }
  /// Returns the slot of the next message.
  [[nodiscard]] std::size_t slot() const noexcept { return start_ & (slots_ - 1); }
  /// Returns whether the slot of the next message is free.
  [[nodiscard]] bool may_fill() noexcept {
    if (consumed_ == nullptr || start_ <= free_until_) return true;
    free_until_ = consumed_->load(Orders::may_fill) + slots_;
    return start_ <= free_until_;
  }
  void publish(bool failed) noexcept {
    filled_[slot()]->store(slot_words::filled(start_, failed), Orders::publish);
    ++start_;
  }

 private:
  OfSlots<Word> filled_;
  const Word* consumed_ = nullptr;
  std::uint32_t slots_ = 2;
  std::uint64_t start_ = 1;       ///< start of the next message
  std::uint64_t free_until_ = 2;  ///< messages of starts up to this one may be written
};

/// The receiver's end of a message's slots. Data are read between a look() that finds them and give_back().
template <typename Word = SharedWord, typename Orders = SlotOrders>
class SlotReceiver {
 public:
  SlotReceiver() noexcept = default;
  /// Parameters: as for SlotSender.
  SlotReceiver(OfSlots<const Word> filled, std::uint32_t slots, Word* consumed) noexcept
      : filled_(filled), consumed_(consumed), slots_(slots) {}

  [[nodiscard]] std::uint32_t slots() const noexcept { return slots_; }
  [[nodiscard]] std::size_t slot() const noexcept { return start_ & (slots_ - 1); }
  [[nodiscard]] SlotState look() const noexcept {
    const std::uint64_t word = filled_[slot()]->load(Orders::look);
    if (word == slot_words::filled(start_, false)) return SlotState::whole;
    return word == slot_words::filled(start_, true) ? SlotState::failed : SlotState::none;
  }
  void give_back() noexcept {
    if (consumed_ != nullptr) consumed_->store(start_, Orders::give_back);
    ++start_;
  }

 private:
  OfSlots<const Word> filled_;
  Word* consumed_ = nullptr;
  std::uint32_t slots_ = 2;
  std::uint64_t start_ = 1;  ///< start of the next message
};

}  // namespace rondo::internal

#endif
