/// @file
/// What a rank knows about the node it runs on.
#ifndef RONDO_RUNTIME_BASE_NODE_HPP
#define RONDO_RUNTIME_BASE_NODE_HPP

#include <sched.h>

#include <optional>
#include <string>

namespace rondo::internal {

/// Ranks of this job on this node divided by its cores, at least 1; 1 when their number is not known. Local.
[[nodiscard]] double ranks_per_core();

/// Returns how many ranks of this job are on this node, if they have been counted, or one of the launchers of Open MPI,
/// MPICH, PALS, jsrun, Slurm and Flux says in the environment how many it has started. Local.
[[nodiscard]] std::optional<int> told_ranks_on_node() noexcept;
/// Takes `ranks` for that number, whatever launchers say: they have been counted; 0: they have not. Before anything is
/// chosen by it. Local.
void know_ranks_on_node(int ranks) noexcept;
/// Returns the same number, and 1 if it is not known. Local.
[[nodiscard]] int ranks_on_node();
/// Cores of this node that the process's control group, a container's for one, lets it use; at least 1. Local.
[[nodiscard]] int cores_of_node();
/// Lets the calling thread run on all cores that its control group allows, whatever it is bound to. Returns those that
/// it was bound to; nothing, and it changes nothing, where the system refuses.
[[nodiscard]] std::optional<cpu_set_t> unbind_thread() noexcept;

/// What the control group may use, as cgroup v2's cpu.max has it: microseconds of processor time in a period of so
/// many. Does not begin with a number where there is no limit. Only that of the group that the process sees as the
/// root.
[[nodiscard]] std::string cpu_quota();
/// By such a limit.
[[nodiscard]] int cores_of_quota(const std::string& limit);

/// Whether MPI's own waiting gives the core up when nothing moves: Open MPI's does with mpi_yield_when_idle (which
/// mpirun --oversubscribe sets), MPICH's never does. False where it cannot be told. After MPI_Init. Local.
[[nodiscard]] bool mpi_yields_when_idle() noexcept;

}  // namespace rondo::internal

#endif
