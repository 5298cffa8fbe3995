#include "tests/support/networks/laned_network.hpp"

#include <algorithm>
#include <cstring>

namespace rondo::internal {

LanedNetwork::LanedNetwork(LoopbackNetwork& network)
    : network_(network),
      line_odds_(std::size_t{1} << (2 * network.draw(3))),
      count_odds_(std::size_t{1} << (2 * network.draw(4))),
      empty_polls_(static_cast<std::size_t>(network.ranks())) {
  const int ranks = network.ranks();
  const std::size_t shared = 2 + network.draw(3);  // of four directions
  ways_.resize(static_cast<std::size_t>(ranks * ranks));
  lanes_.resize(ways_.size());
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      if (from == to || network.draw(4) >= shared) continue;
      Way& it = way(from, to);
      it.lines = std::size_t{4} << network.draw(5);
      it.copy = Lines(it.lines);
      it.memory = Lines(it.lines);
      lane(from, to).sender.emplace(it.copy, &it.consumed_copy);
      lane(from, to).detours_there = &it.detours_copy;
      lane(to, from).receiver.emplace(it.memory, &it.consumed);
      lane(to, from).detours_here = &it.detours;
    }
  }
}

void LanedNetwork::use(std::span<Execution* const> of_ranks, std::uint64_t context) {
  const int ranks = network_.ranks();
  for (int own = 0; own < ranks; ++own) {
    LaneTable& table = *tables_.emplace_back(std::make_unique<LaneTable>(of_ranks.size()));
    for (int other = 0; other < ranks; ++other) {
      const auto longest = [](const Way& it) {
        return it.lines == 0 ? 0 : static_cast<std::int32_t>(lane_longest(it.lines));
      };
      constexpr std::uint32_t kAny = 1'000'000;  // lines of an operation, so that lanes are often full
      table.at(other) = {&lane(own, other), context, longest(way(own, other)), longest(way(other, own)), kAny, kAny};
    }
    of_ranks[static_cast<std::size_t>(own)]->use_lanes(table);
  }
}

bool LanedNetwork::is_news(const Way& way) noexcept {
  return way.under_way || way.copy[way.head].state != lane_words::kNothing;
}

/// A part of a record: a line, or its state when all lines are there.
void LanedNetwork::bring(Way& way, int to_rank) {
  const std::uint64_t state = way.copy[way.head].state;
  if (!way.under_way) {
    const bool skips = state == lane_words::kSkip;
    const std::size_t count = skips ? way.lines - way.head : lane_lines(lane_words::header(state, 0).bytes);
    way.next = way.head + count == way.lines ? 0 : way.head + count;
    if (!skips) {
      for (std::size_t line = way.head; line < way.head + count; ++line) way.left.push_back(line);
    }
    way.left.push_back(way.next);
    way.under_way = true;
    return;
  }
  if (way.left.empty()) {
    way.memory[way.head].state = state;
    way.copy[way.head].state = lane_words::kNothing;  // which the sender never reads
    way.head = way.next;
    way.under_way = false;
    empty_polls_[static_cast<std::size_t>(to_rank)] = 0;
    ++records_;
    return;
  }
  const std::size_t chosen = network_.draw(way.left.size());
  const std::size_t line = way.left[chosen];
  way.left[chosen] = way.left.back();
  way.left.pop_back();
  LaneLine<>& to = way.memory[line];
  const LaneLine<>& from = way.copy[line];
  if (line == way.head) {  // its state comes last
    to.context = from.context;
    to.data = from.data;
  } else if (line == way.next) {
    to.state = lane_words::kNothing;
  } else {
    std::memcpy(static_cast<void*>(&to), &from, sizeof(to));
  }
}

void LanedNetwork::step(int rank, SlottedNetwork::Did did) {
  using Did = SlottedNetwork::Did;
  int& empty_polls = empty_polls_[static_cast<std::size_t>(rank)];
  if (did != Did::nothing) empty_polls = did == Did::empty_poll ? empty_polls + 1 : 0;
  for (int other = 0; other < network_.ranks(); ++other) {
    move(rank, other);
    move(other, rank);
  }
}

void LanedNetwork::move(int from, int to) {
  Way& it = way(from, to);
  if (it.lines == 0) return;
  while (is_news(it) && network_.draw(line_odds_) == 0) bring(it, to);
  if (it.consumed != it.consumed_copy && network_.draw(count_odds_) == 0) it.consumed_copy = it.consumed.load();
  if (it.detours != it.detours_copy && network_.draw(count_odds_) == 0) it.detours = it.detours_copy.load();
}

bool LanedNetwork::can_move() const noexcept {
  if (std::ranges::any_of(empty_polls_, [](int empty) { return empty < 2; })) return true;
  return std::ranges::any_of(ways_, [](const Way& it) {
    return it.lines != 0 && (is_news(it) || it.consumed != it.consumed_copy || it.detours != it.detours_copy);
  });
}

}  // namespace rondo::internal
