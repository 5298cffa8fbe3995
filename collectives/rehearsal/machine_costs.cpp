#include "collectives/rehearsal/machine_costs.hpp"

#include <rondo/error.hpp>

#include "runtime/machine/named_machines.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rondo {
namespace internal {
namespace {

/// Returns the node of each rank.
std::vector<int> nodes_of(const rondo::Machine& machine, int size) {
  if (machine.nodes.empty()) {
    if (machine.ranks_per_node < 1) {
      throw Error(MPI_ERR_ARG,
                  "machine.ranks_per_node: is " + std::to_string(machine.ranks_per_node) + ", must be at least 1");
    }
    std::vector<int> nodes;
    for (int rank = 0; rank < size; ++rank) nodes.push_back(rank / machine.ranks_per_node);
    return nodes;
  }
  if (std::cmp_not_equal(machine.nodes.size(), size)) {
    throw Error(MPI_ERR_ARG, "machine.nodes: has " + std::to_string(machine.nodes.size()) + " entries, must have " +
                                 std::to_string(size) + ", one for each rank");
  }
  for (std::size_t rank = 0; rank < machine.nodes.size(); ++rank) {
    if (machine.nodes[rank] >= 0 && machine.nodes[rank] < size) continue;
    throw Error(MPI_ERR_ARG, "machine.nodes[" + std::to_string(rank) + "]: is " + std::to_string(machine.nodes[rank]) +
                                 ", must be in [0, " + std::to_string(size) + ")");
  }
  return machine.nodes;
}

machine::SimulatedTime time_of(double nanoseconds, const char* argument) {
  constexpr double kLongest = 1e12;
  if (nanoseconds >= 0 && nanoseconds <= kLongest) return machine::from_nanoseconds(nanoseconds);
  throw Error(MPI_ERR_ARG, "machine." + std::string(argument) + ": is " + std::to_string(nanoseconds) +
                               ", must be between 0 and 10^12 ns");
}

}  // namespace

machine::Machine simulated_machine(const rondo::Machine& machine, int size) {
  const machine::EndCosts far{time_of(machine.far.overhead, "far.overhead"),
                              time_of(machine.far.copied_byte, "far.copied_byte")};
  const machine::EndCosts near{time_of(machine.near.overhead, "near.overhead"),
                               time_of(machine.near.copied_byte, "near.copied_byte")};
  std::vector<int> nodes = nodes_of(machine, size);
  const int count = 1 + std::ranges::max(nodes);
  return {machine::one_switch(count),
          {.name = {},
           .network = {.send = far,
                       .receive = far,
                       .latency = time_of(machine.far.latency, "far.latency"),
                       .hop_latency = 0,
                       .gap = time_of(machine.far.gap, "far.gap"),
                       .gap_byte = time_of(machine.far.gap_byte, "far.gap_byte"),
                       .link_byte = 0,
                       .eager_limit = machine.far.eager_limit},
           .near = {.send = near, .receive = near, .latency = time_of(machine.near.latency, "near.latency")},
           .tasks = {.copied_piece = time_of(machine.copied_piece, "copied_piece"),
                     .copied_byte = time_of(machine.copied_byte, "copied_byte"),
                     .reduction = time_of(machine.reduction, "reduction"),
                     .reduced_byte = time_of(machine.reduced_byte, "reduced_byte")}},
          std::move(nodes)};
}

rondo::Machine machine_of(const CostModel& costs, std::span<const std::int64_t> nodes, int size) {
  const CostParameters& far = costs.parameters(Nearness::far);
  const CostParameters& near = costs.parameters(Nearness::near);
  rondo::Machine machine;
  // Each end takes half of a message's time. A byte costs the ends as much as it takes longer than in a message of any
  // length.
  const double byte = costs.on_port(1) > 0 ? far.byte : far.rendezvous_byte;
  machine.far = {.overhead = costs.on_core(0) / 2,
                 .copied_byte = std::max(far.long_byte - byte, 0.0) / 2,
                 .latency = far.phase,
                 .gap = 0,
                 .gap_byte = byte,
                 .eager_limit = far.eager_limit};
  machine.near = {.overhead = near.message / 2, .copied_byte = near.long_byte / 2, .latency = near.phase};
  machine.copied_piece = far.copied_block;
  machine.copied_byte = far.copied_byte;
  machine.reduction = far.reduction;
  machine.reduced_byte = far.reduced_byte;
  std::map<std::int64_t, int> numbers;
  std::vector<int> on_node;
  for (int rank = 0; rank < size && !nodes.empty(); ++rank) {
    const std::int64_t node = nodes[static_cast<std::size_t>(rank)];
    const int next = static_cast<int>(on_node.size());
    const int number = node == 0 ? next : numbers.try_emplace(node, next).first->second;
    if (number == next) on_node.push_back(0);
    ++on_node[static_cast<std::size_t>(number)];
    machine.nodes.push_back(number);
  }
  // The port of a node was timed while all of its ranks used it.
  if (!on_node.empty()) machine.far.gap_byte /= std::ranges::max(on_node);
  return machine;
}

}  // namespace internal

Machine Machine::named(std::string_view name, int ranks_per_node) {
  const auto nanoseconds = [](internal::machine::SimulatedTime time) {
    return internal::machine::to_nanoseconds(time);
  };
  internal::machine::Parameters known;
  try {
    known = internal::machine::network_named(std::string(name));
  } catch (const std::invalid_argument&) {
    throw Error(MPI_ERR_ARG, "name: is \"" + std::string(name) + "\", must be \"omni-path\" or \"fdr-infiniband\"");
  }
  if (ranks_per_node < 1)
    throw Error(MPI_ERR_ARG, "ranks_per_node: is " + std::to_string(ranks_per_node) + ", must be at least 1");
  const auto& [send, receive, latency, hop_latency, gap, gap_byte, link_byte, eager_limit] = known.network;
  Machine machine;
  machine.far = {nanoseconds(send.overhead), nanoseconds(send.byte), nanoseconds(latency),
                 nanoseconds(gap),           nanoseconds(gap_byte),  eager_limit};
  machine.near = {.overhead = nanoseconds(known.near.send.overhead),
                  .copied_byte = nanoseconds(known.near.send.byte),
                  .latency = nanoseconds(known.near.latency)};
  machine.copied_piece = nanoseconds(known.tasks.copied_piece);
  machine.copied_byte = nanoseconds(known.tasks.copied_byte);
  machine.reduction = nanoseconds(known.tasks.reduction);
  machine.reduced_byte = nanoseconds(known.tasks.reduced_byte);
  machine.ranks_per_node = ranks_per_node;
  return machine;
}

}  // namespace rondo
