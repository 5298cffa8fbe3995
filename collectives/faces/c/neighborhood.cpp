// The C interface: neighborhoods.
#include <rondo/cart.h>

#include "collectives/communicators/cart_neighborhood.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/faces/c/errors.hpp"

#include <algorithm>
#include <functional>

using namespace rondo;
using namespace rondo::internal;

int Rondo_Cart_neighborhood_create(MPI_Comm comm, int d, const int dimensions[], const int periods[], int t,
                                   const int targetrelative[], const int* weight, MPI_Info info, int reorder,
                                   MPI_Comm* cartcomm) {
  return guarded(comm, "Rondo_Cart_neighborhood_create", [&] {
    const auto take_settings = [&](NeighborhoodArguments&, Settings& settings) {
      settings.take_assertions(info);
      require(cartcomm, "cartcomm");
      settings.take_environment();
      settings.take(info, comm);
    };
    if (cartcomm != nullptr) *cartcomm = MPI_COMM_NULL;
    *cartcomm = create_neighborhood(
        {"Rondo_Cart_neighborhood_create", comm, d, dimensions, periods, t, targetrelative, weight, reorder},
        std::ref(take_settings));
  });
}

int Rondo_Cart_relative_rank(MPI_Comm cartcomm, const int relative[], int* rank) {
  return guarded(cartcomm, "Rondo_Cart_relative_rank", [&] {
    require(relative, "relative");
    require(rank, "rank");
    const Grid& grid = NeighborhoodContext::of(cartcomm).grid();
    *rank = for_users(grid.relative_rank({relative, static_cast<std::size_t>(grid.dimensions())}));
  });
}

int Rondo_Cart_relative_shift(MPI_Comm cartcomm, const int relative[], int* inrank, int* outrank) {
  return guarded(cartcomm, "Rondo_Cart_relative_shift", [&] {
    require(relative, "relative");
    require(inrank, "inrank");
    require(outrank, "outrank");
    const Grid& grid = NeighborhoodContext::of(cartcomm).grid();
    const std::span offset(relative, static_cast<std::size_t>(grid.dimensions()));
    *inrank = for_users(grid.relative_rank(offset, -1));
    *outrank = for_users(grid.relative_rank(offset));
  });
}

int Rondo_Cart_relative_coord(MPI_Comm cartcomm, const int rank, int relative[]) {
  return guarded(cartcomm, "Rondo_Cart_relative_coord", [&] {
    require(relative, "relative");
    const Grid& grid = NeighborhoodContext::of(cartcomm).grid();
    std::ranges::copy(checked_offset_of(grid, rank), relative);
  });
}

int Rondo_Cart_neighbor_count(MPI_Comm cartcomm, int* t) {
  return guarded(cartcomm, "Rondo_Cart_neighbor_count", [&] {
    require(t, "t");
    *t = NeighborhoodContext::of(cartcomm).neighborhood().size();
  });
}

int Rondo_Cart_neighbor_get(MPI_Comm cartcomm, const int maxin, int source[], int* sourceweight, const int maxout,
                            int target[], int* targetweight) {
  return guarded(cartcomm, "Rondo_Cart_neighbor_get", [&] {
    const NeighborhoodContext& context = NeighborhoodContext::of(cartcomm);
    const Neighborhood& hood = context.neighborhood();
    const auto fill = [&](const char* name, int most, int ranks[], int weights[], int sign) {
      if (most < 0)
        throw Error(MPI_ERR_ARG, std::string("max") + name + ": is " + std::to_string(most) + ", must be at least 0");
      for (int i = 0; i < std::min(most, hood.size()); ++i) {
        require(ranks, sign > 0 ? "target" : "source");
        ranks[i] = for_users(context.grid().relative_rank(hood[i], sign));
        if (weights != nullptr && weights != MPI_UNWEIGHTED) weights[i] = hood.weights()[static_cast<std::size_t>(i)];
      }
    };
    fill("in", maxin, source, sourceweight, -1);
    fill("out", maxout, target, targetweight, 1);
  });
}
