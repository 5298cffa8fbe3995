#include "tests/support/networks/slotted_network.hpp"

#include "datatypes/copying/copy_program.hpp"
#include "runtime/lanes/process_memory.hpp"
#include "runtime/routes/slot_plan.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace rondo::internal {
namespace {

constexpr ShortestMessages kShortestHere{.claimed = 1, .published = 1};  // those of cases are short

Connection::Partner* partner_of(Execution& execution, int rank) {
  const std::span<Connection::Partner> partners = execution.connection()->partners();
  const auto found = std::ranges::find(partners, rank, &Connection::Partner::rank);
  return found == partners.end() ? nullptr : &*found;
}

/// As its sender has it mapped.
std::byte* region_of(const Offer& offer) {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  return process.partners.map(offer.node, offer.segment)->data() + offer.region;
}

}  // namespace

SlottedNetwork::SlottedNetwork(LoopbackNetwork& network)
    : network_(network),
      shared_(2 + network.draw(3)),
      claimed_(2 * network.draw(3)),
      published_(2 * network.draw(3)),
      word_odds_(std::size_t{1} << (2 * network.draw(3))),
      count_odds_(std::size_t{1} << (2 * network.draw(4))),
      moves_(1 + network.draw(2) * static_cast<std::size_t>(network.ranks())),
      of_rank_(static_cast<std::size_t>(network.ranks())),
      pause_odds_(std::size_t{1} << (2 * network.draw(4))),
      views_of_rank_(static_cast<std::size_t>(network.ranks())),
      copying_(static_cast<std::size_t>(network.ranks())),
      empty_polls_(static_cast<std::size_t>(network.ranks())) {
  for (int rank = 0; rank < network.ranks(); ++rank)
    transports_.push_back(std::make_unique<NodeTransport<LoopbackTransport>>(network.transport(rank)));
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
    if (network_.draw(4) >= published_) own.theirs.published.entries = 0;
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
    for (const Connection::Partner& partner : execution_of(sender).connection()->partners()) {
      connect_pair(execution_of(sender), sender, execution_of(partner.rank), partner.rank);
      connect_claims(execution_of(sender), sender, execution_of(partner.rank), partner.rank);
    }
  }
}

/// Puts copies in the place of what either has mapped.
void SlottedNetwork::connect_pair(Execution& from, int sender, Execution& to, int receiver) {
  std::vector<Route> sends(from.schedule().messages().size());
  std::vector<Route> receives(to.schedule().messages().size());
  from.connection()->route(sends);
  to.connection()->route(receives);
  for (const SlotPlan& plan : plan_slots(to.schedule(), receiver)) {
    if (plan.peer != sender) continue;
    for (const PlannedMessage& planned : plan.receives.messages) {
      ReceiveChannel* receive = receives[planned.number].receive;
      if (receive == nullptr) continue;
      std::byte* const region = region_of(partner_of(to, sender)->own);
      const int tag = to.message(planned.number).tag;
      for (std::uint32_t number = 0; number < sends.size(); ++number) {
        const Message& message = from.message(number);
        if (sends[number].send == nullptr || message.peer != receiver || message.tag != tag) continue;
        SendChannel& send = *sends[number].send;
        const std::size_t slots = planned.slots;
        Line& line = add_line(sender, receiver, static_cast<std::size_t>(message.size), slots);
        const auto bytes = static_cast<std::ptrdiff_t>(line.bytes);
        if (send.published != nullptr) {
          line.from = {send.data.first, send.data.step};
          receive->data = {line.copy.data(), bytes};
        } else {
          line.from = {line.copy.data(), bytes};
        }
        for (std::size_t slot = 0; slot < slots; ++slot) {
          line.words_to[slot] = reinterpret_cast<SharedWord*>(region + planned.slot + (slot + 1) * planned.slot_size -
                                                              sizeof(SharedWord));
          line.to[slot] = const_cast<std::byte*>(receive->data[slot]);
        }
        if (send.published == nullptr) send.data = {line.copy.data(), bytes};
        published_lines_ += send.published != nullptr ? 1 : 0;
        if (!plan.sends_any) line.count = reinterpret_cast<SharedWord*>(region + planned.consumed);
        send.slots = SlotSender<>({line.words_from.data(), 1}, planned.slots,
                                  line.count == nullptr ? nullptr : &line.count_copy);
      }
    }
  }
}

