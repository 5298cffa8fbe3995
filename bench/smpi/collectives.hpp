/// @file
/// The alltoalls that are run under SMPI, by the names of the command line.
#ifndef RONDO_BENCH_SMPI_COLLECTIVES_HPP
#define RONDO_BENCH_SMPI_COLLECTIVES_HPP

#include <rondo/rondo.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::smpi {

/// A block by its sender and the number that it has there.
using BlockName = std::pair<int, int>;

/// On all ranks of MPI_COMM_WORLD, each with as many blocks.
struct Collective {
  std::string name;
  int blocks;
  /// A persistent operation. Collective.
  std::function<rondo::Request(std::span<const std::byte> send, std::span<std::byte> recv, int bytes,
                               const rondo::Options& options)>
      init;
  /// What block i of a rank's receive buffer is in the end.
  std::function<BlockName(int rank, int i)> arriving;
};

/// dense; or on a torus of all ranks 9-point, 27-point, box-5 (5 dimensions, 3 in each), or shift, one message from
/// each rank to the next. Collective. Throws std::invalid_argument for another name.
[[nodiscard]] Collective collective_named(const std::string& name);

/// Writes what a rank sends.
void fill(std::span<std::byte> send, const Collective& collective, int rank);
/// Whether all has arrived that a rank should have received.
[[nodiscard]] bool is_right(std::span<const std::byte> recv, const Collective& collective, int rank);

}  // namespace rondo::internal::smpi

#endif
