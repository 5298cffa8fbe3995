/// @file
/// RoundSide: the blocks of one round, split into messages that MPI can count.
#ifndef RONDO_COLLECTIVES_BLOCKS_ROUND_MESSAGES_HPP
#define RONDO_COLLECTIVES_BLOCKS_ROUND_MESSAGES_HPP

#include "collectives/blocks/block_shape.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// Counts the messages that blocks fill, in the order in which they are added. Fewer blocks in the same order never
/// need more messages.
class MessageCount {
 public:
  void add(std::int64_t bytes) {
    if (messages_ == 0 || bytes_ + bytes > kLongestMessage) {
      ++messages_;
      bytes_ = 0;
    }
    bytes_ += bytes;
  }
  [[nodiscard]] std::uint32_t messages() const noexcept { return messages_; }

 private:
  std::uint32_t messages_ = 0;
  std::int64_t bytes_ = 0;
};

/// What one process sends, or receives, in a round.
class RoundSide {
 public:
  void clear() {
    blocks_.clear();
    ends_.clear();
    count_ = {};
  }
  /// Blocks without bytes are left out.
  void add(BlockId block, std::int64_t bytes) {
    if (bytes == 0) return;
    count_.add(bytes);
    blocks_.push_back(block);
    if (ends_.size() < count_.messages()) ends_.push_back(0);
    ends_.back() = blocks_.size();
  }
  [[nodiscard]] std::uint32_t messages() const noexcept { return count_.messages(); }
  [[nodiscard]] std::span<const BlockId> message(std::uint32_t number) const {
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::span(blocks_).subspan(begin, ends_[number] - begin);
  }

 private:
  std::vector<BlockId> blocks_;
  std::vector<std::size_t> ends_;  ///< of each message
  MessageCount count_;
};

/// One round: sends the messages of `outgoing` to `target` and receives those of `incoming` from `source`, with tags
/// from `tag` on. Either side may be empty, and its process then not exist.
inline void exchange_round(int target, int source, std::uint32_t tag, const RoundSide& outgoing,
                           const RoundSide& incoming, ScheduleBuilder& builder) {
  for (std::uint32_t number = 0; number < outgoing.messages() || number < incoming.messages(); ++number) {
    const bool sends = number < outgoing.messages();
    const bool receives = number < incoming.messages();
    if (sends && receives)
      builder.exchange(target, source, tag + number, outgoing.message(number), incoming.message(number));
    else if (sends)
      builder.send(target, tag + number, outgoing.message(number));
    else
      builder.receive(source, tag + number, incoming.message(number));
  }
}

/// The same as one exchange of the builder's, whatever the number of its messages; it is one also where there are none.
inline void exchange_once(int target, int source, std::uint32_t tag, const RoundSide& outgoing,
                          const RoundSide& incoming, ScheduleBuilder& builder) {
  builder.begin_exchange();
  for (std::uint32_t number = 0; number < outgoing.messages(); ++number)
    builder.send(target, tag + number, outgoing.message(number));
  for (std::uint32_t number = 0; number < incoming.messages(); ++number)
    builder.receive(source, tag + number, incoming.message(number));
}

}  // namespace rondo::internal

#endif
