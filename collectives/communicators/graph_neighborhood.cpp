#include "collectives/communicators/graph_neighborhood.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/communicators/neighborhood_agreement.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/topology/graph_lists.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/mix.hpp"
#include "runtime/base/text_line.hpp"
#include "runtime/operation/operation.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// The part of the graph that this process knows.
struct OwnPart {
  Grid grid;
  GraphLists lists;
  bool weighted;
};

OwnPart own_part(MPI_Comm graph, const NeighborhoodArguments& arguments) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(graph, &rank), "MPI_Comm_rank");
  const auto d = static_cast<std::size_t>(arguments.d);
  Grid grid({arguments.dimensions, d}, {arguments.periods, d}, rank);
  int indegree = 0;
  int outdegree = 0;
  int weighted = 0;
  check_mpi(MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &weighted), "MPI_Dist_graph_neighbors_count");
  std::vector<int> sources(static_cast<std::size_t>(indegree));
  std::vector<int> targets(static_cast<std::size_t>(outdegree));
  std::vector<int> source_weights(weighted != 0 ? sources.size() : 0);
  std::vector<int> target_weights(weighted != 0 ? targets.size() : 0);
  check_mpi(
      MPI_Dist_graph_neighbors(graph, indegree, sources.data(), weighted != 0 ? source_weights.data() : MPI_UNWEIGHTED,
                               outdegree, targets.data(), weighted != 0 ? target_weights.data() : MPI_UNWEIGHTED),
      "MPI_Dist_graph_neighbors");
  for (const std::vector<int>* list : {&sources, &targets}) {
    if (std::ranges::any_of(*list, [&](int other) { return other < 0 || other >= grid.size(); }))
      throw Error(MPI_ERR_TOPOLOGY, "graphcomm: has neighbors that are not processes, such as MPI_PROC_NULL");
  }
  GraphLists lists(grid, sources, targets, target_weights);
  return {std::move(grid), std::move(lists), weighted != 0};
}

/// Appends a list of the process `root` to `common`, on all ranks. Collective.
void append(Neighborhood& common, const Neighborhood& roots, int root, MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  int t = rank == root ? roots.size() : 0;
  check_mpi(MPI_Bcast(&t, 1, MPI_INT, root, comm), "MPI_Bcast");
  if (t == 0) return;
  std::vector<int> words;  // offsets, then weights
  const auto d = static_cast<std::size_t>(common.dimensions());
  const std::size_t offsets = static_cast<std::size_t>(t) * d;
  agree_that_all_is_well(trouble_in([&] {
                           words.resize(offsets + static_cast<std::size_t>(t));
                           if (rank != root) return;
                           const auto end = std::ranges::copy(roots.flattened(), words.begin()).out;
                           std::ranges::copy(roots.weights(), end);
                         }),
                         comm);
  check_mpi(MPI_Bcast(words.data(), static_cast<int>(words.size()), MPI_INT, root, comm), "MPI_Bcast");
  agree_that_all_is_well(trouble_in([&] {
                           const std::span<const int> all(words);
                           for (std::size_t i = 0; i < static_cast<std::size_t>(t); ++i)
                             common.add(all.subspan(i * d, d), words[offsets + i]);
                         }),
                         comm);
}

/// Returns the neighborhood that all processes have if they have the same: the list of the process in the middle, then
/// the neighbors that it cannot have. In the paper it is one process's list, but on a mesh no process need have all
/// neighbors. Collective.
Neighborhood common_neighborhood(const OwnPart& own, MPI_Comm comm) {
  const Grid& grid = own.grid;
  Neighborhood common(grid.dimensions());
  append(common, own.lists.targets, middle_of(grid), comm);
  if (grid.is_torus()) return common;
  std::vector<int> corners;
  Neighborhood further(grid.dimensions());
  agree_that_all_is_well(trouble_in([&] {
                           corners = corners_of(grid);
                           if (std::ranges::find(corners, grid.rank()) != corners.end())
                             further = beyond_the_middle(grid, own.lists.targets);
                         }),
                         comm);
  std::array<std::uint64_t, 1> most{static_cast<std::uint64_t>(further.size())};
  max_over_ranks(most, comm);
  for (const int corner : corners) {
    if (most[0] != 0) append(common, further, corner, comm);
  }
  return common;
}

using Complaint = std::array<char, 256>;
/// Characters of memory for the reason that hear() writes.
constexpr std::size_t kLongestReason = std::tuple_size_v<Complaint> + 64;

