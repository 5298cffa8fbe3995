/// @file
/// Tells when MPI's own collectives are as fast as Rondo's, as measured (docs/plugin.md, bench/run.sh plugin).
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_WHERE_MPI_IS_BETTER_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_WHERE_MPI_IS_BETTER_HPP

#include <mpi.h>

#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"
#include "datatypes/reading/this_mpi.hpp"

#include <cstddef>
#include <cstdint>

namespace rondo::internal::plugin {

/// Facts about a dense call that all ranks know alike.
struct DenseFacts {
  int processes;
  BlockSize blocks;
  bool shares_cores;  ///< on some core there is more than one rank
  bool on_one_node;   ///< short messages go through lanes
};

/// Facts about a topology that all ranks know alike.
struct TopologyFacts {
  std::size_t edges;    ///< the most edges of any process
  bool parallel_edges;  ///< on some process two edges lead to one process
  bool isomorphic;      ///< the Cartesian algorithms apply
  bool shares_cores;
  bool on_one_node;
};

/// Returns whether Rondo should take a dense call whenever it can, because MPI's may go wrong.
[[nodiscard]] bool is_wrong_in_mpi(ReplacedCall call, MpiKind mpi = this_mpi().kind) noexcept;

/// Returns why MPI's function is the better choice; null if Rondo's is better, or is the only right one. For calls
/// without progress in the background: with it, Rondo's is always better.
[[nodiscard]] const char* why_mpi_is_better(ReplacedCall call, const DenseFacts& facts,
                                            MpiKind mpi = this_mpi().kind) noexcept;
[[nodiscard]] const char* why_mpi_is_better(ReplacedCall call, const TopologyFacts& facts,
                                            MpiVersion mpi = this_mpi()) noexcept;
/// Returns whether MPI's neighborhood collectives may deliver wrong data where two neighbors are one process, and in
/// MPICH also on other graphs: docs/mpis.md.
[[nodiscard]] bool are_neighbors_wrong_in_mpi(MpiVersion mpi = this_mpi()) noexcept;

/// Returns the bytes of the longest block that goes through lanes, in an MPI_COMM_WORLD of so many processes.
/// `one_cache`: see OneNode::shares_cache().
[[nodiscard]] std::int64_t longest_block_in_lanes(int processes, bool one_cache) noexcept;

/// Returns whether Rondo's function is the better choice for some number of processes and some size of blocks.
[[nodiscard]] bool may_be_better(ReplacedCall call, bool shares_cores, bool on_one_node,
                                 MpiKind mpi = this_mpi().kind) noexcept;

/// The communicators that are made ready for nonblocking dense calls while they are made, because such a call cannot
/// make them ready.
enum class MadeReady : std::uint8_t {
  none,
  world,  ///< MPI_COMM_WORLD alone: others may be made for one call each, which would have to gain more than that costs
  all
};
/// Returns the communicators that calls of a kind need ready.
[[nodiscard]] MadeReady worth_making_ready(ReplacedCall call, bool shares_cores, bool on_one_node,
                                           MpiKind mpi = this_mpi().kind) noexcept;

}  // namespace rondo::internal::plugin

#endif
