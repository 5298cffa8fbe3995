#include "collectives.hpp"

#include <memory>
#include <stdexcept>

namespace rondo::internal::smpi {
namespace {

std::byte content(const BlockName& block, std::size_t offset) {
  const std::uint64_t mixed =
      (static_cast<std::uint64_t>(block.first) << 40U) + (static_cast<std::uint64_t>(block.second) << 20U) + offset;
  return static_cast<std::byte>((mixed * 0x9E3779B97F4A7C15U) >> 56U);
}

Collective dense() {
  const auto comm = std::make_shared<rondo::Comm>(MPI_COMM_WORLD);
  return {
      .name = "dense",
      .blocks = comm->size(),
      .init =
          [comm](std::span<const std::byte> send, std::span<std::byte> recv, int bytes, const rondo::Options& options) {
            return comm->alltoall_init(send.data(), recv.data(), bytes, MPI_BYTE, options);
          },
      .arriving =
          [](int rank, int i) {
            return BlockName{i, rank};
          }};
}

/// The rank that has `rank` at an offset from it, in row-major order as MPI's Cartesian communicators have it.
int source_of(int rank, std::span<const int> offset, std::span<const int> sizes) {
  int source = 0;
  int stride = 1;
  for (std::size_t k = sizes.size(); k-- > 0;) {
    const int size = sizes[k];
    const int coordinate = ((rank / stride % size - offset[k]) % size + size) % size;
    source += coordinate * stride;
    stride *= size;
  }
  return source;
}

Collective on_torus(std::string name, rondo::Neighborhood neighborhood) {
  const std::vector<int> sizes = rondo::dims_create(MPI_COMM_WORLD, neighborhood.dimensions());
  const auto comm = std::make_shared<rondo::CartComm>(MPI_COMM_WORLD, sizes, neighborhood);
  return {
      .name = std::move(name),
      .blocks = neighborhood.size(),
      .init =
          [comm](std::span<const std::byte> send, std::span<std::byte> recv, int bytes, const rondo::Options& options) {
            return comm->alltoall_init(send.data(), recv.data(), bytes, MPI_BYTE, options);
          },
      .arriving =
          [sizes, neighborhood](int rank, int i) {
            return BlockName{source_of(rank, neighborhood[i], sizes), i};
          }};
}

/// Calls visit(block, its bytes) for a rank's buffer.
template <typename Byte, typename Visit>
void for_each_block(std::span<Byte> buffer, const Collective& collective, Visit visit) {
  const std::size_t bytes = buffer.size() / static_cast<std::size_t>(collective.blocks);
  for (int i = 0; i < collective.blocks; ++i) visit(i, buffer.subspan(static_cast<std::size_t>(i) * bytes, bytes));
}

}  // namespace

Collective collective_named(const std::string& name) {
  if (name == "dense") return dense();
  if (name == "shift") return on_torus(name, rondo::Neighborhood{{1}});
  if (name == "9-point") return on_torus(name, rondo::moore(2, 1));
  if (name == "27-point") return on_torus(name, rondo::moore(3, 1));
  if (name == "box-5") return on_torus(name, rondo::box(5, 3, -1));
  throw std::invalid_argument("no collective is called " + name);
}

void fill(std::span<std::byte> send, const Collective& collective, int rank) {
  for_each_block(send, collective, [&](int i, std::span<std::byte> block) {
    for (std::size_t at = 0; at < block.size(); ++at) block[at] = content({rank, i}, at);
  });
}

bool is_right(std::span<const std::byte> recv, const Collective& collective, int rank) {
  bool right = true;
  for_each_block(recv, collective, [&](int i, std::span<const std::byte> block) {
    const BlockName name = collective.arriving(rank, i);
    for (std::size_t at = 0; at < block.size(); ++at) right = right && block[at] == content(name, at);
  });
  return right;
}

}  // namespace rondo::internal::smpi
