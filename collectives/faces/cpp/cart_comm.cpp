// The C++ interface: CartComm.
#include <rondo/cart_comm.hpp>
#include <rondo/error.hpp>

#include "collectives/binding/make_operation.hpp"
#include "collectives/communicators/cart_neighborhood.hpp"
#include "collectives/communicators/graph_neighborhood.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/count_of.hpp"
#include "runtime/operation/request_table.hpp"

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace rondo {

using namespace internal;

namespace {

/// Frees the communicator with the last CartComm on it.
void free_owned(MPI_Comm* comm) {
  if (*comm != MPI_COMM_NULL && mpi_runs()) MPI_Comm_free(comm);
  delete comm;
}

/// Returns the flags as C takes them; `all_periodic` holds them if none were given.
const int* periods_for(std::span<const int> dimensions, std::span<const int> periods, std::vector<int>& all_periodic) {
  if (periods.empty()) return (all_periodic = std::vector<int>(dimensions.size(), 1)).data();
  if (periods.size() == dimensions.size()) return periods.data();
  throw Error(MPI_ERR_DIMS, "periods: has " + std::to_string(periods.size()) + " entries, must be empty or have " +
                                std::to_string(dimensions.size()));
}

}  // namespace

CartComm::CartComm(MPI_Comm comm, std::span<const int> dimensions, std::span<const int> periods,
                   const Neighborhood& neighborhood, const Options& options) {
  std::vector<int> all_periodic;
  std::shared_ptr<MPI_Comm> owned;
  const auto steps = [&](NeighborhoodArguments& arguments, Settings& settings) {
    settings.take_assertions(MPI_INFO_NULL);
    settings.assert_isomorphic = settings.assert_isomorphic || options.assert_isomorphic;
    if (neighborhood.dimensions() != static_cast<int>(dimensions.size())) {
      throw Error(MPI_ERR_DIMS, "neighborhood: has " + count_of(neighborhood.dimensions(), "dimension") +
                                    ", but the grid has " + std::to_string(dimensions.size()));
    }
    settings.take_environment();
    settings.take(options);
    arguments.periods = periods_for(dimensions, periods, all_periodic);
    owned = std::shared_ptr<MPI_Comm>(new MPI_Comm(MPI_COMM_NULL), free_owned);
  };
  const MPI_Comm made = named("CartComm", [&] {
    return create_neighborhood(
        {"CartComm", comm, static_cast<int>(dimensions.size()), dimensions.data(), nullptr, neighborhood.size(),
         neighborhood.flattened().data(), neighborhood.weighted() ? neighborhood.weights().data() : MPI_UNWEIGHTED,
         options.reorder ? 1 : 0},
        std::ref(steps));
  });
  *owned = made;
  context_ = NeighborhoodContext::shared(made);
  comm_ = std::move(owned);
}

std::optional<CartComm> CartComm::from_graph(MPI_Comm graph, std::span<const int> dimensions,
                                             std::span<const int> periods, const Options& options,
                                             std::string* reason) {
  std::vector<int> all_periodic;
  std::shared_ptr<MPI_Comm> owned;
  const auto steps = [&](NeighborhoodArguments& arguments, Settings& settings) {
    settings.take_assertions(MPI_INFO_NULL);
    settings.take_environment();
    settings.take(options);
    arguments.periods = periods_for(dimensions, periods, all_periodic);
    if (options.reorder)
      throw Error(MPI_ERR_ARG, "reorder: is true, must be false: the processes already have their places");
    owned = std::shared_ptr<MPI_Comm>(new MPI_Comm(MPI_COMM_NULL), free_owned);
  };
  constexpr const char* kName = "CartComm::from_graph";
  FoundNeighborhood found = named(kName, [&] {
    return find_neighborhood({.function = kName,
                              .comm = graph,
                              .d = static_cast<int>(dimensions.size()),
                              .dimensions = dimensions.data(),
                              .periods = nullptr,
                              .t = 0,
                              .targetrelative = nullptr,
                              .weight = nullptr,
                              .reorder = 0},
                             std::ref(steps));
  });
  if (reason != nullptr) *reason = std::move(found.reason);
  if (found.comm == MPI_COMM_NULL) return std::nullopt;
  *owned = found.comm;
  return CartComm(std::move(owned), NeighborhoodContext::shared(found.comm));
}

CartComm::CartComm(std::shared_ptr<MPI_Comm> comm, std::shared_ptr<NeighborhoodContext> context) noexcept
    : comm_(std::move(comm)), context_(std::move(context)) {}

CartComm CartComm::with_neighborhood(const Neighborhood& neighborhood, const Options& options) const {
  const auto steps = [&](Settings& settings) {
    settings.take(options);
    if (options.reorder)
      throw Error(MPI_ERR_ARG, "reorder: is true, must be false: the processes already have their places");
  };
  return named("CartComm::with_neighborhood", [&]() -> CartComm {
    return {comm_, further_neighborhood(context(), neighborhood, options.assert_isomorphic, std::ref(steps))};
  });
}

NeighborhoodContext& CartComm::context() const {
  require_mpi("CartComm");
  if (context_ == nullptr) throw Error(MPI_ERR_COMM, "comm: is a CartComm that was moved from");
  return *context_;
}

int CartComm::rank() const { return context().grid().rank(); }

int CartComm::size() const { return context().grid().size(); }

std::vector<int> CartComm::coordinates() const {
  const std::span<const int> coordinates = context().grid().coordinates();
  return {coordinates.begin(), coordinates.end()};
}

int CartComm::neighbor_count() const { return context().neighborhood().size(); }

int CartComm::relative_rank(std::span<const int> offset) const {
  const Grid& grid = context().grid();
  if (static_cast<int>(offset.size()) != grid.dimensions()) {
    throw Error(MPI_ERR_DIMS, "offset: has " + std::to_string(offset.size()) + " coordinates, must have " +
                                  std::to_string(grid.dimensions()));
  }
  return for_users(grid.relative_rank(offset));
}

namespace {

std::vector<int> neighbor_ranks(const NeighborhoodContext& context, int sign) {
  std::vector<int> ranks;
  for (int i = 0; i < context.neighborhood().size(); ++i) {
    ranks.push_back(for_users(context.grid().relative_rank(context.neighborhood()[i], sign)));
  }
  return ranks;
}

}  // namespace

std::vector<int> CartComm::sources() const { return neighbor_ranks(context(), -1); }

std::vector<int> CartComm::targets() const { return neighbor_ranks(context(), 1); }

std::vector<int> CartComm::offset_of(int rank) const { return checked_offset_of(context().grid(), rank); }

const Neighborhood& CartComm::neighborhood() const { return context().neighborhood(); }

std::span<const int> CartComm::graph_sources() const { return context().graph_order().sources; }

std::span<const int> CartComm::graph_targets() const { return context().graph_order().targets; }

std::vector<int> dims_create(MPI_Comm comm, int dimensions) {
  require_mpi("dims_create");
  if (comm == MPI_COMM_NULL) throw Error(MPI_ERR_COMM, "dims_create: comm: is MPI_COMM_NULL");
  if (dimensions < 1)
    throw Error(MPI_ERR_DIMS, "dims_create: dimensions: is " + std::to_string(dimensions) + ", must be at least 1");
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  std::vector<int> sizes(static_cast<std::size_t>(dimensions), 0);
  check_mpi(MPI_Dims_create(size, dimensions, sizes.data()), "MPI_Dims_create");
  return sizes;
}

}  // namespace rondo
