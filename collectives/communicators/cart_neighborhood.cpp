#include "collectives/communicators/cart_neighborhood.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/creation.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/communicators/lane_making.hpp"
#include "collectives/communicators/neighborhood_agreement.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/count_of.hpp"
#include "runtime/base/mix.hpp"
#include "runtime/operation/operation.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <string>

namespace rondo::internal {
namespace {

void check_weights(std::span<const int> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] < 0) {
      throw Error(MPI_ERR_ARG,
                  "weight[" + std::to_string(i) + "]: is " + std::to_string(weights[i]) + ", must be at least 0");
    }
  }
}

}  // namespace

void check_grid(const NeighborhoodArguments& arguments, int processes) {
  const int d = arguments.d;
  if (d < 1) throw Error(MPI_ERR_DIMS, "d: is " + std::to_string(d) + ", must be at least 1");
  if (arguments.dimensions == nullptr) throw Error(MPI_ERR_ARG, "dimensions: is null, must have d entries");
  if (arguments.periods == nullptr) throw Error(MPI_ERR_ARG, "periods: is null, must have d entries");
  std::int64_t product = 1;
  for (int k = 0; k < d; ++k) {
    const std::string index = "[" + std::to_string(k) + "]: is ";
    if (arguments.dimensions[k] < 1) {
      throw Error(MPI_ERR_DIMS,
                  "dimensions" + index + std::to_string(arguments.dimensions[k]) + ", must be at least 1");
    }
    product = std::min<std::int64_t>(product * arguments.dimensions[k], std::int64_t{1} << 32);
  }
  if (product != processes) {
    throw Error(MPI_ERR_DIMS, "dimensions: their product is " + std::to_string(product) +
                                  (product >> 32 != 0 ? " or more" : "") + ", must be the size of comm, " +
                                  std::to_string(processes));
  }
}

namespace {

void check_arguments(const NeighborhoodArguments& arguments, int processes) {
  check_grid(arguments, processes);
  if (arguments.t < 0) throw Error(MPI_ERR_ARG, "t: is " + std::to_string(arguments.t) + ", must be at least 0");
  if (arguments.t > 0 && arguments.targetrelative == nullptr) {
    throw Error(MPI_ERR_ARG, "targetrelative: is null, must have t*d entries");
  }
  if (arguments.weight == MPI_UNWEIGHTED || arguments.t == 0) return;
  if (arguments.weight == nullptr)
    throw Error(MPI_ERR_ARG, "weight: is null, must have t entries or be MPI_UNWEIGHTED");
  check_weights({arguments.weight, static_cast<std::size_t>(arguments.t)});
}

Neighborhood neighborhood_of(const NeighborhoodArguments& arguments) {
  const auto t = static_cast<std::size_t>(arguments.t);
  const auto d = static_cast<std::size_t>(arguments.d);
  const bool weighted = arguments.weight != MPI_UNWEIGHTED && t > 0;
  return {arguments.d, std::span(arguments.targetrelative, t * d),
          weighted ? std::span(arguments.weight, t) : std::span<const int>{}};
}

/// Returns the grid as the caller sees it before any process moves.
Grid first_grid_of(const NeighborhoodArguments& arguments) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(arguments.comm, &rank), "MPI_Comm_rank");
  const auto d = static_cast<std::size_t>(arguments.d);
  return {{arguments.dimensions, d}, {arguments.periods, d}, rank};
}

MPI_Comm make_cartesian(const NeighborhoodArguments& arguments, const Grid& grid, const Neighborhood& hood) {
  MPI_Comm by_place = MPI_COMM_NULL;
  if (arguments.reorder != 0) by_place = reordered(arguments.comm, grid, hood, arguments.node);
  MPI_Comm cart = MPI_COMM_NULL;
  const int code = MPI_Cart_create(by_place == MPI_COMM_NULL ? arguments.comm : by_place, arguments.d,
                                   arguments.dimensions, arguments.periods, 0, &cart);
  if (by_place != MPI_COMM_NULL) MPI_Comm_free(&by_place);
  check_mpi(code, "MPI_Cart_create");
  return cart;
}

NeighborhoodHashes hashes_of(const NeighborhoodArguments& arguments, const Neighborhood& hood,
                             const Settings& settings) {
  NeighborhoodHashes hashes(hood, settings);
  hashes.reorder = arguments.reorder != 0 ? 1 : 0;
  for (int k = 0; k < arguments.d; ++k) {
    hashes.dimensions = mix(hashes.dimensions, static_cast<std::uint64_t>(arguments.dimensions[k]));
    hashes.periods = mix(hashes.periods, arguments.periods[k] != 0 ? 1 : 0);
  }
  return hashes;
}

}  // namespace

void check_intracommunicator(MPI_Comm comm, const char* argument, const char* function) {
  require_mpi(function);
  const std::string name = argument;
  if (comm == MPI_COMM_NULL) throw Error(MPI_ERR_COMM, name + ": is MPI_COMM_NULL, must be an intracommunicator");
  int inter = 0;
  check_mpi(MPI_Comm_test_inter(comm, &inter), argument);
  if (inter != 0) throw Error(MPI_ERR_COMM, name + ": is an intercommunicator, must be an intracommunicator");
}

