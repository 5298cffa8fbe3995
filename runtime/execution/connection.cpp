#include "runtime/execution/connection.hpp"

#include "datatypes/copying/copy_program.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/execution/message_place.hpp"
#include "runtime/lanes/process_memory.hpp"
#include "runtime/routes/same_data.hpp"
#include "runtime/shared_memory/region_closing.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

SharedWord* word_at(std::byte* region, std::size_t offset) noexcept {
  return reinterpret_cast<SharedWord*>(region + offset);
}

/// Returns the words that say what lies in the slots of a message.
template <typename Word>
OfSlots<Word> words_of(std::byte* region, const PlannedMessage& message) noexcept {
  return {word_at(region, message.slot + message.slot_size - sizeof(SharedWord)),
          static_cast<std::ptrdiff_t>(message.slot_size / sizeof(SharedWord))};
}

template <typename Byte>
OfSlots<Byte> slots_of(std::byte* region, const PlannedMessage& message) noexcept {
  return {region + message.slot, static_cast<std::ptrdiff_t>(message.slot_size)};
}

/// Returns two buffers of published data as the memory of slots.
template <typename Byte>
OfSlots<Byte> slots_of(const std::array<Byte*, 2>& buffers) noexcept {
  return {buffers[0], buffers[1] - buffers[0]};
}

}  // namespace

Connection::Connection(const Execution& execution, int rank, SharedMemory use, const ShortestMessages& shortest,
                       std::span<const std::int64_t> nodes) {
  static_cast<void>(process_memory());  // this may throw, and process_memory() is used later in functions that must not
  std::vector<SlotPlan> plans = plan_slots(execution.schedule(), rank);
  for (const SlotPlan& plan : plans) add_ends(execution, plan);
  partners_.resize(plans.size());
  pairs_.resize(plans.size());
  requests_.resize(2 * plans.size(), MPI_REQUEST_NULL);
  auto claimable = claimable_messages(execution, rank, AllocatedMemory::process(), shortest.claimed);
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
    if (const auto found = claimable.find(partner.rank); found != claimable.end()) {
      claims_ += found->second.size();
      pair.claims.emplace(std::move(found->second));
    }
    pair.plan = std::move(plans[i]);
  }
  if (use == SharedMemory::off) return;
  // Returns the number of a rank's node; 0 if it is not known.
  const auto node_of = [&](int of) { return nodes.empty() ? 0 : nodes[static_cast<std::size_t>(of)]; };
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const std::int64_t node_of_partner = node_of(partners_[i].rank);
    pairs_[i].is_elsewhere = node_of_partner != 0 && node_of(rank) != 0 && node_of_partner != node_of(rank);
  }
  find_common_data(execution.schedule(), shortest.published);
  try {
    take_regions();
  } catch (const std::bad_alloc&) {
    give_back_regions();  // no partner knows the regions yet
    throw;
  }
}

/// Finds the messages whose data may be published: the receivers must report by messages that they have read the data.
void Connection::find_common_data(const Schedule& schedule, std::int64_t shortest) {
  std::map<std::uint32_t, Publisher::Reader> readers;
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const SlotPlan& plan = pairs_[i].plan;
    if (!plan.receives_any || pairs_[i].is_elsewhere) continue;
    for (std::size_t k = 0; k < plan.sends.messages.size(); ++k) {
      const PlannedMessage& message = plan.sends.messages[k];
      if (message.bytes < shortest) continue;
      numbers.push_back(message.number);
      readers.emplace(message.number, Publisher::Reader{i, k});
    }
  }
  for (const SameData& group : same_data(schedule, numbers)) {
    std::vector<Publisher::Reader> of_group;
    for (const std::uint32_t number : group) of_group.push_back(readers.at(number));
    publisher_.add(schedule.tasks()[schedule.messages()[group.front()]].bytes, std::move(of_group));
  }
}

void Connection::take_regions() {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    if (pair.is_elsewhere) continue;
    if (pair.claims) {
      if (const auto refusal = pair.claims->offer(process.own, partners_[i].own.claims)) note(refusal->text(), false);
    }
    PlannedDirection& receives = pair.plan.receives;
    if (receives.region_size == 0) continue;
    auto region = process.own.take(receives.region_size);
    if (!region) note(region.refusal().text(), false);
    // If memory is short: short messages gain most from slots, and need least memory.
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
  if (const auto refusal = publisher_.offer(process.own, pairs_.size())) note(refusal->text(), false, false);
  for (std::size_t i = 0; i < pairs_.size(); ++i) partners_[i].own.published = publisher_.offer_to(i);
}

