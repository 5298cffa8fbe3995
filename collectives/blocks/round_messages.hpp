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

/// What one process sends, or receives, in a round: blocks, or what stands for them.
template <typename Block = BlockId>
class RoundSide {
 public:
  void clear() {
    blocks_.clear();
    ends_.clear();
    count_ = {};
  }
  /// Blocks without bytes are left out.
  void add(Block block, std::int64_t bytes) {
    if (bytes == 0) return;
    count_.add(bytes);
    blocks_.push_back(block);
    if (ends_.size() < count_.messages()) ends_.push_back(0);
    ends_.back() = blocks_.size();
  }
  [[nodiscard]] std::uint32_t messages() const noexcept { return count_.messages(); }
  /// Without blocks from messages() on.
  [[nodiscard]] std::span<const Block> message(std::uint32_t number) const {
    if (number >= messages()) return {};
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::span(blocks_).subspan(begin, ends_[number] - begin);
  }

 private:
  std::vector<Block> blocks_;
  std::vector<std::size_t> ends_;  ///< of each message
  MessageCount count_;
};

/// Sends a message to `target` and receives one from `source`. Either may be without blocks, and is left out then.
inline void exchange_messages(int target, int source, std::uint32_t tag, std::span<const BlockId> outgoing,
                              std::span<const BlockId> incoming, ScheduleBuilder& builder) {
  if (!outgoing.empty() && !incoming.empty())
    builder.exchange(target, source, tag, outgoing, incoming);
  else if (!outgoing.empty())
    builder.send(target, tag, outgoing);
  else if (!incoming.empty())
    builder.receive(source, tag, incoming);
}

/// One round: sends the messages of `outgoing` to `target` and receives those of `incoming` from `source`, with tags
/// from `tag` on. Either side may be empty, and its process then not exist.
inline void exchange_round(int target, int source, std::uint32_t tag, const RoundSide<>& outgoing,
                           const RoundSide<>& incoming, ScheduleBuilder& builder) {
  for (std::uint32_t number = 0; number < std::max(outgoing.messages(), incoming.messages()); ++number)
    exchange_messages(target, source, tag + number, outgoing.message(number), incoming.message(number), builder);
}

/// The same as one exchange of the builder's, whatever the number of its messages; it is one also where there are none.
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