SlottedNetwork::Line& SlottedNetwork::add_line(int sender, int receiver, std::size_t bytes, std::size_t slots) {
  Line& line = lines_.emplace_back();
  line.sender = sender;
  line.receiver = receiver;
  line.bytes = bytes;
  line.slots = slots;
  line.copy.resize(slots * bytes);
  of_rank_[static_cast<std::size_t>(sender)].push_back(&line);
  of_rank_[static_cast<std::size_t>(receiver)].push_back(&line);
  return line;
}

/// Puts a word of its own in the place of each end's.
void SlottedNetwork::connect_claims(Execution& from, int sender, Execution& to, int receiver) {
  std::vector<Route> sends(from.schedule().messages().size());
  std::vector<Route> receives(to.schedule().messages().size());
  from.connection()->route(sends);
  to.connection()->route(receives);
  const auto add_view = [&](Claim& claim, ClaimSide side, int rank, ClaimChannel* channel) {
    View& view = claim.views[side == ClaimSide::sender ? 0 : 1];
    view.claim = &claim;
    view.rank = rank;
    view.channel = channel;
    channel->end = ClaimEnd<>(&view.word, side);
    views_of_rank_[static_cast<std::size_t>(rank)].push_back(&view);
  };
  for (std::uint32_t in = 0; in < receives.size(); ++in) {
    const Message& receive = to.message(in);
    if (receives[in].claim == nullptr || receive.sends != 0 || receive.peer != sender) continue;
    for (std::uint32_t out = 0; out < sends.size(); ++out) {
      const Message& send = from.message(out);
      if (sends[out].claim == nullptr || send.sends == 0 || send.peer != receiver || send.tag != receive.tag) continue;
      Claim& claim = claimed_messages_.emplace_back();
      add_view(claim, ClaimSide::sender, sender, sends[out].claim);
      add_view(claim, ClaimSide::receiver, receiver, receives[in].claim);
    }
  }
}

bool SlottedNetwork::waits_alone(const View& view) noexcept {
  const bool sends = &view == view.claim->views.data();
  const std::uint64_t word = view.word;
  return (word & claim_words::kBoth) == (sends ? claim_words::kSender : claim_words::kReceiver) &&
         (word & claim_words::kOver) == 0;
}

void SlottedNetwork::see(View& view) {
  view.before = view.claim->word;
  view.word = view.before;
}

/// What an end has done to the word, if anything, is so from now on; who waits for it sees it late.
void SlottedNetwork::tell(View& view) {
  if (view.word == view.before) return;
  Claim& claim = *view.claim;
  const std::uint64_t word = view.word;
  if (claim.word == view.before) {
    claim.word = word;
  } else {  // see may_step(): it has come, and does not know yet that the other end has
    claim.word = claim_words::arrived(claim.word, claim_words::start(word), word & claim_words::kBoth,
                                      (word & claim_words::kFailed) != 0);
  }
  view.before = word;
  for (View& end : claim.views) {
    if (end.word != claim.word && waits_alone(end) && !std::exchange(end.late, true)) late_views_.push_back(&end);
  }
}

bool SlottedNetwork::may_step(int rank) {
  View*& copying = copying_[static_cast<std::size_t>(rank)];
  if (copying != nullptr) return false;
  const std::vector<View*>& views = views_of_rank_[static_cast<std::size_t>(rank)];
  for (View* view : views) {
    if (view->word == view->claim->word || waits_alone(*view)) continue;
    // One that comes next may do so before it looks whether the other end has come, and leave the copy to it.
    const bool comes_next = view->word == 0 || (view->word & claim_words::kOver) != 0;
    if (!comes_next || network_.draw(2) == 0) see(*view);
  }
  if (views.empty() || network_.draw(pause_odds_) != 0) return true;
  // As ClaimTransport::poll() does, up to the copy.
  const auto taken = std::ranges::find_if(views, [](View* view) { return view->channel->end.try_take(); });
  if (taken == views.end()) return true;
  copying = *taken;
  tell(*copying);
  ++slow_copies_;
  return false;
}