void Connection::give_back_regions() noexcept {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (Pair& pair : pairs_) {
    if (pair.claims) pair.claims->close(process.own);
    if (pair.region.data != nullptr) process.own.give_back(std::exchange(pair.region, {}), std::move(pair.closed));
  }
  publisher_.close(process.own);
}

/// Compiles the copies at this end of the messages; the slots are not known yet.
void Connection::add_ends(const Execution& execution, const SlotPlan& plan) {
  const auto compile = [&](const MessagePlace& place, bool packs) {
    if (!place.is_scattered) return;
    CopyProgram& program = programs_.emplace_back();
    const Layout packed = Layout::contiguous(place.layout.size());
    if (packs)
      program.append(place.layout, 0, packed, 0);
    else
      program.append(packed, 0, place.layout, 0);
    program.finish();
  };
  const auto last_program = [&](const MessagePlace& place) {
    return place.is_scattered ? programs_.back().runs() : std::span<const CopyRun>();
  };
  for (const PlannedMessage& message : plan.sends.messages) {
    const MessagePlace place(execution, execution.message(message.number));
    compile(place, true);
    sends_.push_back(
        {{.slots = {}, .data = {}, .source = place.address, .program = last_program(place)}, message.number, false});
  }
  for (const PlannedMessage& message : plan.receives.messages) {
    const MessagePlace place(execution, execution.message(message.number));
    compile(place, false);
    receives_.push_back(
        {{.slots = {}, .data = {}, .target = place.address, .program = last_program(place)}, message.number, false});
  }
}

Connection::~Connection() {
  for (Pair& pair : pairs_) {
    if (pair.target != nullptr) close_region(*word_at(pair.target, 0));
    pair.published.close();
  }
  give_back_regions();
}

void Connection::reclaim() noexcept {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  process.own.reclaim();
}

bool Connection::may_share(const Partner& partner) {
  const Sharing found = sharing(partner.own.node, partner.theirs.node);
  if (found == Sharing::possible) return true;
  note(reason(found), found == Sharing::off || found == Sharing::odd_pair || found == Sharing::other_node ||
                          found == Sharing::other_node_name);
  return false;
}

void Connection::answer() noexcept {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Partner& partner = partners_[i];
    Pair& pair = pairs_[i];
    partner.own_answer = 0;
    try {
      answer_slots(partner, pair);
    } catch (const std::bad_alloc&) {
      // Without memory there is no channel.
    }
    try {
      answer_published(partner, pair);
    } catch (const std::bad_alloc&) {
      // Without memory for the table the data are read in slots.
    }
    if (!pair.claims || partner.theirs.claims.bytes == 0) continue;
    try {
      if (!may_share(partner)) continue;
      const auto refusal = pair.claims->answer(partner.theirs.node, partner.theirs.claims, process.partners);
      if (refusal) note("arrays: " + refusal->text(), false);
    } catch (const std::bad_alloc&) {
      // Without memory the messages that were not found by then are not claimed.
    }
    if (pair.claims->reads()) partner.own_answer |= kReadsClaims;
  }
}

/// Leaves long messages to MPI between processes whose cores share no cache. `longest`: of those that have a place.
void Connection::leave_long_to_mpi(PlannedDirection& direction, std::int64_t longest) {
  place(direction, std::min(longest, kLongestBetweenCaches));
  const auto loses_its_place = [&](const PlannedMessage& message) {
    return !message.has_slot && message.bytes <= longest;
  };
  if (std::ranges::any_of(direction.messages, loses_its_place))
    note("for messages of more than " + std::to_string(kLongestBetweenCaches) +
             " bytes, because their cores share no cache",
         true);
}

