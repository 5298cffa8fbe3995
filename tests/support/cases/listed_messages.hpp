/// @file
/// Schedules that are a list of messages and nothing else.
#ifndef RONDO_TESTS_LISTED_MESSAGES_HPP
#define RONDO_TESTS_LISTED_MESSAGES_HPP

#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal::test {

struct ListedMessage {
  int from;
  int to;
  std::uint32_t tag;
  std::int64_t bytes;
};

/// The schedule of one rank: what it sends and what it receives lies one after the other in either buffer, in the order
/// of the list. `spread`: each message as every second piece of 4 bytes, which travels as a datatype.
inline std::shared_ptr<const Schedule> schedule_of(std::span<const ListedMessage> messages, int rank,
                                                   bool spread = false) {
  ScheduleBuilder builder(Ordering::dependencies, spread ? MessageForm::datatype : MessageForm::automatic);
  std::int64_t sent = 0;
  std::int64_t received = 0;
  const auto block = [&](Space space, std::int64_t& offset, std::int64_t bytes) {
    const std::int64_t at = offset;
    offset += spread ? 2 * bytes : bytes;
    if (!spread) return builder.block(space, at, bytes);
    Layout layout;
    layout.append({0, 4, bytes / 4, 8});
    return builder.block(space, at, builder.keep(std::move(layout)));
  };
  for (const ListedMessage& message : messages) {
    if (message.to == rank) {
      const BlockId incoming = block(Space::recv, received, message.bytes);
      builder.receive(message.from, message.tag, {&incoming, 1});
    }
    if (message.from == rank) {
      const BlockId outgoing = block(Space::send, sent, message.bytes);
      builder.send(message.to, message.tag, {&outgoing, 1});
    }
  }
  return std::make_shared<const Schedule>(std::move(builder).build());
}

}  // namespace rondo::internal::test

#endif
