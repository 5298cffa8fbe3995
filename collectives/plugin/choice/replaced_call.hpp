/// @file
/// ReplacedCall: the collectives that the plug-in replaces, and which of them it takes.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_REPLACED_CALL_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_REPLACED_CALL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rondo::internal::plugin {

enum class ReplacedCall : std::uint8_t {
  alltoall,
  alltoallv,
  alltoallw,
  ialltoall,
  ialltoallv,
  ialltoallw,
  alltoall_init,
  alltoallv_init,
  alltoallw_init,
  barrier,
  bcast,
  allgather,
  allgatherv,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  ibarrier,
  ibcast,
  iallgather,
  iallgatherv,
  iallreduce,
  ireduce_scatter_block,
  ireduce_scatter,
  barrier_init,
  bcast_init,
  allgather_init,
  allgatherv_init,
  allreduce_init,
  reduce_scatter_block_init,
  reduce_scatter_init,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  ineighbor_alltoall,
  ineighbor_alltoallv,
  ineighbor_alltoallw,
  ineighbor_allgather,
  ineighbor_allgatherv,
  neighbor_alltoall_init,
  neighbor_alltoallv_init,
  neighbor_alltoallw_init,
  neighbor_allgather_init,
  neighbor_allgatherv_init,
};
inline constexpr std::size_t kReplacedCalls = 45;

/// Returns the name as in RONDO_PMPI: "ineighbor_alltoallv".
[[nodiscard]] std::string_view name(ReplacedCall call) noexcept;
[[nodiscard]] bool is_neighborhood(ReplacedCall call) noexcept;
[[nodiscard]] bool is_nonblocking(ReplacedCall call) noexcept;
[[nodiscard]] bool is_persistent(ReplacedCall call) noexcept;
/// Returns whether a call is an alltoall or a neighborhood collective: each block has one sender and one receiver, and
/// the direct algorithm sends nothing twice.
[[nodiscard]] bool is_exchange(ReplacedCall call) noexcept;

/// How calls of a kind are done.
enum class Wanted : std::uint8_t {
  leave,      ///< always by MPI
  automatic,  ///< by Rondo if MPI's is wrong and Rondo's is right, or if Rondo's is not slower
  take        ///< by Rondo whenever it can
};

struct WantedCalls {
  std::array<Wanted, kReplacedCalls> of{};
  [[nodiscard]] Wanted operator[](ReplacedCall call) const noexcept { return of[static_cast<std::size_t>(call)]; }
};

/// Reads RONDO_PMPI: words with commas between them, each of which changes the effect of the words before it. "off",
/// "auto" and "all" are for all calls. Rondo takes a name, and only that name if it is the first word. It leaves a name
/// after a minus to MPI. A name may end in * for all names that begin so. Throws Error (MPI_ERR_INFO_VALUE).
[[nodiscard]] WantedCalls wanted_calls(std::string_view text);

}  // namespace rondo::internal::plugin

#endif
