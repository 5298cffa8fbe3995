#include "runtime/execution/lane_transport.hpp"

#include "datatypes/copying/packing.hpp"
#include "runtime/base/log.hpp"
#include "runtime/execution/execution.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace rondo::internal {
namespace {

/// Delivers a message of a lane to its receive. Copies the data and returns MPI_SUCCESS, or returns the code of a
/// failure.
[[gnu::hot]] int arrive(const Execution& execution, const Message& message, const LaneHeader& header,
                        const std::byte* data) noexcept {
  if (header.failed) [[unlikely]]
    return kPartnerFailed;
  const auto expected = static_cast<std::uint32_t>(message.size);
  if (header.bytes != expected) [[unlikely]]
    return header.bytes < expected ? kShortMessage : MPI_ERR_TRUNCATE;
  if (message.scattered == 0) {
    copy_bytes(message.address, data, expected);
  } else {
    const LaneCopy& copy = execution.lane_copy(message);
    run_copies(copy.program.runs(), data, copy.base(message));
  }
  return MPI_SUCCESS;
}

/// Moves the first message of a lane into private memory and returns true. Returns false if there is no memory for it.
bool drain(Lane& lane, const LaneReceiver<>::Message& found) noexcept {
  if (lane.drained.size() >= lane.drained_limit) {
    // No receive will come for messages of communicators that are gone.
    std::erase_if(lane.drained, [&](const auto& kept) { return !LaneTable::knows(lane, kept.header.context); });
    lane.drained_limit = std::max(lane.drained_limit, 2 * lane.drained.size());
  }
  try {
    lane.spare.reserve(Lane::kMostSpare);
    DrainedMessage kept;
    if (!lane.spare.empty()) {
      kept = std::move(lane.spare.back());
      lane.spare.pop_back();
    }
    if (kept.room < found.header.bytes) {
      kept.room = std::bit_ceil(found.header.bytes);
      kept.data = std::make_unique_for_overwrite<std::byte[]>(kept.room);
    }
    kept.header = found.header;
    if (!found.header.failed && found.header.bytes > 0) std::memcpy(kept.data.get(), found.data, found.header.bytes);
    lane.drained.push_back(std::move(kept));
  } catch (const std::bad_alloc&) {
    return false;
  }
  lane.receiver->pop();
  return true;
}

auto find_drained(Lane& lane, std::uint64_t context, std::uint32_t tag) noexcept {
  return std::ranges::find_if(
      lane.drained, [&](const auto& kept) { return kept.header.context == context && kept.header.tag == tag; });
}

void forget_drained(Lane& lane, decltype(Lane::drained)::iterator at) noexcept {
  if (at->room <= Lane::kLongestSpare && lane.spare.size() < Lane::kMostSpare)
    lane.spare.push_back(std::move(*at));  // drain() has reserved memory for it
  lane.drained.erase(at);
}

[[nodiscard]] std::uint32_t tag_of(const Message& message) noexcept { return static_cast<std::uint32_t>(message.tag); }

}  // namespace

void LaneTransport::reserve(std::size_t messages) {
  const std::size_t room = reserved_ + messages;
  const auto make_room = [room](auto& list) {
    if (list.capacity() < room) list.reserve(std::max(room, 2 * list.capacity()));
  };
  make_room(awaited_);
  make_room(lanes_);
  make_room(done_);
  make_room(completions_);
  reserved_ = room;
}

[[gnu::hot]] bool LaneTransport::send(Execution& execution, const Message& message, bool failed) noexcept {
  const LaneTable::Way& way = (*execution.lanes())[message.peer];
  LaneSender<>& sender = *way.lane->sender;
  const auto bytes = failed ? 0U : static_cast<std::uint32_t>(message.size);
  std::byte* const to = sender.try_reserve(bytes);
  if (to == nullptr) [[unlikely]] {
    way.lane->detours_there->store(++way.lane->detours_sent, std::memory_order_relaxed);  // relaxed: a hint
    return false;
  }
  if (failed) {
    // A message that stands for a failed one has no data.
  } else if (message.scattered == 0) {
    copy_bytes(to, message.address, bytes);
  } else {
    const LaneCopy& copy = execution.lane_copy(message);
    pack_for_another_core(copy.program.runs(), copy.base(message), to, bytes);
  }
  sender.publish({way.context, tag_of(message), bytes, failed});
  done_.push_back({&execution, message.task, MPI_SUCCESS});
  return true;
}

[[gnu::hot]] void LaneTransport::receive(Execution& execution, const Message& message) noexcept {
  const LaneTable::Way& way = (*execution.lanes())[message.peer];
  Lane& lane = *way.lane;
  if (!lane.drained.empty()) {
    if (const auto at = find_drained(lane, way.context, tag_of(message)); at != lane.drained.end()) {
      done_.push_back({&execution, message.task, arrive(execution, message, at->header, at->data.get())});
      forget_drained(lane, at);
      return;
    }
  }
  add({&execution, &message, &lane, way.context, lane.last_awaited, Lane::kNone});
}

[[gnu::hot]] void LaneTransport::add(const Entry& entry) noexcept {
  const auto place = static_cast<std::uint32_t>(awaited_.size());
  Lane& lane = *entry.lane;
  if (lane.last_awaited != Lane::kNone) {
    awaited_[lane.last_awaited].after = place;
  } else {
    lane.first_awaited = place;
    if (!std::exchange(lane.is_looked_at, true)) lanes_.push_back(&lane);
  }
  lane.last_awaited = place;
  awaited_.push_back(entry);
}

