/// @file
/// Where MPI's own collectives are as fast as Rondo's, as measured (docs/plugin.md, bench/run.sh plugin).
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_WHERE_MPI_IS_BETTER_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_WHERE_MPI_IS_BETTER_HPP

#include "collectives/plugin/choice/replaced_call.hpp"

#include <cstdint>

namespace rondo::internal::plugin {

/// Of blocks it matters whether they are short, as this one is (bytes). `block_bytes` is negative where they may
/// differ.
inline constexpr std::int64_t kShortestBlock = 1;
[[nodiscard]] constexpr bool is_long_block(std::int64_t block_bytes) noexcept {
  constexpr std::int64_t kShortBlock = 256;  // up to here Open MPI takes Bruck's algorithm with copies
  return block_bytes < 0 || block_bytes > kShortBlock;
}

/// What is known of a dense call on all ranks alike.
struct DenseFacts {
  int processes;
  std::int64_t block_bytes;
  bool shares_cores;  ///< somewhere more than one rank on a core
};

/// What is known of a topology on all ranks alike.
struct TopologyFacts {
  std::size_t edges;    ///< the most that a process has
  bool parallel_edges;  ///< somewhere two lead to one process
  bool isomorphic;      ///< the Cartesian algorithms apply
  bool shares_cores;
};

/// Null where Rondo's is the better choice, or the only right one; otherwise why it is not. Without progress in the
/// background, which always is.
[[nodiscard]] const char* why_mpi_is_better(ReplacedCall call, const DenseFacts& facts) noexcept;
[[nodiscard]] const char* why_mpi_is_better(ReplacedCall call, const TopologyFacts& facts) noexcept;

/// Whether nonblocking dense calls are worth a duplicate of every communicator.
[[nodiscard]] bool prepares_dense(bool shares_cores) noexcept;

}  // namespace rondo::internal::plugin

#endif
