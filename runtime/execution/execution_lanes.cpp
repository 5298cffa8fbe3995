// Decides which messages of an execution take lanes: messages that both ends find short enough, and that no other
// message could be mistaken for.
#include "runtime/execution/execution.hpp"
#include "runtime/execution/lane_transport.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace rondo::internal {

namespace {

/// Returns those messages for which `may` is true and whose tag no other of these has in the same direction with the
/// same rank.
template <typename May>
std::vector<Message*> with_own_tag(std::span<Message> messages, May may) {
  std::vector<Message*> found;
  for (Message& message : messages) {
    if (may(message)) found.push_back(&message);
  }
  const auto key = [](const Message* message) { return std::tuple(message->sends != 0, message->peer, message->tag); };
  std::ranges::sort(found, {}, key);
  std::vector<Message*> alone;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if ((i == 0 || key(found[i - 1]) != key(found[i])) && (i + 1 == found.size() || key(found[i + 1]) != key(found[i])))
      alone.push_back(found[i]);
  }
  return alone;
}

struct RoomInLane {
  std::int32_t longest;  ///< bytes of the longest message
  std::uint32_t lines;   ///< maximum number of lines that one operation may take
};

RoomInLane room_in_lane(const LaneTable& lanes, const Message& message) noexcept {
  const LaneTable::Way& way = lanes[message.peer];
  return message.sends != 0 ? RoomInLane{way.longest_sent, way.lines_sent}
                            : RoomInLane{way.longest_received, way.lines_received};
}

/// Sets in_lane for the messages that are short enough, as long as the lane has space for all of them at once. The
/// messages must be sorted as by with_own_tag(), so that both ends decide alike.
void mark_that_fit(std::span<Message* const> messages, const LaneTable& lanes) noexcept {
  std::size_t lines = 0;
  const Message* before = nullptr;
  for (Message* message : messages) {
    if (before == nullptr || before->peer != message->peer || before->sends != message->sends) lines = 0;
    before = message;
    const RoomInLane room = room_in_lane(lanes, *message);
    message->in_lane = 0;
    if (message->size <= 0 || message->size > room.longest) continue;
    const std::size_t more = lane_lines(static_cast<std::size_t>(message->size));
    if (lines + more > room.lines) continue;
    lines += more;
    message->in_lane = 1;
  }
}

/// Returns whether some of the messages are received, and not in a lane. Those without bytes do not count.
bool receives_elsewhere(std::span<Message* const> messages) noexcept {
  return std::ranges::any_of(messages, [](const Message* message) {
    return message->in_lane == 0 && message->sends == 0 && message->size != 0;
  });
}

}  // namespace

void Execution::use_lanes(const LaneTable& lanes) {
  const auto has_lane = [&](const Message& message) { return room_in_lane(lanes, message).longest > 0; };
  const std::vector<Message*> watched = with_own_tag(messages(), has_lane);
  mark_that_fit(watched, lanes);
  const auto is_taken = [](const Message* message) { return message->in_lane != 0; };
  const auto is_scattered = [&](const Message* message) { return is_taken(message) && message->scattered != 0; };
  const auto taken = static_cast<std::size_t>(std::ranges::count_if(watched, is_taken));
  std::vector<LaneCopy> copies(std::ranges::any_of(watched, is_scattered) ? messages().size() : 0);
  if (taken > 0) transport_.lanes()->reserve(taken);
  watches_lanes_ = receives_elsewhere(watched);
  lanes_ = &lanes;
  lane_messages_ = taken;
  lane_copies_ = std::move(copies);
  near_ = near_ || taken > 0;
  compile_lane_copies(false);
  if (addressed_) compile_lane_copies(true);
}

void Execution::use_lanes_at_any_size(const LaneTable& lanes) {
  const auto has_lane = [&](const Message& message) { return room_in_lane(lanes, message).longest > 0; };
  std::vector<Message*> candidates = with_own_tag(messages(), has_lane);
  if (!candidates.empty()) transport_.lanes()->reserve(candidates.size());
  lanes_ = &lanes;
  lane_messages_ = candidates.size();
  lane_candidates_ = std::move(candidates);
  take_new_sizes();
}

void Execution::take_new_sizes() noexcept {
  for (Message& message : messages()) message.size = static_cast<std::int32_t>(schedule_->tasks()[message.task].bytes);
  const auto empty = static_cast<std::uint32_t>(std::ranges::count(messages(), 0, &Message::size));
  skips_empty_ = empty > 0;
  plan_ = Plan(*schedule_);
  plan_.tasks -= empty;
  plan_.messages -= empty;
  addressed_ = false;
  if (lane_candidates_.empty()) return;
  mark_that_fit(lane_candidates_, *lanes_);
  near_ = std::ranges::any_of(lane_candidates_, [](const Message* message) { return message->in_lane != 0; });
  watches_lanes_ = receives_elsewhere(lane_candidates_);
}

/// Compiles the copies of scattered messages in lanes: of the messages across spaces, whose places are known when the
/// buffers are bound, or of the others.
void Execution::compile_lane_copies(bool across_spaces) {
  for (std::size_t number = 0; number < lane_copies_.size(); ++number) {
    const Message& message = messages_[number];
    if (message.in_lane == 0 || message.scattered == 0) continue;
    if (lies_across_spaces(schedule_->tasks()[message.task]) != across_spaces) continue;
    const Layout* layout = layout_of(message);
    LaneCopy& copy = lane_copies_[number];
    Layout placed;
    if (across_spaces) {  // absolute addresses: the layout begins at the first of them
      const std::int64_t first = layout->true_begin();
      copy.absolute = reinterpret_cast<std::byte*>(static_cast<std::intptr_t>(first));
      placed.append(*layout, -first);
      layout = &placed;
    }
    const Layout packed = Layout::contiguous(layout->size());
    copy.program.clear();
    if (message.sends != 0)
      copy.program.append(*layout, 0, packed, 0);
    else
      copy.program.append(packed, 0, *layout, 0);
    copy.program.finish();
  }
}

}  // namespace rondo::internal
