#include "collectives/communicators/iso_neighborhood.hpp"

#include <rondo/error.hpp>

#include "collectives/communicators/cart_neighborhood.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/topology/cartesian_grid.hpp"
#include "datatypes/reading/mpi_check.hpp"

#include <algorithm>
#include <string>

namespace rondo::internal {
namespace {

constexpr const char* kCreate = "Rondo_Iso_neighborhood_create";

}  // namespace

Grid grid_of(MPI_Comm cartcomm) {
  if (cartcomm == MPI_COMM_NULL) throw Error(MPI_ERR_COMM, "cartcomm: is MPI_COMM_NULL, must be Cartesian");
  if (const auto* context = NeighborhoodContext::find(cartcomm)) return (*context)->grid();
  return cartesian_grid(cartcomm);
}

MPI_Comm create_iso_neighborhood(MPI_Comm cartcomm, int s, const int* relative_coordinates,
                                 const std::function<void()>& check) {
  check_intracommunicator(cartcomm, "cartcomm", kCreate);
  const auto* before = NeighborhoodContext::find(cartcomm);
  if (before == nullptr) check_cartesian(cartcomm);
  std::vector<int> sizes;
  std::vector<int> periods;
  const auto steps = [&](NeighborhoodArguments& arguments, Settings& settings) {
    if (before == nullptr)
      settings.take_assertions(MPI_INFO_NULL);
    else
      settings.assert_isomorphic = (*before)->settings().assert_isomorphic;
    check();
    if (s < 0) throw Error(MPI_ERR_ARG, "s: is " + std::to_string(s) + ", must be at least 0");
    if (s > 0 && relative_coordinates == nullptr)
      throw Error(MPI_ERR_ARG, "relative_coordinates: is null, must have s*d entries");
    if (before == nullptr)
      settings.take_environment();
    else
      settings = (*before)->settings();
    const Grid grid = grid_of(cartcomm);
    sizes.assign(grid.sizes().begin(), grid.sizes().end());
    periods.assign(grid.periods().begin(), grid.periods().end());
    arguments.d = grid.dimensions();
    arguments.dimensions = sizes.data();
    arguments.periods = periods.data();
  };
  return create_neighborhood({.function = kCreate,
                              .comm = cartcomm,
                              .d = 0,
                              .dimensions = nullptr,
                              .periods = nullptr,
                              .t = s,
                              .targetrelative = relative_coordinates,
                              .weight = MPI_UNWEIGHTED,
                              .reorder = 0,
                              .attach = before == nullptr},
                             std::ref(steps));
}

NeighborRanks NeighborRanks::existing() const {
  NeighborRanks some;
  const auto exists = [](int rank) { return rank != kNoRank; };
  std::ranges::copy_if(sources, std::back_inserter(some.sources), exists);
  std::ranges::copy_if(targets, std::back_inserter(some.targets), exists);
  return some;
}

NeighborRanks iso_neighbors(MPI_Comm isocomm) {
  const NeighborhoodContext& context = NeighborhoodContext::of(isocomm);
  NeighborRanks ranks;
  for (int i = 0; i < context.neighborhood().size(); ++i) {
    ranks.sources.push_back(context.grid().relative_rank(context.neighborhood()[i], -1));
    ranks.targets.push_back(context.grid().relative_rank(context.neighborhood()[i], 1));
  }
  return ranks;
}

NeighborRanks cart_neighbors(MPI_Comm cartcomm) {
  const Grid grid = grid_of(cartcomm);
  std::vector<int> ranks;
  for (int k = 0; k < grid.dimensions(); ++k) {
    for (const int step : {-1, 1}) ranks.push_back(grid.rank_along(k, step));
  }
  return {ranks, ranks};
}

}  // namespace rondo::internal
