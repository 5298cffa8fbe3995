/// @file
/// Functions about the node that a rank runs on: its cores, and how many ranks of the job share them.
#ifndef RONDO_RUNTIME_BASE_NODE_HPP
#define RONDO_RUNTIME_BASE_NODE_HPP

#include <sched.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rondo::internal {

/// Returns the number of ranks of this job on this node divided by the node's cores, at least 1. Returns 1 if the
/// number of ranks is unknown. Local.
[[nodiscard]] double ranks_per_core();

/// Returns how many ranks of this job are on this node, if they have been counted, or one of the launchers of Open MPI,
/// MPICH, PALS, jsrun, Slurm and Flux says in the environment how many it has started; otherwise nothing. Local.
[[nodiscard]] std::optional<int> told_ranks_on_node() noexcept;
/// Sets the number of ranks of this job on this node, as they were counted, whatever launchers say; 0 means not
/// counted. Call this before anything is chosen by the number. Local.
void know_ranks_on_node(int ranks) noexcept;
/// Returns told_ranks_on_node(), or 1 if that number is not known. Local.
[[nodiscard]] int ranks_on_node();
/// Returns how many cores of this node the process's control group (such as a container's) allows, at least 1. Local.
[[nodiscard]] int cores_of_node();
/// Lets the calling thread run on all cores that its control group allows, whatever it is bound to. Returns the cores
/// that it was bound to, or nothing, with nothing changed, if the system refuses.
[[nodiscard]] std::optional<cpu_set_t> unbind_thread() noexcept;

/// Returns the processor time that the control group may use, in the format of cgroup v2's cpu.max: microseconds of
/// processor time, then the microseconds of the period. The text does not begin with a number if there is no limit.
/// Reads only the limit of the group that the process sees as the root.
[[nodiscard]] std::string cpu_quota();
/// Returns the number of cores that `limit`, a result of cpu_quota(), allows: at least 1, or the largest int if there
/// is no limit.
[[nodiscard]] int cores_of_quota(const std::string& limit);

/// The result of last_level_cache() if cores do not share their last-level cache.
inline constexpr std::uint16_t kSeveralCaches = 0xFFFF;
/// Returns a number for the last-level cache that `cores` share: the number of the first core that shares it, plus 1.
/// Returns kSeveralCaches if they do not share one, and 0 if `system`, in the format of /sys/devices/system/cpu, does
/// not say which cores share it.
[[nodiscard]] std::uint16_t last_level_cache(const cpu_set_t& cores, const std::string& system);
/// Returns last_level_cache() of the cores on which the calling thread may run; 0 if memory is short. Local.
[[nodiscard]] std::uint16_t own_last_level_cache() noexcept;

/// Returns whether MPI's own waiting yields the core when nothing moves. Open MPI's does with mpi_yield_when_idle
/// (which mpirun --oversubscribe sets), MPICH's never does. Returns false if this is unknown. Call this only after
/// MPI_Init. Local.
[[nodiscard]] bool mpi_yields_when_idle() noexcept;

}  // namespace rondo::internal

#endif