MPI_Comm create_neighborhood(NeighborhoodArguments arguments, const CompleteArguments& steps) {
  const Making making(arguments.function);
  check_intracommunicator(arguments.comm, arguments.attach ? "cartcomm" : "comm", arguments.function);
  int processes = 0;
  check_mpi(MPI_Comm_size(arguments.comm, &processes), "MPI_Comm_size");

  // All ranks are informed of a bad argument or lack of memory on one rank, unless the caller asserts isomorphism, so
  // that no rank is left waiting. All that can fail on one rank alone comes before the agreements.
  Settings settings;
  std::shared_ptr<PrivateComm> own;
  std::optional<Neighborhood> hood;
  std::optional<Grid> grid;
  NeighborhoodHashes hashes;
  std::exception_ptr trouble = trouble_in([&] {
    steps(arguments, settings);
    watch_for_finalize();
    NeighborhoodContext::prepare();
    check_arguments(arguments, processes);
    own = std::make_shared<PrivateComm>();
    hood = neighborhood_of(arguments);
    grid = first_grid_of(arguments);
    hashes = hashes_of(arguments, *hood, settings);
  });
  DenseContext::wait_for_duplicate_of(arguments.comm);
  std::optional<Creation> creation;  // without it the ranks know nothing of each other's nodes
  std::optional<LaneMaking> lanes;
  if (!settings.assert_isomorphic) {
    std::vector<std::int64_t> nodes;
    if (!trouble) trouble = trouble_in([&] { nodes.resize(static_cast<std::size_t>(processes)); });
    creation.emplace(hashes.all(), settings.shm, trouble, arguments.comm);
    lanes.emplace(creation->words, settings.shm, std::move(nodes));
    creation->reach();
    require_same_neighborhood(creation->asked_alike(), hashes, arguments.comm);
  } else if (trouble) {
    std::rethrow_exception(trouble);
  }

  MPI_Comm cart = arguments.attach ? arguments.comm : make_cartesian(arguments, *grid, *hood);
  bool attached = false;
  try {
    own->duplicate(cart);
    if (creation) creation->align_traces(*own);
    if (lanes && !lanes->is_wanted(creation->words)) lanes.reset();
    if (lanes) lanes->find(own->get(), creation->on_one_node());
    std::shared_ptr<CommState> state;
    trouble = trouble_in([&] {
      int rank = 0;
      check_mpi(MPI_Comm_rank(cart, &rank), "MPI_Comm_rank");
      auto on = std::make_shared<const GridContext>(
          own, grid->seen_from(rank), creation ? creation->ranks_per_core() : 1.0, creation && creation->on_one_node(),
          !creation || creation->shares_cache());
      state = on->state;
      if (lanes) lanes->prepare(own->get());
      NeighborhoodContext::attach(cart,
                                  std::make_shared<NeighborhoodContext>(std::move(on), std::move(*hood), settings));
      attached = true;
    });
    if (!settings.assert_isomorphic)
      agree_that_all_is_well(trouble, own->get());
    else if (trouble)
      std::rethrow_exception(trouble);
    if (lanes) lanes->connect(*state, creation->words);
  } catch (...) {
    if (!arguments.attach)
      MPI_Comm_free(&cart);
    else if (attached)
      NeighborhoodContext::detach(cart);
    throw;
  }
  return cart;
}

std::shared_ptr<NeighborhoodContext> further_neighborhood(const NeighborhoodContext& base,
                                                          const Neighborhood& neighborhood, bool assert_isomorphic,
                                                          const CompleteSettings& steps) {
  const std::shared_ptr<const GridContext>& on = base.on();
  const std::scoped_lock lock(on->state->mutex());
  on->state->own()->require_usable();
  const Making making("CartComm::with_neighborhood");
  // All that can fail on one rank alone comes before the agreement, which is all that ranks do together.
  const bool asserted = base.settings().assert_isomorphic || assert_isomorphic;
  Settings settings;
  std::shared_ptr<NeighborhoodContext> made;
  const std::exception_ptr trouble = trouble_in([&] {
    settings = base.settings();
    settings.assert_isomorphic = asserted;
    steps(settings);
    if (neighborhood.dimensions() != on->grid.dimensions()) {
      throw Error(MPI_ERR_DIMS, "neighborhood: has " + count_of(neighborhood.dimensions(), "dimension") +
                                    ", but the grid has " + std::to_string(on->grid.dimensions()));
    }
    check_weights(neighborhood.weights());
    made = std::make_shared<NeighborhoodContext>(on, neighborhood, settings);
  });
  if (!asserted)
    agree_on_neighborhood({neighborhood, settings}, trouble, on->state->comm());
  else if (trouble)
    std::rethrow_exception(trouble);
  return made;
}

std::vector<int> checked_offset_of(const Grid& grid, int rank) {
  if (rank < 0 || rank >= grid.size()) {
    throw Error(MPI_ERR_RANK,
                "rank: is " + std::to_string(rank) + ", must be in [0, " + std::to_string(grid.size()) + ")");
  }
  return grid.offset_of(rank);
}

}  // namespace rondo::internal