void Connection::answer_slots(Partner& partner, Pair& pair) {
  const Offer& theirs = partner.theirs;
  const bool is_near = share_cache(partner.own.node, theirs.node);
  if (!is_near) leave_long_to_mpi(pair.plan.receives, partner.own.longest);
  if (theirs.has_region == 0) return;
  place(pair.plan.sends, theirs.longest);
  if (theirs.receive_print != pair.plan.sends.print) return;
  if (!may_share(partner)) return;
  if (!is_near) leave_long_to_mpi(pair.plan.sends, theirs.longest);
  if (pair.plan.sends.region_size == 0) return;
  auto segment = process_memory().partners.map(theirs.node, theirs.segment);
  if (!segment) {
    note(segment.refusal().text(), false);
    return;
  }
  const std::size_t size = segment->size();
  if (theirs.region > size || theirs.region % kCacheLine != 0 || size - theirs.region < pair.plan.sends.region_size)
    return;
  pair.target = segment->data() + theirs.region;
  partner.own_answer |= kWritesToSlots;
}

void Connection::answer_published(Partner& partner, Pair& pair) {
  if (partner.theirs.published.entries == 0 || pair.region.data == nullptr) return;
  if (pair.plan.receives.region_size == 0 || !may_share(partner)) return;
  const auto refusal = pair.published.answer(partner.theirs.node, partner.theirs.published, pair.plan.receives.messages,
                                             process_memory().partners);
  if (refusal) note(refusal->text(), false, false);
  if (pair.published.reads()) partner.own_answer |= kReadsPublished;
}

void Connection::settle() noexcept {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    if ((partners_[i].their_answer & kReadsPublished) != 0) publisher_.read_by(i);
    if (pair.claims) pair.claims->settle((partners_[i].their_answer & kReadsClaims) != 0);
    if (pair.target != nullptr) open_sends(pair);
    if (pair.region.data == nullptr) continue;
    if ((partners_[i].their_answer & kWritesToSlots) != 0) {
      pair.closed.push_back(word_at(pair.region.data, 0));
      open_receives(pair);
    } else {  // the partner does not use the region
      ProcessMemory& process = process_memory();
      const std::scoped_lock lock(process.mutex);
      process.own.give_back(std::exchange(pair.region, {}), {});
    }
  }
  open_published();
}

void Connection::open_sends(Pair& pair) noexcept {
  for (std::size_t k = 0; k < pair.plan.sends.messages.size(); ++k) {
    const PlannedMessage& message = pair.plan.sends.messages[k];
    if (!message.has_slot) continue;
    Sending& sending = sends_[pair.first_send + k];
    const SharedWord* consumed = pair.plan.receives_any ? nullptr : word_at(pair.target, message.consumed);
    sending.channel.slots = SlotSender<>(words_of<SharedWord>(pair.target, message), message.slots, consumed);
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
    receiving.channel.slots =
        SlotReceiver<>(words_of<const SharedWord>(pair.region.data, message), message.slots, consumed);
    receiving.channel.data = slots_of<const std::byte>(pair.region.data, message);
    receiving.open = true;
  }
}

/// Sets the places of published data in the open channels. Both ends know which messages have such data.
void Connection::open_published() noexcept {
  for (const Pair& pair : pairs_) {
    for (const auto& [message, data] : pair.published.places())
      receives_[pair.first_receive + message].channel.data = slots_of(data);
  }
  publisher_.for_each_read([&](const Publisher::Reader& reader, PublishedData& data) {
    SendChannel& channel = sends_[pairs_[reader.partner].first_send + reader.message].channel;
    channel.data = slots_of(data.buffers);
    channel.published = &data;
  });
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  publisher_.settle(process.own);
}

void Connection::route(std::span<Route> routes) noexcept {
  for (Sending& sending : sends_) {
    if (sending.open) routes[sending.number].send = &sending.channel;
  }
  for (Receiving& receiving : receives_) {
    if (receiving.open) routes[receiving.number].receive = &receiving.channel;
  }
  for (Pair& pair : pairs_) {
    if (!pair.claims) continue;
    pair.claims->for_each_claimed([&](std::uint32_t number, ClaimChannel& channel) {
      routes[number].send = nullptr;
      routes[number].receive = nullptr;
      routes[number].claim = &channel;
    });
  }
}

std::size_t Connection::claimed() const noexcept {
  std::size_t all = 0;
  for (const Pair& pair : pairs_) all += pair.claims ? pair.claims->claimed() : 0;
  return all;
}

void Connection::note(std::string reason, bool expected, bool takes_mpi) {
  const auto known = std::ranges::find(obstacles_, reason, &Obstacle::reason);
  if (known == obstacles_.end())
    obstacles_.push_back({std::move(reason), expected, takes_mpi});
  else
    known->takes_mpi |= takes_mpi;
}

}  // namespace rondo::internal
