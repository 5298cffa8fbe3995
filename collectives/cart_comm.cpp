// The C++ interface: CartComm.
#include <rondo/cart_comm.hpp>
#include <rondo/error.hpp>

#include "collectives/cart_alltoall.hpp"
#include "collectives/cart_neighborhood.hpp"
#include "collectives/comm_context.hpp"
#include "runtime/request_table.hpp"

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace rondo {
namespace {

/// The arrays of an alltoallw whose blocks are given by address.
template <typename Block>
class BlockArrays {
 public:
  BlockArrays(const char* side, std::span<const Block> blocks) : side_(side) {
    for (const Block& block : blocks) {
      counts_.push_back(block.count);
      displacements_.push_back(static_cast<MPI_Aint>(reinterpret_cast<std::intptr_t>(block.address)));
      types_.push_back(block.type);
    }
  }
  [[nodiscard]] CallSide call_side() const {
    CallSide side = CallSide::alltoallw(side_, nullptr, counts_.data(), displacements_.data(), types_.data());
    side.entries = std::ssize(counts_);
    return side;
  }

 private:
  const char* side_;
  std::vector<int> counts_;
  std::vector<MPI_Aint> displacements_;
  std::vector<MPI_Datatype> types_;
};

struct AlltoallwArrays {
  AlltoallwArrays(std::span<const SendBlock> send_blocks, std::span<const RecvBlock> recv_blocks)
      : send("send", send_blocks), recv("recv", recv_blocks) {}
  [[nodiscard]] AlltoallCall call(const char* name) const { return {name, send.call_side(), recv.call_side()}; }

  BlockArrays<SendBlock> send;
  BlockArrays<RecvBlock> recv;
};

CallSide regular_side(const char* side, const ElementBuffer& buffer, const int& count) {
  CallSide made = CallSide::alltoall(side, buffer.address, count, buffer.type);
  made.elements = buffer.elements;
  return made;
}

AlltoallCall regular_call(const char* name, const ElementBuffer& send, const ElementBuffer& recv, const int& count) {
  return {name, regular_side("send", send, count), regular_side("recv", recv, count)};
}

CallSide irregular_side(const char* name, const ElementBuffer& buffer, const BlockPlaces& places) {
  if (places.counts.size() != places.displacements.size()) {
    throw Error(MPI_ERR_ARG, std::string(name) + ": has " + std::to_string(places.counts.size()) + " counts and " +
                                 std::to_string(places.displacements.size()) +
                                 " displacements, must have one of each for each neighbor");
  }
  CallSide side =
      CallSide::alltoallv(name, buffer.address, places.counts.data(), places.displacements.data(), buffer.type);
  side.entries = std::ssize(places.counts);
  side.elements = buffer.elements;
  return side;
}

AlltoallCall irregular_call(const char* name, const ElementBuffer& send, const BlockPlaces& send_places,
                            const ElementBuffer& recv, const BlockPlaces& recv_places) {
  return {name, irregular_side("send", send, send_places), irregular_side("recv", recv, recv_places)};
}

/// Frees the communicator with the last CartComm on it.
void free_owned(MPI_Comm* comm) {
  int finalized = 0;
  if (*comm != MPI_COMM_NULL && MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Comm_free(comm);
  delete comm;
}

/// `make_call` is called where what it throws is told to all ranks.
template <typename MakeCall>
Rondo_Request init(const char* name, CommContext& context, const Options& options, MakeCall make_call) {
  std::optional<ReservedRequest> reserved;
  const auto steps = [&](AlltoallCall& call, Settings& settings) {
    settings.take(options);
    call = make_call();
    reserved.emplace();
  };
  std::unique_ptr<Operation> operation = init_alltoall(name, context, std::ref(steps));
  return reserved->fill(std::move(operation));
}

Rondo_Request start(const AlltoallCall& call, CommContext& context) {
  ReservedRequest reserved;
  return reserved.fill(start_alltoall(call, context));
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
      throw Error(MPI_ERR_DIMS, "neighborhood: has " + std::to_string(neighborhood.dimensions()) +
                                    " dimensions, the grid has " + std::to_string(dimensions.size()));
    }
    if (!periods.empty() && periods.size() != dimensions.size()) {
      throw Error(MPI_ERR_DIMS, "periods: has " + std::to_string(periods.size()) + " entries, must be empty or have " +
                                    std::to_string(dimensions.size()));
    }
    settings.take_environment();
    settings.take(options);
    if (periods.empty()) all_periodic.assign(dimensions.size(), 1);
    arguments.periods = periods.empty() ? all_periodic.data() : periods.data();
    owned = std::shared_ptr<MPI_Comm>(new MPI_Comm(MPI_COMM_NULL), free_owned);
  };
  const MPI_Comm made = create_neighborhood(
      {comm, static_cast<int>(dimensions.size()), dimensions.data(), nullptr, neighborhood.size(),
       neighborhood.flattened().data(), neighborhood.weighted() ? neighborhood.weights().data() : MPI_UNWEIGHTED,
       options.reorder ? 1 : 0},
      std::ref(steps));
  *owned = made;
  context_ = CommContext::shared(made);
  comm_ = std::move(owned);
}

CartComm::CartComm(std::shared_ptr<MPI_Comm> comm, std::shared_ptr<CommContext> context) noexcept
    : comm_(std::move(comm)), context_(std::move(context)) {}

CartComm CartComm::with_neighborhood(const Neighborhood& neighborhood, const Options& options) const {
  const auto steps = [&](Settings& settings) {
    settings.take(options);
    if (options.reorder) throw Error(MPI_ERR_ARG, "reorder: is true, must not be: the processes have their places");
  };
  return {comm_, further_neighborhood(context(), neighborhood, options.assert_isomorphic, std::ref(steps))};
}

CommContext& CartComm::context() const {
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

std::vector<int> neighbor_ranks(const CommContext& context, int sign) {
  std::vector<int> ranks;
  for (int i = 0; i < context.neighborhood().size(); ++i) {
    ranks.push_back(for_users(context.grid().relative_rank(context.neighborhood()[i], sign)));
  }
  return ranks;
}

}  // namespace

std::vector<int> CartComm::sources() const { return neighbor_ranks(context(), -1); }

std::vector<int> CartComm::targets() const { return neighbor_ranks(context(), 1); }

void CartComm::alltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  run_alltoall(regular_call("CartComm::alltoall", send, recv, count), context());
}

