/// @file
/// Where MPI's own collectives are as fast as Rondo's, as measured (docs/plugin.md, bench/run.sh plugin).
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_WHERE_MPI_IS_BETTER_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_WHERE_MPI_IS_BETTER_HPP

#include <mpi.h>

#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::internal::plugin {

enum class MpiKind : std::uint8_t { open_mpi, mpich };
#if defined(OPEN_MPI)
inline constexpr MpiKind kThisMpi = MpiKind::open_mpi;
#else
inline constexpr MpiKind kThisMpi = MpiKind::mpich;
#endif

/// What is known of a dense call on all ranks alike.
struct DenseFacts {
  int processes;
  BlockSize blocks;
  bool shares_cores;  ///< somewhere more than one rank on a core
  bool on_one_node;   ///< short messages go through lanes
};

/// What is known of a topology on all ranks alike.
struct TopologyFacts {
  std::size_t edges;    ///< the most that a process has
  bool parallel_edges;  ///< somewhere two lead to one process
  bool isomorphic;      ///< the Cartesian algorithms apply
  bool shares_cores;
  bool on_one_node;
};

/// Whether a dense call is Rondo's wherever it can be, as MPI's may go wrong.
[[nodiscard]] bool is_wrong_in_mpi(ReplacedCall call, MpiKind mpi = kThisMpi) noexcept;

/// Null where Rondo's is the better choice, or the only right one; otherwise why it is not. Without progress in the
/// background, which always is.
[[nodiscard]] const char* why_mpi_is_better(ReplacedCall call, const DenseFacts& facts,
                                            MpiKind mpi = kThisMpi) noexcept;
[[nodiscard]] const char* why_mpi_is_better(ReplacedCall call, const TopologyFacts& facts,
                                            MpiKind mpi = kThisMpi) noexcept;

/// Bytes of the longest block for which lanes have room, in an MPI_COMM_WORLD of so many processes.
[[nodiscard]] std::int64_t longest_block_in_lanes(int processes) noexcept;

/// Whether Rondo's is the better choice for some number of processes and some size of blocks.
[[nodiscard]] bool may_be_better(ReplacedCall call, bool shares_cores, bool on_one_node,
                                 MpiKind mpi = kThisMpi) noexcept;

/// Which communicators are made ready for nonblocking dense calls while they are made, as such a call cannot do it.
enum class MadeReady : std::uint8_t {
  none,
  world,  ///< MPI_COMM_WORLD alone: others may be made for one call each, which would have to gain more than that costs
  all
};
/// For calls of a kind.
[[nodiscard]] MadeReady worth_making_ready(ReplacedCall call, bool shares_cores, bool on_one_node,
                                           MpiKind mpi = kThisMpi) noexcept;

}  // namespace rondo::internal::plugin

#endif
