#include "collectives/iso_neighborhood.hpp"

#include <rondo/error.hpp>

#include "collectives/cart_neighborhood.hpp"
#include "collectives/comm_context.hpp"
#include "datatypes/mpi_check.hpp"

#include <algorithm>
#include <string>

namespace rondo {
namespace {

constexpr const char* kCreate = "Rondo_Iso_neighborhood_create";

void check_cartesian(MPI_Comm comm) {
  int status = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(comm, &status), "cartcomm");
  if (status != MPI_CART) throw Error(MPI_ERR_TOPOLOGY, "cartcomm: is not Cartesian");
}

}  // namespace

Grid grid_of(MPI_Comm cartcomm) {
  if (cartcomm == MPI_COMM_NULL) throw Error(MPI_ERR_COMM, "cartcomm: is MPI_COMM_NULL, must be Cartesian");
  if (const auto* context = CommContext::find(cartcomm)) return (*context)->grid();
  check_cartesian(cartcomm);
  int d = 0;
  check_mpi(MPI_Cartdim_get(cartcomm, &d), "MPI_Cartdim_get");
  std::vector<int> sizes(static_cast<std::size_t>(d));
  std::vector<int> periods(sizes.size());
  std::vector<int> coordinates(sizes.size());
  check_mpi(MPI_Cart_get(cartcomm, d, sizes.data(), periods.data(), coordinates.data()), "MPI_Cart_get");
  int rank = 0;
  check_mpi(MPI_Comm_rank(cartcomm, &rank), "MPI_Comm_rank");
  return {sizes, periods, rank};
}

MPI_Comm create_iso_neighborhood(MPI_Comm cartcomm, int s, const int* relative_coordinates,
                                 const std::function<void()>& check) {
  check_intracommunicator(cartcomm, "cartcomm", kCreate);
  const auto* before = CommContext::find(cartcomm);
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
  const CommContext& context = CommContext::of(isocomm);
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

}  // namespace rondo
