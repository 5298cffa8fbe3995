#include "tests/support/slotted_network.hpp"

#include "runtime/routes/slot_plan.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rondo::internal {
namespace {

constexpr std::int64_t kShortestHere = 1;  ///< of messages that may be claimed: those of cases are short

Connection::Partner* partner_of(Execution& execution, int rank) {
  const std::span<Connection::Partner> partners = execution.connection()->partners();
  const auto found = std::ranges::find(partners, rank, &Connection::Partner::rank);
  return found == partners.end() ? nullptr : &*found;
}

}  // namespace

SlottedNetwork::SlottedNetwork(LoopbackNetwork& network)
    : network_(network),
      shared_(2 + network.draw(3)),
      claimed_(2 * network.draw(3)),
      word_odds_(std::size_t{1} << (2 * network.draw(3))),
      count_odds_(std::size_t{1} << (2 * network.draw(4))),
      moves_(1 + network.draw(2) * static_cast<std::size_t>(network.ranks())),
      of_rank_(static_cast<std::size_t>(network.ranks())),
      empty_polls_(static_cast<std::size_t>(network.ranks())) {
  for (int rank = 0; rank < network.ranks(); ++rank)
    transports_.push_back(std::make_unique<NodeTransport<LoopbackTransport>>(network.transport(rank)));
}

SharedWord& SlottedNetwork::word(Line& line, std::size_t slot, bool of_receiver) {
  auto* const slots = of_receiver ? line.slots : reinterpret_cast<std::byte*>(line.copy.get());
  return *reinterpret_cast<SharedWord*>(slots + (slot + 1) * line.slot_size - sizeof(SharedWord));
}

void SlottedNetwork::connect(std::span<Execution* const> of_ranks) {
  const auto ranks = static_cast<int>(of_ranks.size());
  const auto execution_of = [&](int rank) -> Execution& { return *of_ranks[static_cast<std::size_t>(rank)]; };
  for (int rank = 0; rank < ranks; ++rank) {
    execution_of(rank).prepare_connection(
        std::make_unique<Connection>(execution_of(rank), rank, SharedMemory::on, kShortestHere));
  }
  const auto for_each_partner = [&](auto visit) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (Connection::Partner& partner : execution_of(rank).connection()->partners())
        visit(partner, *partner_of(execution_of(partner.rank), rank));
    }
  };
  for_each_partner([&](Connection::Partner& own, const Connection::Partner& other) {
    own.theirs = other.own;
    if (network_.draw(4) >= shared_) own.theirs.has_region = 0;
    if (network_.draw(4) >= claimed_) own.theirs.claims.bytes = 0;
  });
  for (Execution* execution : of_ranks) execution->connection()->answer();
  for_each_partner(
      [&](Connection::Partner& own, const Connection::Partner& other) { own.their_answer = other.own_answer; });
  for (Execution* execution : of_ranks) {
    execution->connection()->settle();
    execution->take_channels();
    claims_ += execution->connection()->claimed();
  }
  for (int sender = 0; sender < ranks; ++sender) {
    for (const Connection::Partner& partner : execution_of(sender).connection()->partners())
      connect_pair(execution_of(sender), sender, execution_of(partner.rank), partner.rank);
  }
}

/// Puts copies in the place of what the sender has mapped.
void SlottedNetwork::connect_pair(Execution& from, int sender, Execution& to, int receiver) {
  std::vector<Route> sends(from.schedule().messages().size());
  std::vector<Route> receives(to.schedule().messages().size());
  from.connection()->route(sends);
  to.connection()->route(receives);
  for (const SlotPlan& plan : plan_slots(to.schedule(), receiver)) {
    if (plan.peer != sender) continue;
    for (const PlannedMessage& planned : plan.receives.messages) {
      const ReceiveChannel* receive = receives[planned.number].receive;
      if (receive == nullptr) continue;
      const int tag = to.message(planned.number).tag;
      for (std::uint32_t number = 0; number < sends.size(); ++number) {
        const Message& message = from.message(number);
        if (sends[number].send == nullptr || message.peer != receiver || message.tag != tag) continue;
        auto* const region = const_cast<std::byte*>(receive->data[0]) - planned.slot;
        auto* const count = plan.sends_any ? nullptr : reinterpret_cast<SharedWord*>(region + planned.consumed);
        add_line(*sends[number].send, *receive, sender, receiver, static_cast<std::size_t>(message.size), count);
      }
    }
  }
}

