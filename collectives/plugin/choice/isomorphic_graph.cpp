// Finds out whether a distributed graph is a Cartesian neighborhood in disguise. Its user says nothing of a grid: the
// grid is that of the communicator from which it was made, or guessed. A wrong guess costs one small allreduce.
#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/attribute_key.hpp"
#include "collectives/communicators/graph_neighborhood.hpp"
#include "collectives/communicators/iso_neighborhood.hpp"
#include "collectives/plugin/choice/topology.hpp"
#include "collectives/topology/graph_lists.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/mix.hpp"
#include "runtime/base/world.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::internal::plugin {
namespace {

/// Returns the key of the grids of graphs. A duplicate of a graph has no grid.
const AttributeKey<GridGuess>& key_of_remembered_grids() {
  static const AttributeKey<GridGuess> key;
  return key;
}

bool has_the_ranks_of(MPI_Comm one, MPI_Comm other) {
  int result = MPI_UNEQUAL;
  check_mpi(MPI_Comm_compare(one, other, &result), "MPI_Comm_compare");
  return result == MPI_IDENT || result == MPI_CONGRUENT;
}

/// Returns tori of three, two and one dimensions, except those that equal one of fewer dimensions.
std::vector<GridGuess> tori_of(int processes) {
  std::vector<GridGuess> tori;
  for (int d = 3; d >= 1; --d) {
    std::vector<int> sizes(static_cast<std::size_t>(d), 0);
    check_mpi(MPI_Dims_create(processes, d, sizes.data()), "MPI_Dims_create");
    if (d == 1 || std::ranges::count(sizes, 1) == 0) tori.push_back({sizes, std::vector<int>(sizes.size(), 1)});
  }
  return tori;
}

std::vector<int> ranks_of(const std::vector<edges::Edge>& edges) {
  std::vector<int> ranks;
  ranks.reserve(edges.size());
  for (const edges::Edge& edge : edges) ranks.push_back(edge.rank);
  return ranks;
}

std::vector<std::vector<int>> sorted_offsets(const Neighborhood& neighborhood) {
  std::vector<std::vector<int>> offsets;
  offsets.reserve(static_cast<std::size_t>(neighborhood.size()));
  for (int i = 0; i < neighborhood.size(); ++i) offsets.emplace_back(neighborhood[i].begin(), neighborhood[i].end());
  std::ranges::sort(offsets);
  return offsets;
}

/// Returns a hash of this process's offsets on a torus, which are the same for sources and targets; nothing if they
/// differ or are incomplete. On a torus all processes must have the same offsets.
std::optional<std::uint64_t> hash_of_offsets(const GridGuess& guess, const edges::Lists& lists) {
  const std::vector<int> sources = ranks_of(lists.sources);
  const std::vector<int> targets = ranks_of(lists.targets);
  if (std::ranges::count(sources, kNoRank) + std::ranges::count(targets, kNoRank) > 0) return std::nullopt;
  const GraphLists own(Grid(guess.sizes, guess.periods, lists.rank), sources, targets, {});
  const std::vector<std::vector<int>> offsets = sorted_offsets(own.targets);
  if (offsets.empty() || offsets != sorted_offsets(own.sources)) return std::nullopt;
  std::uint64_t hash = offsets.size();
  for (const std::vector<int>& offset : offsets) {
    for (const int coordinate : offset) hash = mix(hash, static_cast<std::uint64_t>(coordinate));
  }
  return hash;
}

/// Returns the tori on which all processes have equal hashes. Collective.
std::vector<GridGuess> likely_tori(MPI_Comm graph, const edges::Lists& lists) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  int processes = 0;
  check_mpi(MPI_Comm_size(graph, &processes), "MPI_Comm_size");
  std::vector<GridGuess> tori;
  std::vector<GridGuess> likely;
  std::vector<std::uint64_t> words;
  agree_that_all_is_well(trouble_in([&] {
                           tori = tori_of(processes);
                           likely.reserve(tori.size());
                           for (const GridGuess& torus : tori) {
                             const auto hash = hash_of_offsets(torus, lists);
                             words.push_back(hash.value_or(kNone));
                             words.push_back(hash ? ~*hash : kNone);
                           }
                         }),
                         graph);
  max_over_ranks(words, graph);
  for (std::size_t i = 0; i < tori.size(); ++i) {
    if (words[2 * i] == ~words[2 * i + 1]) likely.push_back(std::move(tori[i]));
  }
  return likely;
}

/// Returns the neighborhood on a grid, or null. Collective.
std::shared_ptr<NeighborhoodContext> neighborhood_on(const GridGuess& guess, MPI_Comm graph, EdgeContext& edges) {
  FoundContext found = find_neighborhood_context({.function = "MPI_Dist_graph_create",
                                                  .comm = graph,
                                                  .d = static_cast<int>(guess.sizes.size()),
                                                  .dimensions = guess.sizes.data(),
                                                  .periods = guess.periods.data(),
                                                  .t = 0,
                                                  .targetrelative = nullptr,
                                                  .weight = nullptr,
                                                  .reorder = 0},
                                                 edges.calls().on());
  if (found.context == nullptr)
    log(LogLevel::debug, "no isomorphic neighborhoods on ", describe_comm(graph).view(), ": ", found.reason);
  return std::move(found.context);
}

}  // namespace

void remember_grid(MPI_Comm graph, MPI_Comm parent) {
  int topology = MPI_UNDEFINED;
  if (parent == MPI_COMM_NULL) return;
  check_mpi(MPI_Topo_test(graph, &topology), "MPI_Topo_test");
  if (topology != MPI_DIST_GRAPH) return;
  check_mpi(MPI_Topo_test(parent, &topology), "MPI_Topo_test");
  if (topology != MPI_CART || !has_the_ranks_of(graph, parent)) return;
  const Grid grid = grid_of(parent);
  if (grid.dimensions() == 0) return;
  GridGuess guess{{grid.sizes().begin(), grid.sizes().end()}, {grid.periods().begin(), grid.periods().end()}};
  key_of_remembered_grids().attach(graph, std::make_unique<GridGuess>(std::move(guess)));
}

const GridGuess* remembered_grid(MPI_Comm graph) { return key_of_remembered_grids().find(graph); }

std::shared_ptr<NeighborhoodContext> find_isomorphic(MPI_Comm graph, EdgeContext& edges) {
  int topology = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(graph, &topology), "MPI_Topo_test");
  if (topology != MPI_DIST_GRAPH) return nullptr;
  std::vector<GridGuess> guesses;
  // Some rank may have had no memory to remember the grid: then all ranks guess.
  agree_that_all_is_well(trouble_in([&] {
                           if (const GridGuess* known = remembered_grid(graph)) guesses.push_back(*known);
                         }),
                         graph);
  std::array forgotten{std::uint64_t{guesses.empty() ? 1U : 0U}};
  max_over_ranks(forgotten, graph);
  if (forgotten[0] != 0) guesses = likely_tori(graph, edges.lists());
  for (const GridGuess& guess : guesses) {
    try {
      if (std::shared_ptr<NeighborhoodContext> found = neighborhood_on(guess, graph, edges)) return found;
    } catch (const std::exception& error) {
      // Thrown on all ranks, as Error on those that only learn of the trouble of another.
      log(LogLevel::debug, "no isomorphic neighborhoods on ", describe_comm(graph).view(), ": ", error.what());
    }
  }
  return nullptr;
}

}  // namespace rondo::internal::plugin