/// Sets `reason` on all ranks to the complaint of the highest rank that has one; does nothing if none has. Collective.
/// `reason` must have reserved kLongestReason characters, because nothing may fail on one rank alone.
void hear(const std::optional<std::string>& own, MPI_Comm comm, std::string& reason) {
  std::array speaker{rank_word(own.has_value(), comm)};
  max_over_ranks(speaker, comm);
  if (speaker[0] == 0) return;
  const int root = static_cast<int>(speaker[0] - 1);
  Complaint text{};
  if (speaker[0] == rank_word(own.has_value(), comm)) own->copy(text.data(), text.size() - 1);
  check_mpi(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, root, comm), "MPI_Bcast");
  TextLine line;
  line << "rank " << root << " of graphcomm " << text.data();
  reason = line.view();
}

/// The grid and the neighborhood that all processes of a graph have in common.
struct CommonLists {
  Settings settings;
  Grid grid;
  Neighborhood neighborhood;
  GraphOrder order;
  bool weighted;
  std::string reason;  ///< if they have none: why, the same on all ranks
};

/// Returns the common lists. Collective; `arguments` as for find_neighborhood().
CommonLists find_common_lists(NeighborhoodArguments& arguments, const CompleteArguments& steps) {
  const MPI_Comm graph = arguments.comm;
  check_intracommunicator(graph, "graphcomm", arguments.function);
  int status = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(graph, &status), "graphcomm");
  if (status != MPI_DIST_GRAPH) throw Error(MPI_ERR_TOPOLOGY, "graphcomm: is not a distributed graph");
  int processes = 0;
  check_mpi(MPI_Comm_size(graph, &processes), "MPI_Comm_size");

  Settings settings;
  std::optional<OwnPart> own;
  NeighborhoodHashes hashes;
  std::exception_ptr trouble = trouble_in([&] {
    steps(arguments, settings);
    watch_for_finalize();
    check_grid(arguments, processes);
    own.emplace(own_part(graph, arguments));
    hashes = NeighborhoodHashes(Neighborhood(arguments.d), settings);
    hashes.weights = own->weighted ? 1 : 0;
    for (const int size : own->grid.sizes())
      hashes.dimensions = mix(hashes.dimensions, static_cast<std::uint64_t>(size));
    for (const int period : own->grid.periods()) hashes.periods = mix(hashes.periods, period != 0 ? 1 : 0);
  });
  DenseContext::wait_for_duplicate_of(graph);
  agree_on_neighborhood(hashes, trouble, graph);

  Neighborhood common = common_neighborhood(*own, graph);
  std::optional<std::string> complaint;
  GraphOrder order;
  std::string reason;
  trouble = trouble_in([&] {
    reason.reserve(kLongestReason);
    complaint = difference(own->grid, common, own->lists);
    if (!complaint) order = order_in(own->grid, common, own->lists);
  });
  agree_that_all_is_well(trouble, graph);
  hear(complaint, graph, reason);
  return {std::move(settings), std::move(own->grid), std::move(common),
          std::move(order),    own->weighted,        std::move(reason)};
}

}  // namespace

FoundNeighborhood find_neighborhood(NeighborhoodArguments arguments, const CompleteArguments& steps) {
  const Making making(arguments.function);
  CommonLists lists = find_common_lists(arguments, steps);
  FoundNeighborhood found{.comm = MPI_COMM_NULL, .reason = std::move(lists.reason)};
  if (!found.reason.empty()) return found;
  arguments.t = lists.neighborhood.size();
  arguments.targetrelative = lists.neighborhood.flattened().data();
  arguments.weight = lists.weighted ? lists.neighborhood.weights().data() : MPI_UNWEIGHTED;
  const auto with_settings = [&](NeighborhoodArguments&, Settings& taken) { taken = lists.settings; };
  found.comm = create_neighborhood(arguments, std::ref(with_settings));
  NeighborhoodContext::of(found.comm).keep_graph_order(std::move(lists.order));
  return found;
}

FoundContext find_neighborhood_context(const NeighborhoodArguments& arguments, std::shared_ptr<CommState> state) {
  const Making making(arguments.function);
  const auto steps = [](NeighborhoodArguments&, Settings& settings) {
    settings.take_assertions(MPI_INFO_NULL);
    settings.take_environment();
  };
  NeighborhoodArguments taken = arguments;
  CommonLists lists = find_common_lists(taken, std::ref(steps));
  FoundContext found{.context = nullptr, .reason = std::move(lists.reason)};
  if (!found.reason.empty()) return found;
  agree_that_all_is_well(trouble_in([&] {
                           found.context = std::make_shared<NeighborhoodContext>(
                               std::make_shared<const GridContext>(std::move(state), std::move(lists.grid)),
                               std::move(lists.neighborhood), lists.settings);
                           found.context->keep_graph_order(std::move(lists.order));
                         }),
                         arguments.comm);
  return found;
}

}  // namespace rondo::internal
