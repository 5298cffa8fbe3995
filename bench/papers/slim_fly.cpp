// Ferrari et al., Optimized Alltoall Algorithm for Low-Diameter Network Topologies: figures 2 and 3, and what they do
// not have, where the speed-up comes from.
#include "collectives/dense_alltoall/shuffled_ranks.hpp"
#include "plans.hpp"
#include "rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace rondo::internal::papers {
namespace {

using machine::Machine;
using simulated::DenseExchange;
using simulated::Outcome;

constexpr int kNodes = 200;
constexpr int kPerSwitch = 4;

/// Which of the cluster's nodes a job has.
enum class Placement : std::uint8_t {
  packed,   ///< the first ones, switch by switch
  anywhere  ///< any, in any order: as if ranks were reordered
};

/// `ranks_per_node` ranks on each of so many nodes of the 200.
Machine cluster(int nodes, int ranks_per_node, Placement placement = Placement::packed, std::uint64_t seed = 0) {
  std::vector<int> given(kNodes);
  std::iota(given.begin(), given.end(), 0);
  // The library's own shuffle: the same everywhere.
  if (placement == Placement::anywhere) given = dense::get_shuffled_ranks(kNodes, seed);
  Machine machine{machine::slim_fly(kNodes, kPerSwitch), machine::fdr_infiniband(), {}};
  for (int rank = 0; rank < nodes * ranks_per_node; ++rank)
    machine.node_of.push_back(given[static_cast<std::size_t>(rank / ranks_per_node)]);
  return machine;
}

/// An algorithm with its options.
struct Way {
  std::string algorithm;
  dense::Options options = {};

