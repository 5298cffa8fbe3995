/// @file
/// Decides which calls the plug-in takes, and which it leaves to MPI.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_LEAVING_TO_MPI_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_LEAVING_TO_MPI_HPP

#include <mpi.h>
#include <rondo/options.hpp>

#include "collectives/communicators/dense_context.hpp"
#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/call_report.hpp"
#include "collectives/plugin/choice/comms_of_mpi.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"
#include "collectives/plugin/choice/topology.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace rondo::internal::plugin {

/// Kinds of calls that go to MPI without any further check, which is all the cost of such a call. Set by the first call
/// of its kind.
inline std::array<std::atomic<bool>, kReplacedCalls> unchecked_kinds{};

[[nodiscard]] inline bool goes_unchecked_to_mpi(ReplacedCall call) noexcept {
  // relaxed: nothing else is published with the flag
  return unchecked_kinds[static_cast<std::size_t>(call)].load(std::memory_order_relaxed);
}

/// Returns what RONDO_PMPI asks for. If it is wrong, the log says so once, and everything is left to MPI.
[[nodiscard]] Wanted wanted(ReplacedCall call);

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
[[nodiscard]] bool leaves_everything_to_mpi() noexcept;

/// Returns whether all processes of a communicator are in this MPI_COMM_WORLD: nothing is agreed on with others.
[[nodiscard]] bool is_of_this_world(MPI_Comm comm);
/// Makes is_foreign() check communicators from now on. To be called by all processes that are to have a foreign one.
void expect_foreign_communicators();
/// Returns whether a communicator has processes of another MPI_COMM_WORLD, if such communicators are expected.
[[nodiscard]] bool is_foreign(MPI_Comm comm);

/// Leaves all calls on a communicator to MPI for as long as it lives, because Rondo has no private communicator for it.
/// The log says `why` for the first such communicator. Call on all its ranks. Local.
void leave_comm_to_mpi(MPI_Comm comm, const char* why) noexcept;
/// Returns why all calls on a valid communicator are left to MPI, the same on all its ranks, or null. Local.
[[nodiscard]] const char* reason_to_leave_comm(MPI_Comm comm);

/// Returns the shared memory that this rank asks for in the environment; off if that is wrong, see
/// fingerprint_of_settings().
[[nodiscard]] SharedMemory wanted_memory();
/// Facts that all ranks of this MPI_COMM_WORLD have told each other.
struct WorldFacts {
  bool shares_cores = true;  ///< somewhere, several ranks may share a core
  bool on_one_node = false;  ///< see OneNode
  bool has_threads = true;   ///< on some rank, MPI was started with MPI_THREAD_MULTIPLE
  int processes = std::numeric_limits<int>::max();
};
void know_world(WorldFacts facts) noexcept;
/// Returns the bytes of the longest block of dense calls in this MPI_COMM_WORLD that goes through lanes.
[[nodiscard]] std::int64_t longest_block_in_lanes() noexcept;

/// Returns whether operations advance in the background (RONDO_PROGRESS, MPI's thread level). Call after MPI_Init.
[[nodiscard]] bool in_background();

/// Returns why all calls of this kind are left to MPI; null if they are not. Call after MPI_Init.
[[nodiscard]] const char* reason_to_leave_kind(ReplacedCall call);

/// Returns why a dense call on an intracommunicator that Rondo need not have seen is left to MPI; null if it is not.
/// Local, and the same on all its ranks.
[[nodiscard]] const char* reason_to_leave_dense(ReplacedCall call, MPI_Comm comm, BlockSize blocks);
/// Returns why a call that Rondo would take is left to MPI for as long as the communicator is not ready for Rondo and
/// makes few calls; null if it is not. Call once for each call. Local, and the same on all ranks of the communicator.
/// Throws Error and std::bad_alloc.
[[nodiscard]] const char* reason_to_leave_for_now(ReplacedCall call, MPI_Comm comm, BlockSize blocks);

/// Returns why one call is left to MPI, because of RONDO_PMPI or because MPI's own function is better, as far as all
/// ranks know; null if it is not. `context`: the communicator's, ready; there is none if everything is left to MPI.
[[nodiscard]] const char* reason_to_leave(ReplacedCall call, const DenseContext& context, BlockSize blocks);
[[nodiscard]] const char* reason_to_leave(ReplacedCall call, const TopologyContext& context);

/// Returns whether calls that learn should try MPI's own functions, too. MPICH's never yield if ranks share cores, and
/// take hundreds of times as long then.
[[nodiscard]] bool may_be_worth_trying_mpi() noexcept;

/// Returns whether a communicator with a topology is made ready for nonblocking neighborhood collectives when it is
/// made. This costs as much as making it, and so waits for the first blocking call or `_init` unless MPI's own
/// nonblocking calls may be wrong or far slower on it, the user asks for Rondo's, or several threads may call MPI: in
/// Open MPI one thread that makes a communicator may keep another from doing so. The same on all its ranks.
[[nodiscard]] bool prepares_neighbor_calls(MPI_Comm comm);

/// Returns whether a communicator is made ready for nonblocking dense calls when it is made, because Rondo takes some
/// of them.
[[nodiscard]] bool prepares_dense_calls(MPI_Comm comm);

/// Leaves a call to MPI if all calls of its kind are, and returns whether it does. Counts the call for the report then;
/// without a report, later calls are left to MPI without a check.
[[nodiscard]] bool leave_kind_to_mpi(ReplacedCall call);
/// Leaves a call to MPI if there is a reason `why`, and returns whether there is. Counts the call for the report then.
[[nodiscard]] bool leave_to_mpi(ReplacedCall call, const char* why);
/// Leaves a call to MPI if there is a reason `why`, and returns whether there is. Counts the call for the report then.
/// The reason must hold for all calls of this kind on `comm`, a valid communicator, for as long as it lives: without a
/// report, these calls are left to MPI without a check from now on.
[[nodiscard]] bool leave_to_mpi_on(ReplacedCall call, MPI_Comm comm, const char* why);

}  // namespace rondo::internal::plugin

#endif