[[gnu::hot]] void LaneTransport::remove(std::uint32_t place) noexcept {
  const auto link = [this](const Entry& entry, std::uint32_t before, std::uint32_t after) {
    (entry.before == Lane::kNone ? entry.lane->first_awaited : awaited_[entry.before].after) = after;
    (entry.after == Lane::kNone ? entry.lane->last_awaited : awaited_[entry.after].before) = before;
  };
  link(awaited_[place], awaited_[place].before, awaited_[place].after);
  const auto last = static_cast<std::uint32_t>(awaited_.size() - 1);
  if (place != last) {
    link(awaited_[last], place, place);
    awaited_[place] = awaited_[last];
  }
  awaited_.pop_back();
}

[[gnu::hot]] std::uint32_t LaneTransport::find(const Lane& lane, const LaneHeader& header) const noexcept {
  std::uint32_t place = lane.first_awaited;
  while (place != Lane::kNone) {
    const Entry& entry = awaited_[place];
    if (entry.context == header.context && tag_of(*entry.message) == header.tag) break;
    place = entry.after;
  }
  return place;
}

/// Fails all receives that wait at a lane that was overwritten, because their messages will never come.
[[gnu::cold]] void LaneTransport::fail_awaited(Lane& lane) noexcept {
  log(LogLevel::error, "memory that is shared with rank ", awaited_[lane.first_awaited].message->peer,
      " of a communicator was overwritten, by this program or by that rank's: messages in it are lost");
  while (lane.first_awaited != Lane::kNone) {
    const Entry& entry = awaited_[lane.first_awaited];
    completions_.push_back({entry.execution, entry.message->task, MPI_ERR_INTERN});
    remove(lane.first_awaited);
  }
}

[[gnu::hot]] void LaneTransport::look_into(Lane& lane) noexcept {
  while (lane.first_awaited != Lane::kNone) {
    const auto found = lane.receiver->peek();
    if (!found) {
      if (lane.receiver->is_overwritten()) [[unlikely]]
        fail_awaited(lane);
      return;
    }
    const std::uint32_t place = find(lane, found->header);
    if (place == Lane::kNone) [[unlikely]] {
      if (!drain(lane, *found)) return;
      continue;
    }
    const Entry& entry = awaited_[place];
    completions_.push_back(
        {entry.execution, entry.message->task, arrive(*entry.execution, *entry.message, found->header, found->data)});
    lane.receiver->pop();
    remove(place);
  }
}

[[gnu::hot]] std::span<const Completion> LaneTransport::poll() noexcept {
  completions_.clear();
  completions_.swap(done_);
  for (std::size_t i = 0; i < lanes_.size();) {
    Lane& lane = *lanes_[i];
    look_into(lane);
    if (lane.first_awaited == Lane::kNone) {
      lane.is_looked_at = false;
      lanes_[i] = lanes_.back();
      lanes_.pop_back();
    } else {
      ++i;
    }
  }
  return completions_;
}

void LaneTransport::abandon(const Execution& execution) noexcept {
  for (std::uint32_t place = 0; place < awaited_.size();) {
    if (awaited_[place].execution == &execution)
      remove(place);
    else
      ++place;
  }
  std::erase_if(lanes_, [](Lane* lane) {
    lane->is_looked_at = lane->first_awaited != Lane::kNone;
    return !lane->is_looked_at;
  });
  const auto is_of_it = [&](const Completion& it) { return it.execution == &execution; };
  std::erase_if(done_, is_of_it);
  std::erase_if(completions_, is_of_it);
}

std::optional<LaneTransport::Awaited> LaneTransport::next_in_turn(Those those) noexcept {
  for (std::size_t left = awaited_.size(); left > 0; --left) {
    turn_ = turn_ + 1 < awaited_.size() ? turn_ + 1 : 0;
    const Entry& entry = awaited_[turn_];
    const Lane& lane = *entry.lane;
    // relaxed: a hint
    if (those == Those::all || lane.detours_found != lane.detours_here->load(std::memory_order_relaxed))
      return Awaited{entry.execution, entry.message};
  }
  return std::nullopt;
}

void LaneTransport::take_away_last_in_turn(std::int64_t bytes) noexcept {
  const Entry& entry = awaited_[turn_];
  Lane& lane = *entry.lane;
  // A message that is too long for a lane was never meant for the lane, and its sender has not counted it as a detour.
  const bool is_detour = bytes <= (*entry.execution->lanes())[entry.message->peer].longest_received;
  // relaxed: a hint
  if (is_detour && lane.detours_found != lane.detours_here->load(std::memory_order_relaxed)) ++lane.detours_found;
  remove(turn_);
}

std::optional<LaneHeader> LaneTransport::find_stray(const Execution& execution, const Message& message) noexcept {
  const LaneTable::Way& way = (*execution.lanes())[message.peer];
  Lane& lane = *way.lane;
  while (const auto found = lane.receiver->peek()) {
    if (find(lane, found->header) != Lane::kNone) break;  // the next pass delivers it
    if (!drain(lane, *found)) break;
  }
  const auto at = find_drained(lane, way.context, tag_of(message));
  if (at == lane.drained.end()) return std::nullopt;
  return at->header;
}

void LaneTransport::take_stray(const Execution& execution, const Message& message) noexcept {
  const LaneTable::Way& way = (*execution.lanes())[message.peer];
  forget_drained(*way.lane, find_drained(*way.lane, way.context, tag_of(message)));
}

InFlight LaneTransport::in_flight_at(std::size_t place) const noexcept {
  if (place < awaited_.size()) return {awaited_[place].execution, awaited_[place].message->task};
  place -= awaited_.size();
  return {done_[place].execution, done_[place].task};
}

}  // namespace rondo::internal
