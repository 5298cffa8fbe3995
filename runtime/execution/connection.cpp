#include "runtime/execution/connection.hpp"

#include "datatypes/copying/copy_program.hpp"
#include "runtime/execution/execution.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace rondo::internal {
namespace {

/// All shared memory that this process has a part in.
struct ProcessMemory {
  std::mutex mutex;
  SegmentSpace own;
  PartnerSegments partners;
};

ProcessMemory& process_memory() {
  // Never destroyed: partners may still write into it, and a child after fork() does not have it to unmap.
  static auto& all = *new ProcessMemory;
  return all;
}

SharedWord* word_at(std::byte* region, std::size_t offset) noexcept {
  return reinterpret_cast<SharedWord*>(region + offset);
}

/// The words that say what lies in the two slots.
template <typename Word>
std::array<Word*, 2> words_of(std::byte* region, const PlannedMessage& message) noexcept {
  const std::size_t first = message.slot + message.slot_size - sizeof(SharedWord);
  return {word_at(region, first), word_at(region, first + message.slot_size)};
}

template <typename Byte>
std::array<Byte*, 2> slots_of(std::byte* region, const PlannedMessage& message) noexcept {
  return {region + message.slot, region + message.slot + message.slot_size};
}

/// One end of a message in the user's memory: where it begins, and its layout from there if it is not one piece.
struct Place {
  Place(const Execution& execution, const Message& message) : address(message.address) {
    const Layout* scattered = execution.layout_of(message);
    if (scattered == nullptr) return;
    if (address != nullptr) {
      layout = *scattered;
    } else {  // absolute addresses: from the first of them on
      const std::int64_t first = scattered->true_begin();
      address = reinterpret_cast<std::byte*>(static_cast<std::intptr_t>(first));
      layout.append(*scattered, -first);
    }
    is_scattered = true;
  }
  std::byte* address;
  Layout layout;
  bool is_scattered = false;
};

}  // namespace

Connection::Connection(const Execution& execution, int rank, SharedMemory use) {
  std::vector<SlotPlan> plans = plan_slots(execution.schedule(), rank);
  for (const SlotPlan& plan : plans) add_ends(execution, plan);
  partners_.resize(plans.size());
  pairs_.resize(plans.size());
  requests_.resize(2 * plans.size(), MPI_REQUEST_NULL);
  const NodeCard node = own_node_card(use);
  std::size_t first_send = 0;
  std::size_t first_receive = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Partner& partner = partners_[i];
    partner.rank = plans[i].peer;
    partner.own.node = node;
    partner.own.longest = kLongestInSlot;
    Pair& pair = pairs_[i];
    pair.first_send = first_send;
    pair.first_receive = first_receive;
    first_send += plans[i].sends.messages.size();
    first_receive += plans[i].receives.messages.size();
    pair.closed.reserve(1);
    pair.plan = std::move(plans[i]);
  }
  if (use == SharedMemory::off) return;
  try {
    take_regions();
  } catch (const std::bad_alloc&) {
    give_back_regions();  // which nobody knows yet
    throw;
  }
}

void Connection::take_regions() {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    PlannedDirection& receives = pair.plan.receives;
    if (receives.region_size == 0) continue;
    auto region = process.own.take(receives.region_size);
    if (!region) note(region.refusal().text(), false);
    // Short messages gain most, and need least.
    for (const std::int64_t longest : {16384, 1024}) {
      if (region) break;
      place(receives, longest);
      if (receives.region_size == 0) break;
      region = process.own.take(receives.region_size);
      if (region) partners_[i].own.longest = longest;
    }
    if (!region) continue;
    pair.region = *region;
    Offer& offer = partners_[i].own;
    offer.segment = process.own.card(region->segment);
    offer.region = region->offset;
    offer.has_region = 1;
    offer.receive_print = receives.print;
  }
}

void Connection::give_back_regions() noexcept {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (Pair& pair : pairs_) {
    if (pair.region.data != nullptr) process.own.give_back(std::exchange(pair.region, {}), std::move(pair.closed));
  }
}