Request CartComm::ialltoall(const ElementBuffer& send, const ElementBuffer& recv, int count) {
  return Request(start(regular_call("CartComm::ialltoall", send, recv, count), context()));
}

Request CartComm::alltoall_init(const ElementBuffer& send, const ElementBuffer& recv, int count,
                                const Options& options) {
  constexpr const char* kName = "CartComm::alltoall_init";
  return Request(init(kName, context(), options, [&] { return regular_call(kName, send, recv, count); }));
}

void CartComm::alltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                         const BlockPlaces& recv_places) {
  run_alltoall(irregular_call("CartComm::alltoallv", send, send_places, recv, recv_places), context());
}

Request CartComm::ialltoallv(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                             const BlockPlaces& recv_places) {
  return Request(start(irregular_call("CartComm::ialltoallv", send, send_places, recv, recv_places), context()));
}

Request CartComm::alltoallv_init(const ElementBuffer& send, const BlockPlaces& send_places, const ElementBuffer& recv,
                                 const BlockPlaces& recv_places, const Options& options) {
  constexpr const char* kName = "CartComm::alltoallv_init";
  return Request(
      init(kName, context(), options, [&] { return irregular_call(kName, send, send_places, recv, recv_places); }));
}

void CartComm::alltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  const AlltoallwArrays arrays(send, recv);
  run_alltoall(arrays.call("CartComm::alltoallw"), context());
}

Request CartComm::ialltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  const AlltoallwArrays arrays(send, recv);
  return Request(start(arrays.call("CartComm::ialltoallw"), context()));
}

Request CartComm::alltoallw_init(std::span<const SendBlock> send, std::span<const RecvBlock> recv,
                                 const Options& options) {
  constexpr const char* kName = "CartComm::alltoallw_init";
  std::optional<AlltoallwArrays> arrays;
  return Request(init(kName, context(), options, [&] { return arrays.emplace(send, recv).call(kName); }));
}

}  // namespace rondo
