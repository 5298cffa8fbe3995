#include "runtime/base/world.hpp"

#include "datatypes/reading/mpi_running.hpp"

#include <array>
#include <atomic>
#include <string_view>

namespace rondo::internal {

int world_rank() noexcept {
  static std::atomic<int> known = -1;
  int rank = known.load(std::memory_order_relaxed);  // relaxed: nothing else is published with it
  if (rank >= 0 || !mpi_runs() || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return rank;
  known.store(rank, std::memory_order_relaxed);
  return rank;
}

TextLine describe_comm(MPI_Comm comm) noexcept {
  TextLine line;
  int ranks = 0;
  int length = 0;
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  if (MPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return line << "a communicator that MPI cannot tell of";
  const char* const plural = ranks == 1 ? " rank" : " ranks";
  if (MPI_Comm_get_name(comm, name.data(), &length) != MPI_SUCCESS || length == 0)
    return line << "a communicator of " << ranks << plural;
  return line << std::string_view(name.data(), static_cast<std::size_t>(length)) << " (" << ranks << plural << ")";
}

}  // namespace rondo::internal