/// Compiles what is copied at this end of the messages; the slots are not known yet.
void Connection::add_ends(const Execution& execution, const SlotPlan& plan) {
  const auto compile = [&](const Place& place, bool packs) {
    if (!place.is_scattered) return;
    CopyProgram& program = programs_.emplace_back();
    const Layout packed = Layout::contiguous(place.layout.size());
    if (packs)
      program.append(place.layout, 0, packed, 0);
    else
      program.append(packed, 0, place.layout, 0);
  };
  const auto last_program = [&](const Place& place) {
    return place.is_scattered ? programs_.back().runs() : std::span<const CopyRun>();
  };
  for (const PlannedMessage& message : plan.sends.messages) {
    const Place place(execution, execution.message(message.number));
    compile(place, true);
    sends_.push_back({{.slots = {{}, nullptr}, .data = {}, .source = place.address, .program = last_program(place)},
                      message.number,
                      false});
  }
  for (const PlannedMessage& message : plan.receives.messages) {
    const Place place(execution, execution.message(message.number));
    compile(place, false);
    receives_.push_back({{.slots = {{}, nullptr}, .data = {}, .target = place.address, .program = last_program(place)},
                         message.number,
                         false});
  }
}

Connection::~Connection() {
  for (const Pair& pair : pairs_) {
    // release: after the last access to the region
    if (pair.target != nullptr) word_at(pair.target, 0)->store(1, std::memory_order_release);
  }
  give_back_regions();
}

void Connection::reclaim() noexcept {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  process.own.reclaim();
}

void Connection::answer() noexcept {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Partner& partner = partners_[i];
    Pair& pair = pairs_[i];
    partner.own_answer = 0;
    const Offer& theirs = partner.theirs;
    if (theirs.has_region == 0) continue;
    if (theirs.longest != kLongestInSlot) place(pair.plan.sends, theirs.longest);
    if (theirs.receive_print != pair.plan.sends.print) continue;
    try {
      if (const Sharing found = sharing(partner.own.node, theirs.node); found != Sharing::possible) {
        note(reason(found), found == Sharing::off || found == Sharing::odd_pair || found == Sharing::other_node ||
                                found == Sharing::other_node_name);
        continue;
      }
      auto segment = process.partners.map(theirs.node, theirs.segment);
      if (!segment) {
        note(segment.refusal().text(), false);
        continue;
      }
      const std::size_t size = segment->size();
      if (theirs.region > size || size - theirs.region < pair.plan.sends.region_size) continue;
      pair.target = segment->data() + theirs.region;
      partner.own_answer = 1;
    } catch (const std::bad_alloc&) {
      // Without memory for it there is no channel.
    }
  }
}

void Connection::settle() noexcept {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    if (pair.target != nullptr) open_sends(pair);
    if (pair.region.data == nullptr) continue;
    if (partners_[i].their_answer != 0) {
      pair.closed.push_back(word_at(pair.region.data, 0));
      open_receives(pair);
    } else {  // nobody has it
      ProcessMemory& process = process_memory();
      const std::scoped_lock lock(process.mutex);
      process.own.give_back(std::exchange(pair.region, {}), {});
    }
  }
}

void Connection::open_sends(Pair& pair) noexcept {
  for (std::size_t k = 0; k < pair.plan.sends.messages.size(); ++k) {
    const PlannedMessage& message = pair.plan.sends.messages[k];
    if (!message.has_slot) continue;
    Sending& sending = sends_[pair.first_send + k];
    const SharedWord* consumed = pair.plan.receives_any ? nullptr : word_at(pair.target, message.consumed);
    sending.channel.slots = SlotSender<>(words_of<SharedWord>(pair.target, message), consumed);
    sending.channel.data = slots_of<std::byte>(pair.target, message);
    sending.open = true;
  }
}

void Connection::open_receives(Pair& pair) noexcept {
  for (std::size_t k = 0; k < pair.plan.receives.messages.size(); ++k) {
    const PlannedMessage& message = pair.plan.receives.messages[k];
    if (!message.has_slot) continue;
    Receiving& receiving = receives_[pair.first_receive + k];
    SharedWord* consumed = pair.plan.sends_any ? nullptr : word_at(pair.region.data, message.consumed);
    receiving.channel.slots = SlotReceiver<>(words_of<const SharedWord>(pair.region.data, message), consumed);
    receiving.channel.data = slots_of<const std::byte>(pair.region.data, message);
    receiving.open = true;
  }
}

void Connection::route(std::span<Route> routes) noexcept {
  for (Sending& sending : sends_) {
    if (sending.open) routes[sending.number].send = &sending.channel;
  }
  for (Receiving& receiving : receives_) {
    if (receiving.open) routes[receiving.number].receive = &receiving.channel;
  }
}

void Connection::note(std::string reason, bool expected) {
  if (std::ranges::find(obstacles_, reason, &Obstacle::reason) == obstacles_.end())
    obstacles_.push_back({std::move(reason), expected});
}

}  // namespace rondo::internal
