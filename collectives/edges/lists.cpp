#include "collectives/edges/lists.hpp"

#include <rondo/error.hpp>

#include "collectives/topology/cartesian_grid.hpp"
#include "datatypes/reading/mpi_check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rondo::internal::edges {
namespace {

/// Returns an edge for each rank; its tag is the number of times that the rank stood in the list before.
std::vector<Edge> numbered(std::span<const int> ranks) {
  std::map<int, std::uint32_t> seen;
  std::vector<Edge> edges;
  edges.reserve(ranks.size());
  for (const int rank : ranks) {
    if (rank < 0)
      edges.push_back({kNoRank, 0});
    else
      edges.push_back({rank, seen[rank]++});
  }
  return edges;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

Lists distributed_graph_edges(MPI_Comm comm) {
  int indegree = 0;
  int outdegree = 0;
  int weighted = 0;
  check_mpi(MPI_Dist_graph_neighbors_count(comm, &indegree, &outdegree, &weighted), "MPI_Dist_graph_neighbors_count");
  std::vector<int> sources(static_cast<std::size_t>(indegree));
  std::vector<int> targets(static_cast<std::size_t>(outdegree));
  std::vector<int> source_weights(sources.size());
  std::vector<int> target_weights(targets.size());
  check_mpi(
      MPI_Dist_graph_neighbors(comm, indegree, sources.data(), weighted != 0 ? source_weights.data() : MPI_UNWEIGHTED,
                               outdegree, targets.data(), weighted != 0 ? target_weights.data() : MPI_UNWEIGHTED),
      "MPI_Dist_graph_neighbors");
  return graph_edges(rank_in(comm), sources, targets);
}

Lists undirected_graph_edges(MPI_Comm comm) {
  const int rank = rank_in(comm);
  int degree = 0;
  check_mpi(MPI_Graph_neighbors_count(comm, rank, &degree), "MPI_Graph_neighbors_count");
  std::vector<int> neighbors(static_cast<std::size_t>(degree));
  check_mpi(MPI_Graph_neighbors(comm, rank, degree, neighbors.data()), "MPI_Graph_neighbors");
  return graph_edges(rank, neighbors, neighbors);
}

}  // namespace

std::uint32_t Lists::tags() const noexcept {
  std::uint32_t tags = 0;
  for (const std::vector<Edge>* list : {&targets, &sources}) {
    for (const Edge& edge : *list) tags = std::max(tags, edge.tag + 1);
  }
  return tags;
}

bool Lists::has_parallel_edges() const {
  std::set<int> seen;
  return std::ranges::any_of(targets,
                             [&](const Edge& edge) { return edge.rank != kNoRank && !seen.insert(edge.rank).second; });
}

Lists cartesian_edges(const Grid& grid) {
  Lists lists{.rank = grid.rank(), .targets = {}, .sources = {}};
  for (int k = 0; k < grid.dimensions(); ++k) {
    const auto down = static_cast<std::uint32_t>(2 * k);
    const std::uint32_t up = down + 1;
    const int below = grid.rank_along(k, -1);
    const int above = grid.rank_along(k, 1);
    lists.targets.insert(lists.targets.end(), {{below, down}, {above, up}});
    lists.sources.insert(lists.sources.end(), {{below, up}, {above, down}});
  }
  return lists;
}

Lists graph_edges(int rank, std::span<const int> sources, std::span<const int> targets) {
  return {.rank = rank, .targets = numbered(targets), .sources = numbered(sources)};
}

Lists edges_of(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(comm, &topology), "comm");
  switch (topology) {
    case MPI_CART:
      return cartesian_edges(cartesian_grid(comm));
    case MPI_DIST_GRAPH:
      return distributed_graph_edges(comm);
    case MPI_GRAPH:
      return undirected_graph_edges(comm);
    default:
      throw Error(MPI_ERR_TOPOLOGY,
                  "comm: has no topology, must be made by MPI_Cart_create, MPI_Dist_graph_create or "
                  "a similar function");
  }
}

}  // namespace rondo::internal::edges
