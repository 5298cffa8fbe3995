#include "runtime/machine/simulated_start.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace rondo::internal::machine {
namespace {

/// Handles all completions of a rank and runs its ready functions, as its progress engine would.
void work_off(LogGPNetwork& network, int rank, Execution& execution) {
  LogGPTransport& transport = network.transport(rank);
  do {
    for (auto completions = transport.poll(); !completions.empty(); completions = transport.poll()) {
      for (const Completion& it : completions) it.execution->complete(it.task, it.code);
    }
    while (execution.has_ready_functions()) static_cast<void>(execution.run_functions(nullptr));
  } while (transport.has_news());
  network.settle(rank);
}

}  // namespace

std::vector<SimulatedTime> run(LogGPNetwork& network, std::span<Execution* const> of_ranks,
                               const std::function<void(int rank)>& start) {
  std::vector<SimulatedTime> ends(of_ranks.size());
  const auto step = [&](int rank) {
    work_off(network, rank, *of_ranks[static_cast<std::size_t>(rank)]);
    ends[static_cast<std::size_t>(rank)] = network.clock(rank);
  };
  for (int rank = 0; rank < static_cast<int>(of_ranks.size()); ++rank) {
    Execution& execution = *of_ranks[static_cast<std::size_t>(rank)];
    network.meter(execution);
    if (start)
      start(rank);
    else
      execution.start();
    step(rank);
  }
  while (const auto rank = network.advance()) step(*rank);
  if (std::ranges::any_of(of_ranks, &Execution::active) || network.unmatched() > 0)
    throw std::runtime_error("messages on a simulated machine lack partners");
  return ends;
}

}  // namespace rondo::internal::machine
