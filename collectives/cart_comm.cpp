// The C++ interface: CartComm.
#include <rondo/cart_comm.hpp>
#include <rondo/error.hpp>

#include "collectives/cart_alltoall.hpp"
#include "collectives/cart_neighborhood.hpp"
#include "collectives/comm_context.hpp"
#include "collectives/request_calls.hpp"

#include <string>

namespace rondo {
namespace {

/// The arrays of an alltoallw whose blocks are given by address.
template <typename Block>
struct BlockArrays {
  BlockArrays(const char* name, std::span<const Block> blocks, int t) : side(name) {
    if (blocks.size() != static_cast<std::size_t>(t)) {
      throw Error(MPI_ERR_ARG, std::string(name) + ": has " + std::to_string(blocks.size()) + " blocks, must have " +
                                   std::to_string(t) + ", one for each neighbor");
    }
    for (const Block& block : blocks) {
      counts.push_back(block.count);
      displacements.push_back(static_cast<MPI_Aint>(reinterpret_cast<std::intptr_t>(block.address)));
      types.push_back(block.type);
    }
  }
  [[nodiscard]] CallSide call_side() const {
    return CallSide::alltoallw(side, nullptr, counts.data(), displacements.data(), types.data());
  }

  const char* side;
  std::vector<int> counts;
  std::vector<MPI_Aint> displacements;
  std::vector<MPI_Datatype> types;
};

template <typename Body>
auto with_blocks(const char* name, MPI_Comm comm, std::span<const SendBlock> send, std::span<const RecvBlock> recv,
                 Body body) {
  const int t = CommContext::of(comm).neighborhood().size();
  const BlockArrays<SendBlock> sides_send("send", send, t);
  const BlockArrays<RecvBlock> sides_recv("recv", recv, t);
  return body(AlltoallCall{name, sides_send.call_side(), sides_recv.call_side()});
}

AlltoallCall regular(const char* name, const void* send, void* recv, const int& count, const MPI_Datatype& type) {
  return {name, CallSide::alltoall("send", send, count, type), CallSide::alltoall("recv", recv, count, type)};
}

SettingsOf override_with(const Options& options) {
  return [&options](const Settings& settings) { return settings.with(options); };
}

}  // namespace

CartComm::CartComm(MPI_Comm comm, std::span<const int> dimensions, const Neighborhood& neighborhood,
                   const Options& options) {
  const std::vector<int> periods(dimensions.size(), 1);
  const auto settings = [&] {
    // Only in here can a bad value still be told to all ranks.
    if (neighborhood.dimensions() != static_cast<int>(dimensions.size())) {
      throw Error(MPI_ERR_DIMS, "neighborhood: has " + std::to_string(neighborhood.dimensions()) +
                                    " dimensions, the torus has " + std::to_string(dimensions.size()));
    }
    return Settings::from_environment().with(options);
  };
  comm_ = create_neighborhood(
      {comm, static_cast<int>(dimensions.size()), dimensions.data(), periods.data(), neighborhood.size(),
       neighborhood.flattened().data(), neighborhood.weighted() ? neighborhood.weights().data() : MPI_UNWEIGHTED,
       options.reorder ? 1 : 0},
      settings);
}

CartComm& CartComm::operator=(CartComm&& other) noexcept {
  std::swap(comm_, other.comm_);
  return *this;
}

CartComm::~CartComm() {
  int finalized = 0;
  if (comm_ == MPI_COMM_NULL || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  MPI_Comm_free(&comm_);
}

int CartComm::rank() const { return CommContext::of(comm_).torus().rank(); }

int CartComm::size() const { return CommContext::of(comm_).torus().size(); }

std::vector<int> CartComm::coordinates() const {
  const Torus& torus = CommContext::of(comm_).torus();
  std::vector<int> coordinates(static_cast<std::size_t>(torus.dimensions()));
  MPI_Cart_coords(comm_, torus.rank(), torus.dimensions(), coordinates.data());
  return coordinates;
}

int CartComm::neighbor_count() const { return CommContext::of(comm_).neighborhood().size(); }

int CartComm::relative_rank(std::span<const int> offset) const {
  const Torus& torus = CommContext::of(comm_).torus();
  if (static_cast<int>(offset.size()) != torus.dimensions()) {
    throw Error(MPI_ERR_DIMS, "offset: has " + std::to_string(offset.size()) + " coordinates, must have " +
                                  std::to_string(torus.dimensions()));
  }
  return torus.relative_rank(offset);
}

namespace {

std::vector<int> neighbor_ranks(MPI_Comm comm, int sign) {
  const CommContext& context = CommContext::of(comm);
  std::vector<int> ranks;
  for (int i = 0; i < context.neighborhood().size(); ++i) {
    ranks.push_back(context.torus().relative_rank(context.neighborhood()[i], sign));
  }
  return ranks;
}

}  // namespace

std::vector<int> CartComm::sources() const { return neighbor_ranks(comm_, -1); }

std::vector<int> CartComm::targets() const { return neighbor_ranks(comm_, 1); }

void CartComm::alltoall(const void* send, void* recv, int count, MPI_Datatype type) {
  run_alltoall(regular("CartComm::alltoall", send, recv, count, type), comm_);
}

Request CartComm::ialltoall(const void* send, void* recv, int count, MPI_Datatype type) {
  return Request(make_request(start_alltoall(regular("CartComm::ialltoall", send, recv, count, type), comm_)));
}

Request CartComm::alltoall_init(const void* send, void* recv, int count, MPI_Datatype type, const Options& options) {
  return Request(make_request(
      init_alltoall(regular("CartComm::alltoall_init", send, recv, count, type), comm_, override_with(options))));
}

void CartComm::alltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  with_blocks("CartComm::alltoallw", comm_, send, recv, [&](const AlltoallCall& call) { run_alltoall(call, comm_); });
}

Request CartComm::ialltoallw(std::span<const SendBlock> send, std::span<const RecvBlock> recv) {
  return with_blocks("CartComm::ialltoallw", comm_, send, recv,
                     [&](const AlltoallCall& call) { return Request(make_request(start_alltoall(call, comm_))); });
}

Request CartComm::alltoallw_init(std::span<const SendBlock> send, std::span<const RecvBlock> recv,
                                 const Options& options) {
  return with_blocks("CartComm::alltoallw_init", comm_, send, recv, [&](const AlltoallCall& call) {
    return Request(make_request(init_alltoall(call, comm_, override_with(options))));
  });
}

void CartComm::check_extent(std::size_t send, std::size_t recv, int count) const {
  const auto needed = static_cast<std::size_t>(neighbor_count()) * static_cast<std::size_t>(std::max(count, 0));
  for (const auto& [name, size] : {std::pair{"send", send}, std::pair{"recv", recv}}) {
    if (size >= needed) continue;
    throw Error(MPI_ERR_BUFFER, std::string(name) + ": has " + std::to_string(size) + " elements, must have " +
                                    std::to_string(needed) + ", count for each neighbor");
  }
}

void CartComm::check_block(const char* side, std::size_t elements, std::span<const int> counts,
                           std::span<const int> displacements) const {
  const auto t = static_cast<std::size_t>(neighbor_count());
  if (counts.size() != t || displacements.size() != t) {
    throw Error(MPI_ERR_ARG, std::string(side) + ": has " + std::to_string(counts.size()) + " counts and " +
                                 std::to_string(displacements.size()) + " displacements, must have " +
                                 std::to_string(t) + " of each");
  }
  for (std::size_t i = 0; i < t; ++i) {
    const std::int64_t end = std::int64_t{displacements[i]} + counts[i];
    if (displacements[i] >= 0 && end <= static_cast<std::int64_t>(elements)) continue;
    if (counts[i] == 0) continue;
    throw Error(MPI_ERR_BUFFER, std::string(side) + " block " + std::to_string(i) + ": is elements [" +
                                    std::to_string(displacements[i]) + ", " + std::to_string(end) +
                                    "), must be within [0, " + std::to_string(elements) + ")");
  }
}

}  // namespace rondo
