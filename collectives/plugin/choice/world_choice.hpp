/// @file
/// What RONDO_PMPI, the other settings in the environment, and this MPI_COMM_WORLD say of all calls.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_WORLD_CHOICE_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_WORLD_CHOICE_HPP

#include <rondo/options.hpp>

#include "collectives/plugin/choice/replaced_call.hpp"

#include <cstdint>
#include <limits>
#include <optional>

namespace rondo::internal::plugin {

/// Returns what RONDO_PMPI asks for. If it is wrong, the log says so once, and everything is left to MPI.
[[nodiscard]] Wanted wanted(ReplacedCall call);
/// Returns why a call that is not wanted, Wanted::leave, is left to MPI.
[[nodiscard]] const char* why_unwanted(ReplacedCall call);

/// Returns a number that differs if ranks would decide differently. Call after MPI_Init.
[[nodiscard]] std::uint64_t fingerprint_of_decisions();

/// Returns a number for the settings in the environment, which must be the same on all ranks; none if they are wrong,
/// which the log reports. Call after MPI_Init.
[[nodiscard]] std::optional<std::uint64_t> fingerprint_of_settings();

/// Leaves all calls to MPI that RONDO_PMPI does not ask for by name or by `all`. `why`: a literal. Call on all ranks,
/// while MPI is being started.
void leave_automatic_calls_to_mpi(const char* why);
/// Returns whether RONDO_PMPI asks for some call by name or by `all`. Local.
[[nodiscard]] bool asks_for_calls();
/// Returns whether RONDO_PMPI asks for some persistent collective by name or by `all`. Only persistent collectives gain
/// from Rondo's memory. Local.
[[nodiscard]] bool asks_for_persistent_calls();

/// Leaves all calls to MPI, as rank 0's log says. `why`: a literal. Call on all ranks, while MPI is being started.
void leave_everything_to_mpi(const char* why);
/// Returns the reason that leave_everything_to_mpi() was given; null if it was not called.
[[nodiscard]] const char* reason_to_leave_everything() noexcept;

/// Returns the shared memory that this rank asks for in the environment; off if that is wrong, see
/// fingerprint_of_settings().
[[nodiscard]] SharedMemory wanted_memory();
/// Returns whether operations advance in the background (RONDO_PROGRESS, MPI's thread level). Call after MPI_Init.
[[nodiscard]] bool in_background();

/// Facts that all ranks of this MPI_COMM_WORLD have told each other.
struct WorldFacts {
  bool shares_cores = true;  ///< somewhere, several ranks may share a core
  bool on_one_node = false;  ///< see OneNode
  bool shares_cache = true;  ///< see OneNode
  bool has_threads = true;   ///< on some rank, MPI was started with MPI_THREAD_MULTIPLE
  int processes = std::numeric_limits<int>::max();
};
void know_world(WorldFacts facts) noexcept;
[[nodiscard]] const WorldFacts& world_facts() noexcept;
/// Returns the bytes of the longest block of dense calls in this MPI_COMM_WORLD that goes through lanes.
[[nodiscard]] std::int64_t longest_block_in_lanes() noexcept;
/// Returns whether calls that learn should try MPI's own functions, too. MPICH's never yield if ranks share cores, and
/// take hundreds of times as long then.
[[nodiscard]] bool may_be_worth_trying_mpi() noexcept;

}  // namespace rondo::internal::plugin

#endif