  /// Whether there is a random order in it.
  [[nodiscard]] bool is_random() const {
    return algorithm == "randomized" || algorithm == "scatter" || algorithm == "segmented" || algorithm == "paper";
  }
};

Outcome run_way(const Machine& machine, const Way& way, std::int64_t bytes) {
  const DenseExchange exchange(machine, bytes, way.options);
  return run(machine, exchange, *plan_of(exchange, way.algorithm));
}

/// With so many random orders, if there is one.
std::vector<Outcome> run_orders(const Machine& machine, Way way, std::int64_t bytes, int orders) {
  std::vector<Outcome> outcomes;
  for (int order = 0; order < (way.is_random() ? orders : 1); ++order) {
    way.options.seed = static_cast<std::uint64_t>(order + 1);
    outcomes.push_back(run_way(machine, way, bytes));
  }
  return outcomes;
}

/// What MPI_Alltoall does in Open MPI 1.10, by size.
Way library_way(int ranks, std::int64_t bytes) {
  if (bytes < 200 && ranks > 12) return {"bruck", {.radix = 2}};
  if (bytes < 3000) return {"direct"};
  return {"pairwise"};
}

/// What the paper does, with randomization of small blocks too, as in its figures: its selection has them direct.
Way paper_way(int ranks, std::int64_t bytes) {
  if (bytes >= 512) return {"paper"};
  return {ranks <= 16 ? "scatter" : "randomized", {.queue = rondo::Queue::batches}};
}

/// What takes the least in the study below.
Way window_way(std::int64_t bytes) {
  if (bytes > 8192) return {"segmented", {.ports = 8, .segment = 8192}};
  return {"randomized", {.ports = 8}};
}

// --- Figures 2 and 3

void add_speed_ups(Figure& figure, int nodes, int ranks_per_node, const std::vector<std::int64_t>& sizes, int orders) {
  const Machine machine = cluster(nodes, ranks_per_node);
  const int ranks = machine.ranks();
  const std::string panel = std::to_string(ranks_per_node) + (ranks_per_node == 1 ? " rank" : " ranks") + " a node, " +
                            std::to_string(nodes) + " nodes";
  for (const std::int64_t bytes : sizes) {
    const auto add = [&](const char* line, const Way& way) {
      const auto x = static_cast<double>(bytes);
      figure.add({panel, line, x}, way.algorithm, run_orders(machine, way, bytes, orders), ranks);
    };
    add("Open MPI 1.10's choice", library_way(ranks, bytes));
    add("as the paper has it", paper_way(ranks, bytes));
    add("window of 8, segments of 8 KiB", window_way(bytes));
  }
}

std::vector<std::int64_t> powers(int first, int last, int step = 1) {
  std::vector<std::int64_t> sizes;
  for (int power = first; power <= last; power += step) sizes.push_back(std::int64_t{1} << power);
  return sizes;
}

bool speed_up(Extent extent, Figure& figure) {
  if (extent == Extent::quick) {
    add_speed_ups(figure, 14, 1, powers(6, 16, 5), 3);
    return true;
  }
  for (const int nodes : {14, 16, 28, 32, 50, 56, 64, 100, 200})
    add_speed_ups(figure, nodes, 1, powers(0, nodes <= 100 ? 18 : 16, nodes <= 64 ? 1 : 2), nodes <= 100 ? 9 : 5);
  return true;
}

bool speed_up_10(Extent extent, Figure& figure) {
  if (extent == Extent::quick) {
    add_speed_ups(figure, 6, 10, {64, 4096}, 3);
    return true;
  }
  for (const int nodes : {14, 28, 56}) add_speed_ups(figure, nodes, 10, powers(3, 15, 3), 3);
  return true;
}

// --- Where it comes from

/// Nanoseconds that the busiest port or link needs for all of an alltoall's bytes: no order and no queue can be faster.
double bound(const Machine& machine, std::int64_t bytes) {
  const machine::NetworkCosts& network = machine.parameters.network;
  std::map<int, machine::SimulatedTime> out;
  std::map<int, machine::SimulatedTime> in;
  std::map<machine::LinkId, machine::SimulatedTime> links;
  for (const int from : machine.node_of) {
    for (const int to : machine.node_of) {
      if (from == to) continue;
      out[from] += bytes * network.gap_byte + network.gap;
      in[to] += bytes * network.gap_byte + network.gap;
      for (const machine::LinkId link : machine.platform.route(from, to)) links[link] += bytes * network.link_byte;
    }
  }
  machine::SimulatedTime most = 0;
  for (const auto& of : {out, in}) {
    for (const auto& [node, time] : of) most = std::max(most, time);
  }
  for (const auto& [link, time] : links) most = std::max(most, time);
  return machine::to_nanoseconds(most);
}

struct NamedWay {
  const char* name;
  Way way;
};

std::vector<NamedWay> study_ways(std::int64_t bytes) {
  using rondo::Queue;
  std::vector<NamedWay> ways{
      {"shifted order, queue 1 (pairwise)", {"pairwise"}},
      {"shifted order, queue 2", {"windowed", {.ports = 2}}},
      {"shifted order, queue 8", {"windowed", {.ports = 8}}},
      {"shifted order, queue 32", {"windowed", {.ports = 32}}},
      {"shifted order, all in flight (direct)", {"direct"}},
      {"random order, queue 1", {"randomized", {.ports = 1}}},
      {"random order, queue 2", {"randomized", {.ports = 2}}},
      {"random order, queue 8", {"randomized", {.ports = 8}}},
      {"random order, queue 32", {"randomized", {.ports = 32}}},
      {"random order, batches of 8 (the paper's queue)", {"randomized", {.ports = 8, .queue = Queue::batches}}},
      {"one order for all, all in flight (scatter)", {"scatter"}},
  };
  for (const std::int64_t segment : {4096, 8192, 16384}) {
    if (segment >= bytes) continue;
    const char* name = segment == 4096   ? "random order, queue 8, segments of 4 KiB"
                       : segment == 8192 ? "random order, queue 8, segments of 8 KiB"
                                         : "random order, queue 8, segments of 16 KiB";
    ways.push_back({name, {"segmented", {.ports = 8, .segment = segment}}});
  }
  if (bytes > 16384) ways.push_back({"random order, batches of 8, segments of 16 KiB (paper)", {"paper"}});
  return ways;
}

bool study(Extent extent, Figure& figure) {
  const bool is_full = extent == Extent::full;
  for (const int nodes : is_full ? std::vector{50, 100, 200} : std::vector{16}) {
    const Machine machine = cluster(nodes, 1);
    for (const std::int64_t bytes :
         is_full ? std::vector<std::int64_t>{8192, 65536} : std::vector<std::int64_t>{8192}) {
      const std::string panel = std::to_string(nodes) + " nodes, " + std::to_string(bytes / 1024) + " KiB";
      figure.add_value({panel, "bound", 0}, "busiest port or link", bound(machine, bytes) / 1000);
      double x = 1;
      for (const NamedWay& way : study_ways(bytes)) {
        const int orders = !is_full ? 3 : nodes == 200 ? 5 : 15;
        figure.add({panel, way.name, x++}, way.way.algorithm, run_orders(machine, way.way, bytes, orders), nodes);
      }
    }
  }
  return true;
}

/// Jobs on any nodes of the cluster, in any order: the paper's "reordering the ranks".
bool placement(Extent extent, Figure& figure) {
  const bool is_full = extent == Extent::full;
  constexpr std::int64_t kBytes = 65536;
  const std::array ways{NamedWay{"pairwise", {"pairwise"}}, NamedWay{"as the paper has it", {"paper"}},
                        NamedWay{"window of 8, segments of 8 KiB", window_way(kBytes)}};
  for (const int nodes : is_full ? std::vector{14, 28, 50, 64, 100, 200} : std::vector{16}) {
    for (const NamedWay& way : ways) {
      const auto x = static_cast<double>(nodes);
      figure.add({"first nodes of the cluster", way.name, x}, way.way.algorithm,
                 run_way(cluster(nodes, 1), way.way, kBytes), nodes);
      std::vector<Outcome> outcomes;
      for (int draw = 0; draw < (is_full ? 9 : 3); ++draw)
        outcomes.push_back(
            run_way(cluster(nodes, 1, Placement::anywhere, static_cast<std::uint64_t>(draw)), way.way, kBytes));
      figure.add({"any nodes, in any order", way.name, x}, way.way.algorithm, outcomes, nodes);
    }
  }
  return true;
}

/// Messages on the busiest link that a message goes over, if all of an iteration go at once: the mean over all messages
/// of one iteration, and the mean of that over all iterations. `target(rank, i)`.
template <typename Target>
double crowd(const Machine& machine, Target target) {
  const int p = machine.ranks();
  double sum = 0;
  int messages = 0;
  for (int i = 0; i < p; ++i) {
    std::map<machine::LinkId, int> on_link;
    const auto route = [&](int rank) {
      return machine.platform.route(machine.node_of[static_cast<std::size_t>(rank)],
                                    machine.node_of[static_cast<std::size_t>(target(rank, i))]);
    };
    for (int rank = 0; rank < p; ++rank) {
      for (const machine::LinkId link : route(rank)) ++on_link[link];
    }
    for (int rank = 0; rank < p; ++rank) {
      if (target(rank, i) == rank) continue;
      int most = 1;
      for (const machine::LinkId link : route(rank)) most = std::max(most, on_link[link]);
      sum += most;
      ++messages;
    }
  }
  return sum / messages;
}

bool crowding(Extent, Figure& figure) {
  for (const int nodes : {14, 16, 28, 32, 50, 56, 64, 100, 200}) {
    const auto x = static_cast<double>(nodes);
    const auto shifted = [&](int rank, int i) { return (rank + i) % nodes; };
    const std::vector<int> ranks = dense::get_shuffled_ranks(nodes, 1);
    const auto random = [&](int rank, int i) { return ranks[static_cast<std::size_t>((rank + i) % nodes)]; };
    const Machine packed = cluster(nodes, 1);
    const Machine anywhere = cluster(nodes, 1, Placement::anywhere, 1);
    figure.add_value({"messages on a message's busiest link", "shifted order", x}, "first nodes",
                     crowd(packed, shifted));
    figure.add_value({"messages on a message's busiest link", "random order", x}, "first nodes", crowd(packed, random));
    figure.add_value({"messages on a message's busiest link", "shifted order, ranks anywhere", x}, "any nodes",
                     crowd(anywhere, shifted));
  }
  return true;
}

constexpr std::array kRows{
    Row{"slimfly-speed-up", speed_up},   Row{"slimfly-speed-up-10", speed_up_10}, Row{"slimfly-study", study},
    Row{"slimfly-placement", placement}, Row{"slimfly-crowding", crowding},
};

}  // namespace

std::span<const Row> slim_fly_rows() { return kRows; }

}  // namespace rondo::internal::papers
