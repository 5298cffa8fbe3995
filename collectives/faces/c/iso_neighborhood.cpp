// The C interface: isomorphic neighborhoods.
#include <rondo/cart.h>

#include "collectives/communicators/cart_neighborhood.hpp"
#include "collectives/communicators/iso_neighborhood.hpp"
#include "collectives/faces/c/errors.hpp"

#include <functional>
#include <string>

using namespace rondo;
using namespace rondo::internal;

namespace {

void tell_counts(const NeighborRanks& ranks, int* s, int* indegree, int* outdegree) {
  require(s, "s");
  require(indegree, "indegree");
  require(outdegree, "outdegree");
  const NeighborRanks existing = ranks.existing();
  *s = static_cast<int>(ranks.targets.size());
  *indegree = static_cast<int>(existing.sources.size());
  *outdegree = static_cast<int>(existing.targets.size());
}

void tell_ranks(const NeighborRanks& ranks, int max_s, int sources[], int destinations[]) {
  if (max_s < 0) throw Error(MPI_ERR_ARG, "max_s: is " + std::to_string(max_s) + ", must be at least 0");
  const auto fill = [&](const std::vector<int>& from, int* to, const char* name) {
    for (int i = 0; i < max_s && static_cast<std::size_t>(i) < from.size(); ++i) {
      require(to, name);
      to[i] = for_users(from[static_cast<std::size_t>(i)]);
    }
  };
  fill(ranks.sources, sources, "sources");
  fill(ranks.targets, destinations, "destinations");
}

}  // namespace

int Rondo_Iso_neighborhood_create(MPI_Comm cartcomm, int s, const int relative_coordinates[], MPI_Comm* isocomm) {
  return guarded(cartcomm, "Rondo_Iso_neighborhood_create", [&] {
    if (isocomm != nullptr) *isocomm = MPI_COMM_NULL;
    const auto check = [&] { require(isocomm, "isocomm"); };
    *isocomm = create_iso_neighborhood(cartcomm, s, relative_coordinates, std::ref(check));
  });
}

int Rondo_Iso_neighborhood_count(MPI_Comm isocomm, int* s, int* indegree, int* outdegree) {
  return guarded(isocomm, "Rondo_Iso_neighborhood_count",
                 [&] { tell_counts(iso_neighbors(isocomm), s, indegree, outdegree); });
}

int Rondo_Iso_neighborhood_get(MPI_Comm isocomm, int max_s, int sources[], int destinations[]) {
  return guarded(isocomm, "Rondo_Iso_neighborhood_get",
                 [&] { tell_ranks(iso_neighbors(isocomm), max_s, sources, destinations); });
}

int Rondo_Iso_neighborhood_graph_get(MPI_Comm isocomm, int max_s, int sources[], int destinations[]) {
  return guarded(isocomm, "Rondo_Iso_neighborhood_graph_get",
                 [&] { tell_ranks(iso_neighbors(isocomm).existing(), max_s, sources, destinations); });
}

int Rondo_Cart_mpi_neighbor_count(MPI_Comm cartcomm, int* s, int* indegree, int* outdegree) {
  return guarded(cartcomm, "Rondo_Cart_mpi_neighbor_count",
                 [&] { tell_counts(cart_neighbors(cartcomm), s, indegree, outdegree); });
}

int Rondo_Cart_mpi_neighbor_get(MPI_Comm cartcomm, int max_s, int sources[], int destinations[]) {
  return guarded(cartcomm, "Rondo_Cart_mpi_neighbor_get",
                 [&] { tell_ranks(cart_neighbors(cartcomm), max_s, sources, destinations); });
}

int Rondo_Cart_mpi_neighbor_graph_get(MPI_Comm cartcomm, int max_s, int sources[], int destinations[]) {
  return guarded(cartcomm, "Rondo_Cart_mpi_neighbor_graph_get",
                 [&] { tell_ranks(cart_neighbors(cartcomm).existing(), max_s, sources, destinations); });
}