void SlottedNetwork::add_line(SendChannel& send, const ReceiveChannel& receive, int sender, int receiver,
                              std::size_t bytes, SharedWord* count) {
  Line& line = lines_.emplace_back();
  line.sender = sender;
  line.receiver = receiver;
  line.slot_size = slot_size(bytes);
  line.copy = std::make_unique<SharedWord[]>(2 * line.slot_size / sizeof(SharedWord));
  line.slots = const_cast<std::byte*>(receive.data[0]);
  line.count = count;
  auto* const copy = reinterpret_cast<std::byte*>(line.copy.get());
  send.data = {copy, copy + line.slot_size};
  send.slots =
      SlotSender<>({&word(line, 0, false), &word(line, 1, false)}, count == nullptr ? nullptr : &line.count_copy);
  of_rank_[static_cast<std::size_t>(sender)].push_back(&line);
  of_rank_[static_cast<std::size_t>(receiver)].push_back(&line);
}

/// What a rank has written is under way from now on.
void SlottedNetwork::notice(int rank) {
  for (Line* line : of_rank_[static_cast<std::size_t>(rank)]) {
    for (std::size_t slot = 0; slot < 2; ++slot) {
      Line::Delivery& delivery = line->deliveries[slot];
      if (delivery.under_way || word(*line, slot, false) == word(*line, slot, true)) continue;
      delivery.under_way = true;
      for (std::size_t at = 0; at < line->slot_size; at += kCacheLine) delivery.cache_lines.push_back(at);
      under_way_.push_back({line, slot});
    }
    if (line->count != nullptr && !line->count_under_way && *line->count != line->count_copy) {
      line->count_under_way = true;
      under_way_.push_back({line, kCount});
    }
  }
}

/// A part of it; whether all of it is there now.
bool SlottedNetwork::bring(const News& news) {
  Line& line = *news.line;
  if (news.what == kCount) {
    if (network_.draw(count_odds_) != 0) return false;
    line.count_copy = line.count->load();
    line.count_under_way = false;
    empty_polls_[static_cast<std::size_t>(line.sender)] = 0;
    return true;
  }
  Line::Delivery& delivery = line.deliveries[news.what];
  if (delivery.cache_lines.empty()) {
    if (network_.draw(word_odds_) != 0) return false;
    word(line, news.what, true) = word(line, news.what, false).load();
    delivery.under_way = false;
    empty_polls_[static_cast<std::size_t>(line.receiver)] = 0;
    return true;
  }
  for (std::size_t left = 1 + network_.draw(delivery.cache_lines.size()); left > 0; --left) {
    const std::size_t chosen = network_.draw(delivery.cache_lines.size());
    const std::size_t at = delivery.cache_lines[chosen];
    delivery.cache_lines[chosen] = delivery.cache_lines.back();
    delivery.cache_lines.pop_back();
    const std::size_t bytes = std::min(kCacheLine, line.slot_size - sizeof(SharedWord) - at);
    const std::size_t offset = news.what * line.slot_size + at;
    std::memcpy(line.slots + offset, reinterpret_cast<const std::byte*>(line.copy.get()) + offset, bytes);
  }
  return false;
}

void SlottedNetwork::step(int rank, Did did) {
  if (did == Did::empty_poll) ++empty_polls_[static_cast<std::size_t>(rank)];
  if (did == Did::something) std::ranges::fill(empty_polls_, 0);  // it may have copied what others wait for
  notice(rank);
  for (std::size_t left = network_.draw(moves_ + 1); left > 0 && !under_way_.empty(); --left) {
    const std::size_t chosen = network_.draw(under_way_.size());
    if (!bring(under_way_[chosen])) continue;
    under_way_[chosen] = under_way_.back();
    under_way_.pop_back();
  }
}

bool SlottedNetwork::can_move() const noexcept {
  // Every 32nd pass may look into the network only.
  return !under_way_.empty() || std::ranges::any_of(empty_polls_, [](int empty) { return empty < 2; });
}

}  // namespace rondo::internal
