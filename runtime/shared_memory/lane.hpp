/// @file
/// Lanes: a ring in a receiver's memory into which one sender puts its messages of all nonblocking operations.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_LANE_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_LANE_HPP

#include "runtime/shared_memory/slot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rondo::internal {

/// A lane consists of lines. A record is one line or several consecutive ones: its header, and the data from the first
/// line's `data` on, through all of the other lines. Lines are zero before anything is sent.
template <typename Word = SharedWord>
struct alignas(kCacheLine) LaneLine {
  Word state;             ///< state of the record that begins here, if one does: see lane_words
  std::uint64_t context;  ///< LaneHeader::context of that record
  std::array<std::byte, kCacheLine - 2 * sizeof(std::uint64_t)> data;
};
static_assert(sizeof(LaneLine<>) == kCacheLine);

/// Description of a message.
struct LaneHeader {
  std::uint64_t context = 0;  ///< the communicator
  std::uint32_t tag = 0;
  std::uint32_t bytes = 0;  ///< bytes of data
  bool failed = false;      ///< an execution of the sender has failed: there are no data, whatever `bytes` says

  friend bool operator==(const LaneHeader&, const LaneHeader&) = default;
};

/// Returns the lines of a record with `bytes` bytes of data.
[[nodiscard]] constexpr std::size_t lane_lines(std::size_t bytes) noexcept {
  return (bytes + offsetof(LaneLine<>, data) + kCacheLine - 1) / kCacheLine;
}

/// Returns the bytes of the longest message of a lane of `lines` lines, at least 4. With its header it fills a quarter
/// of the lane, so that a sender is ahead by some messages even of this length.
[[nodiscard]] constexpr std::size_t lane_longest(std::size_t lines) noexcept {
  return lines / 4 * kCacheLine - offsetof(LaneLine<>, data);
}

/// Returns how many lines of a lane of `lines` lines the messages of one operation may take. When an operation of both
/// ranks begins anew, the partner may still have to read the messages of the last two starts, and up to a quarter of
/// the lane may be unused at its end, because a record of that length did not fit there.
[[nodiscard]] constexpr std::uint32_t lane_lines_of_operation(std::size_t lines) noexcept {
  return static_cast<std::uint32_t>(lines / 8 * 3);
}

/// State of the line at which the receiver looks next: 0 while no record begins there, otherwise one of these.
namespace lane_words {
inline constexpr std::uint64_t kNothing = 0;
inline constexpr std::uint64_t kWhole = 1;
inline constexpr std::uint64_t kFailed = 2;
inline constexpr std::uint64_t kSkip = 3;   ///< the next record begins in line 0, because it did not fit before the end
inline constexpr std::uint64_t kKinds = 3;  ///< bits of these kinds; then the bytes; in the upper half the tag

inline constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 30U) - 1;

[[nodiscard]] constexpr std::uint64_t message(const LaneHeader& header) noexcept {
  return std::uint64_t{header.tag} << 32U | std::uint64_t{header.bytes} << 2U | (header.failed ? kFailed : kWhole);
}
[[nodiscard]] constexpr LaneHeader header(std::uint64_t state, std::uint64_t context) noexcept {
  return {context, static_cast<std::uint32_t>(state >> 32U), static_cast<std::uint32_t>(state >> 2U & kMostBytes),
          (state & kKinds) == kFailed};
}
}  // namespace lane_words

/// Memory orders of the protocol. Each comment says what must come before what. A proof weakens the orders, one at a
/// time.
struct LaneOrders {
  static constexpr std::memory_order publish = std::memory_order_release;  // a record and the next line before its news
  static constexpr std::memory_order skip = std::memory_order_release;     // line 0 before the news of the skip to it
  static constexpr std::memory_order look = std::memory_order_acquire;     // either news before what it announces
  static constexpr std::memory_order look_behind = std::memory_order_acquire;  // behind a skip: as look
  static constexpr std::memory_order give_back = std::memory_order_release;    // the last read before the news of it
  static constexpr std::memory_order may_fill = std::memory_order_acquire;     // that news before the next write
};

/// The sender's end of a lane: try_reserve(), write the data, publish().
///
/// The receiver looks at one line at a time, at which the next record will begin. That line may still hold data of an
/// earlier lap, which may look like any state (so a lap number in the state would not help). Therefore publishing a
/// record first clears the state of the line behind it. That line must be free too: a full lane has one spare line.
///
/// Positions count lines from the beginning on, lap after lap.
template <typename Line = LaneLine<>, typename Orders = LaneOrders>
class LaneSender {
 public:
  using Word = decltype(Line::state);
  using Data = typename decltype(Line::data)::value_type;

  /// A record that finds the lane empty may turn, which means go back to line 0. So messages that are read soon use few
  /// lines, which stay in caches, and few pages. Until the turned record is read, only the lines before the turn are
  /// usable, including its own. So a record turns from line kFirstTurn on. When a record behind a turn finds no space,
  /// the turn moves to twice as far as that record needed, at most kMostTurn. These numbers hold for records of up to
  /// kShortRecord lines; if a record of this lap, or the one that is to turn, has k times as many lines, the turn is k
  /// times as far.
  static constexpr std::size_t kFirstTurn = 64;
  static constexpr std::size_t kMostTurn = 1024;
  static constexpr std::size_t kShortRecord = kMostTurn / 64;

