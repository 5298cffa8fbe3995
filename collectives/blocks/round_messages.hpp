/// @file
/// RoundSide: the blocks of one round, split into messages that MPI can count.
#ifndef RONDO_COLLECTIVES_BLOCKS_ROUND_MESSAGES_HPP
#define RONDO_COLLECTIVES_BLOCKS_ROUND_MESSAGES_HPP

#include "collectives/blocks/message_cut.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// The blocks, or values that stand for them, that one process sends or receives in a round, split into messages.
template <typename Block = BlockId>
class RoundSide {
 public:
  void clear() {
    blocks_.clear();
    ends_.clear();
    count_ = {};
  }
  /// Adds a block, unless it has no bytes.
  void add(Block block, std::int64_t bytes) {
    if (bytes == 0) return;
    count_.add(bytes);
    blocks_.push_back(block);
    if (ends_.size() < count_.messages()) ends_.push_back(0);
    ends_.back() = blocks_.size();
  }
  [[nodiscard]] std::uint32_t messages() const noexcept { return count_.messages(); }
  /// Returns the blocks of a message, or no blocks if the message's number is messages() or greater.
  [[nodiscard]] std::span<const Block> message(std::uint32_t number) const {
    if (number >= messages()) return {};
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::span(blocks_).subspan(begin, ends_[number] - begin);
  }

 private:
  std::vector<Block> blocks_;
  std::vector<std::size_t> ends_;  ///< the end of each message in blocks_
  MessageCount count_;
};

/// Sends a message to `target` and receives one from `source`. A message without blocks is left out.
inline void exchange_messages(int target, int source, std::uint32_t tag, std::span<const BlockId> outgoing,
                              std::span<const BlockId> incoming, ScheduleBuilder& builder) {
  if (!outgoing.empty() && !incoming.empty())
    builder.exchange(target, source, tag, outgoing, incoming);
  else if (!outgoing.empty())
    builder.send(target, tag, outgoing);
  else if (!incoming.empty())
    builder.receive(source, tag, incoming);
}

/// Builds one round: sends the messages of `outgoing` to `target` and receives those of `incoming` from `source`, with
/// tags from `tag` on. If a side is empty, its process need not exist.
inline void exchange_round(int target, int source, std::uint32_t tag, const RoundSide<>& outgoing,
                           const RoundSide<>& incoming, ScheduleBuilder& builder) {
  for (std::uint32_t number = 0; number < std::max(outgoing.messages(), incoming.messages()); ++number)
    exchange_messages(target, source, tag + number, outgoing.message(number), incoming.message(number), builder);
}

/// Builds the round as one exchange of the builder's, whatever the number of its messages, even if there are none.
inline void exchange_once(int target, int source, std::uint32_t tag, const RoundSide<>& outgoing,
                          const RoundSide<>& incoming, ScheduleBuilder& builder) {
  builder.begin_exchange();
  for (std::uint32_t number = 0; number < outgoing.messages(); ++number)
    builder.send(target, tag + number, outgoing.message(number));
  for (std::uint32_t number = 0; number < incoming.messages(); ++number)
    builder.receive(source, tag + number, incoming.message(number));
}

}  // namespace rondo::internal

#endif
