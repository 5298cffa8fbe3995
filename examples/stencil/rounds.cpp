#include "rounds.hpp"

#include "core_share.hpp"
#include "quartiles.hpp"

#include <cstddef>
#include <cstdio>

namespace stencil {
namespace {

/// Of what `value` makes of each round: pairs of times are compared within a round, never across.
template <typename Value>
Quartiles over(const std::vector<Round>& rounds, Value value) {
  std::vector<double> values;
  values.reserve(rounds.size());
  for (const Round& round : rounds) values.push_back(value(round));
  return quartiles(std::move(values));
}

}  // namespace

std::vector<Round> select_rounds(const std::vector<Round>& rounds, bool crowded) {
  constexpr std::size_t kFewest = 5;
  if (crowded) {
    std::printf("  more ranks than cores: while one waits another computes, and times say little of either\n");
    return rounds;
  }
  std::vector<Round> undisturbed;
  for (const Round& round : rounds) {
    if (round.core_share >= kUndisturbedShare) undisturbed.push_back(round);
  }
  if (undisturbed.size() == rounds.size()) return rounds;
  if (undisturbed.size() < kFewest) {
    std::printf("  the machine was busy: the ranks did not have their cores to themselves, and times say little\n");
    return rounds;
  }
  std::printf("  %zu of %zu rounds count: in the others a rank had less than nine tenths of a core\n",
              undisturbed.size(), rounds.size());
  return undisturbed;
}

void print_step(const std::vector<Round>& rounds, double cells) {
  const Quartiles step = over(rounds, [](const Round& round) { return 1e6 * round.step; });
  const Quartiles exchange = over(rounds, [](const Round& round) { return 1e6 * round.exchange_only; });
  std::printf(
      "  a step took %.1f us [%.1f, %.1f]: %.0f million cells a second; an exchange alone %.1f us [%.1f, %.1f]\n",
      step.median, step.lower, step.upper, cells / step.median, exchange.median, exchange.lower, exchange.upper);
}

void print_overlap(const std::vector<Round>& rounds) {
  const Quartiles ratio = over(rounds, [](const Round& round) { return round.step / round.first_exchange; });
  std::printf("  Overlap: a step took %.2f [%.2f, %.2f] of the time of one that exchanges first, then computes\n",
              ratio.median, ratio.lower, ratio.upper);
}

void print_rival(const std::vector<Round>& rounds) {
  const Quartiles step = over(rounds, [](const Round& round) { return round.step / round.rival; });
  const Quartiles exchange =
      over(rounds, [](const Round& round) { return round.exchange_only / round.rival_exchange_only; });
  std::printf("  Rondo's step took %.2f [%.2f, %.2f] of the time of the same step with MPI_Neighbor_alltoallw,\n",
              step.median, step.lower, step.upper);
  std::printf("    the exchange alone %.2f [%.2f, %.2f]\n", exchange.median, exchange.lower, exchange.upper);
}

}  // namespace stencil