  /// `consumed`: the receiver's position. The lines, at least 4, and `consumed` must hold zeros. The turns are
  /// parameters for tests, and must be larger than the lines of a record.
  LaneSender(std::span<Line> lines, const Word* consumed, std::size_t first_turn = kFirstTurn,
             std::size_t most_turn = kMostTurn) noexcept
      : lines_(lines), consumed_(consumed), turn_(first_turn), most_turn_(most_turn), free_until_(lines.size()) {}

  /// Returns memory for the data of a message of up to `bytes` bytes, at most lane_longest(); null if there is no space
  /// until the receiver has popped more. A reservation that is not published is forgotten with the next one.
  [[nodiscard]] Data* try_reserve(std::size_t bytes) noexcept {
    const std::size_t count = lane_lines(bytes);
    const std::size_t rest = lines_.size() - head_;
    const std::size_t skipped = rest < count || (head_ >= turn_ && may_turn(count)) ? rest : 0;
    if (!is_free(skipped + count + 1)) {
      turn_ = std::clamp(2 * (head_ + count) / scale(0), turn_, most_turn_);
      return nullptr;
    }
    if (skipped > 0) put<Orders::skip>(lane_words::kSkip, skipped);
    return lines_[head_].data.data();
  }
  /// Publishes a message of `header.bytes` bytes, at most as many as were reserved.
  void publish(const LaneHeader& header) noexcept {
    lines_[head_].context = header.context;
    const std::size_t count = lane_lines(header.bytes);
    longest_ = std::max(longest_, count);
    put<Orders::publish>(lane_words::message(header), count);
  }

 private:
  /// Returns by which factor a turn is further than for short records, given this lap's records and one of `count`
  /// lines.
  [[nodiscard]] std::size_t scale(std::size_t count) const noexcept {
    return (std::max({count, longest_, kShortRecord}) + kShortRecord - 1) / kShortRecord;
  }
  [[nodiscard]] bool may_turn(std::size_t count) noexcept { return head_ >= turn_ * scale(count) && is_empty(); }
  [[nodiscard]] bool is_free(std::size_t count) noexcept {
    if (position_ + count <= free_until_) return true;
    look_for_free();
    return position_ + count <= free_until_;
  }
  [[nodiscard]] bool is_empty() noexcept {
    look_for_free();
    return free_until_ == position_ + lines_.size();
  }
  void look_for_free() noexcept { free_until_ = consumed_->load(Orders::may_fill) + lines_.size(); }
  template <std::memory_order Order>
  void put(std::uint64_t state, std::size_t count) noexcept {
    const std::size_t next = head_ + count == lines_.size() ? 0 : head_ + count;
    // relaxed: seen with the record, behind which nobody looks earlier
    lines_[next].state.store(lane_words::kNothing, std::memory_order_relaxed);
    lines_[head_].state.store(state, Order);
    if (next == 0) longest_ = 0;
    head_ = next;
    position_ += count;
  }

  std::span<Line> lines_;
  const Word* consumed_;
  std::size_t turn_;  ///< the line from which on a short record turns
  std::size_t most_turn_;
  std::size_t longest_ = 0;     ///< lines of the longest record since line 0
  std::size_t head_ = 0;        ///< line of the next record
  std::uint64_t position_ = 0;  ///< position of the next record
  std::uint64_t free_until_;    ///< lines before this position may be written
};

/// The receiver's end of a lane: peek(), read the data, pop().
template <typename Line = LaneLine<>, typename Orders = LaneOrders>
class LaneReceiver {
 public:
  using Word = decltype(Line::state);
  using Data = typename decltype(Line::data)::value_type;

  /// Parameters: as for LaneSender.
  LaneReceiver(std::span<const Line> lines, Word* consumed) noexcept : lines_(lines), consumed_(consumed) {}

  struct Message {
    LaneHeader header;
    const Data* data = nullptr;
  };

  /// Returns the first message that was not popped; nothing while there is none.
  [[nodiscard]] std::optional<Message> peek() noexcept {
    std::uint64_t state = lines_[head_].state.load(Orders::look);
    if (state == lane_words::kSkip) {
      // The next pop tells the sender that these lines are free. No message waits for them until then.
      advance(lines_.size() - head_);
      state = lines_[head_].state.load(Orders::look_behind);
    }
    if (state == lane_words::kNothing) return std::nullopt;
    const Line& first = lines_[head_];
    const Message found{lane_words::header(state, first.context), first.data.data()};
    count_ = lane_lines(found.header.bytes);
    if (count_ > lines_.size() - head_) [[unlikely]] {  // no sender writes such a record
      overwritten_ = true;
      return std::nullopt;
    }
    return found;
  }
  /// Returns whether a peek() has found a record that no sender writes. If so, a stray write of some program has
  /// overwritten the lane, and no more messages can be read from the lane.
  [[nodiscard]] bool is_overwritten() const noexcept { return overwritten_; }
  /// Removes the message that the last peek() found. Its data may be overwritten from now on.
  void pop() noexcept {
    advance(count_);
    consumed_->store(position_, Orders::give_back);
  }

 private:
  void advance(std::size_t count) noexcept {
    head_ = head_ + count == lines_.size() ? 0 : head_ + count;
    position_ += count;
  }

  std::span<const Line> lines_;
  Word* consumed_;
  std::size_t head_ = 0;        ///< line of the next record
  std::uint64_t position_ = 0;  ///< position of the next record
  std::size_t count_ = 0;       ///< lines of the record that peek() found
  bool overwritten_ = false;
};

}  // namespace rondo::internal

#endif
