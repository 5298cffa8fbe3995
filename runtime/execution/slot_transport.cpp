#include "runtime/execution/slot_transport.hpp"

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/copying/packing.hpp"

#include <algorithm>

namespace rondo::internal {
namespace {

/// Returns whether a send must pack its data: false if another message of this start has packed the same published
/// data.
bool must_pack(SendChannel& channel) noexcept {
  return channel.published == nullptr || channel.published->is_first_in(channel.slots.start());
}

[[gnu::hot]] void fill_slot(const Message& message, SendChannel& channel, bool failed) noexcept {
  if (!failed && must_pack(channel)) [[likely]] {
    std::byte* slot = channel.data[channel.slots.slot()];
    if (channel.program.empty())
      copy_bytes(slot, channel.source, static_cast<std::size_t>(message.size));
    else
      pack_for_another_core(channel.program.of_start(channel.slots.start()), channel.source, slot, message.size);
  }
  channel.slots.publish(failed);
}

[[gnu::hot]] void empty_slot(const Message& message, ReceiveChannel& channel, SlotState arrival) noexcept {
  if (arrival == SlotState::whole) [[likely]] {
    if (channel.stays) {
      channel.held = true;
      return;
    }
    const std::byte* slot = channel.data[channel.slots.slot()];
    if (channel.program.empty())
      copy_bytes(channel.target, slot, static_cast<std::size_t>(message.size));
    else
      run_copies(channel.program, slot, channel.target);
  }
  channel.slots.give_back();
}

}  // namespace

void SlotTransport::reserve(std::size_t messages) {
  const std::size_t room = reserved_ + messages;
  const auto make_room = [room](auto& list) {
    if (list.capacity() < room) list.reserve(std::max(room, 2 * list.capacity()));
  };
  make_room(awaited_);
  make_room(sent_);
  make_room(completions_);
  make_room(ahead_);
  claims_.reserve(awaited_.capacity());
  reserved_ = room;
}

[[gnu::hot]] void SlotTransport::send(Execution& execution, const Message& message, SendChannel& channel,
                                      bool failed) noexcept {
  fill_slot(message, channel, failed);
  if (channel.slots.may_fill()) [[likely]]
    sent_.push_back({&execution, message.task, MPI_SUCCESS});
  else
    ahead_.push_back({&execution, message.task, &channel});
}

[[gnu::hot]] void SlotTransport::look_for_arrivals() noexcept {
  for (std::size_t i = 0; i < awaited_.size();) {
    const Awaited& it = awaited_[i];
    const SlotState arrival = it.channel->slots.look();
    if (arrival == SlotState::none) {
      ++i;
      continue;
    }
    empty_slot(*it.message, *it.channel, arrival);
    completions_.push_back(
        {it.execution, it.message->task, arrival == SlotState::whole ? MPI_SUCCESS : kPartnerFailed});
    awaited_[i] = awaited_.back();
    awaited_.pop_back();
  }
}

void SlotTransport::look_for_free_slots() noexcept {
  std::erase_if(ahead_, [this](const Sent& it) {
    if (!it.channel->slots.may_fill()) return false;
    completions_.push_back({it.execution, it.task, MPI_SUCCESS});
    return true;
  });
}

[[gnu::hot]] std::span<const Completion> SlotTransport::poll() noexcept {
  completions_.clear();
  completions_.swap(sent_);
  look_for_arrivals();
  if (!ahead_.empty()) [[unlikely]]
    look_for_free_slots();
  if (claims_.in_flight() > 0) claims_.poll(completions_);
  return completions_;
}

bool SlotTransport::abandon(const Execution& execution) noexcept {
  const auto is_of_it = [&](const auto& it) { return it.execution == &execution; };
  std::erase_if(awaited_, is_of_it);
  std::erase_if(ahead_, is_of_it);
  std::erase_if(sent_, is_of_it);
  std::erase_if(completions_, is_of_it);
  return claims_.abandon(execution);
}

InFlight SlotTransport::in_flight_at(std::size_t place) const noexcept {
  if (place < awaited_.size()) return {awaited_[place].execution, awaited_[place].message->task};
  place -= awaited_.size();
  if (place < ahead_.size()) return {ahead_[place].execution, ahead_[place].task};
  place -= ahead_.size();
  if (place >= sent_.size()) return claims_.in_flight_at(place - sent_.size());
  return {sent_[place].execution, sent_[place].task};
}

}  // namespace rondo::internal