/// And the rest.
void SlottedNetwork::end_copy(int rank) {
  View& view = *std::exchange(copying_[static_cast<std::size_t>(rank)], nullptr);
  ClaimChannel& channel = *view.channel;
  run_copies(channel.program, channel.source, channel.target);
  channel.end.finish();
  tell(view);
  std::ranges::fill(empty_polls_, 0);
}

void SlottedNetwork::end_copies_with(int rank) {
  for (View* view : views_of_rank_[static_cast<std::size_t>(rank)]) {
    for (const View& end : view->claim->views) {
      if (copying_[static_cast<std::size_t>(end.rank)] == &end) end_copy(end.rank);
    }
    see(*view);
  }
}

/// What a rank has written is under way from now on.
void SlottedNetwork::notice(int rank) {
  for (Line* line : of_rank_[static_cast<std::size_t>(rank)]) {
    for (std::size_t slot = 0; slot < line->slots; ++slot) {
      Line::Delivery& delivery = line->deliveries[slot];
      if (delivery.under_way || line->words_from[slot] == *line->words_to[slot]) continue;
      delivery.under_way = true;
      for (std::size_t at = 0; at < line->bytes; at += kCacheLine) delivery.cache_lines.push_back(at);
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
    *line.words_to[news.what] = line.words_from[news.what].load();
    delivery.under_way = false;
    empty_polls_[static_cast<std::size_t>(line.receiver)] = 0;
    return true;
  }
  for (std::size_t left = 1 + network_.draw(delivery.cache_lines.size()); left > 0; --left) {
    const std::size_t chosen = network_.draw(delivery.cache_lines.size());
    const std::size_t at = delivery.cache_lines[chosen];
    delivery.cache_lines[chosen] = delivery.cache_lines.back();
    delivery.cache_lines.pop_back();
    std::memcpy(line.to[news.what] + at, line.from[news.what] + at, std::min(kCacheLine, line.bytes - at));
  }
  return false;
}

void SlottedNetwork::step(int rank, Did did) {
  if (did == Did::empty_poll) ++empty_polls_[static_cast<std::size_t>(rank)];
  if (did == Did::something) std::ranges::fill(empty_polls_, 0);  // it may have copied what others wait for
  notice(rank);
  for (View* view : views_of_rank_[static_cast<std::size_t>(rank)]) tell(*view);
  for (int other = 0; other < network_.ranks(); ++other) {
    if (copying_[static_cast<std::size_t>(other)] != nullptr && network_.draw(32) == 0) end_copy(other);
  }
  std::erase_if(late_views_, [&](View* view) {
    if (network_.draw(word_odds_) != 0) return false;
    view->late = false;
    see(*view);
    ++late_claims_;
    empty_polls_[static_cast<std::size_t>(view->rank)] = 0;
    return true;
  });
  for (std::size_t left = network_.draw(moves_ + 1); left > 0 && !under_way_.empty(); --left) {
    const std::size_t chosen = network_.draw(under_way_.size());
    if (!bring(under_way_[chosen])) continue;
    under_way_[chosen] = under_way_.back();
    under_way_.pop_back();
  }
}

bool SlottedNetwork::can_move() const noexcept {
  // Every 32nd pass may look into the network only.
  return !under_way_.empty() || !late_views_.empty() ||
         std::ranges::any_of(copying_, [](const View* view) { return view != nullptr; }) ||
         std::ranges::any_of(empty_polls_, [](int empty) { return empty < 2; });
}

}  // namespace rondo::internal
