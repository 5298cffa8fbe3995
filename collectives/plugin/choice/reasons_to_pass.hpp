/// @file
/// Which calls the plug-in takes, and which it leaves to MPI.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_REASONS_TO_PASS_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_REASONS_TO_PASS_HPP

#include <mpi.h>
#include <rondo/options.hpp>

#include "collectives/communicators/dense_context.hpp"
#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/call_report.hpp"
#include "collectives/plugin/choice/passed_comms.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"
#include "collectives/plugin/choice/topology.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace rondo::internal::plugin {

/// Calls that go to MPI without another look, all that a call which is passed through pays for: set by the first of
/// its kind.
inline std::array<std::atomic<bool>, kReplacedCalls> passed_unseen{};

[[nodiscard]] inline bool passes_unseen(ReplacedCall call) noexcept {
  // relaxed: nothing else is published with it
  return passed_unseen[static_cast<std::size_t>(call)].load(std::memory_order_relaxed);
}

/// As RONDO_PMPI says. If it is wrong, the log says so once, and everything is left to MPI.
[[nodiscard]] Wanted wanted(ReplacedCall call);

/// A number that differs where ranks would decide differently. After MPI_Init.
[[nodiscard]] std::uint64_t fingerprint_of_decisions();

/// A number for what the environment asks for, which all ranks must ask for alike; none if it is wrong, of which the
/// log tells. After MPI_Init.
[[nodiscard]] std::optional<std::uint64_t> fingerprint_of_settings();

/// Leaves all calls to MPI that RONDO_PMPI does not ask for by name or by `all`. `why`: a literal. On all ranks, while
/// MPI is being started.
void pass_automatic_calls(const char* why);
/// Whether RONDO_PMPI asks for some call by name or by `all`. Local.
[[nodiscard]] bool asks_for_calls();
/// Whether RONDO_PMPI asks for some persistent collective so, the only calls that gain from memory of Rondo's. Local.
[[nodiscard]] bool asks_for_persistent_calls();

/// Leaves all calls to MPI, of which rank 0's log tells. `why`: a literal. On all ranks, while MPI is being started.
void pass_everything(const char* why);
[[nodiscard]] bool passes_everything() noexcept;

/// Whether all processes of a communicator are of this MPI_COMM_WORLD: with others there is nothing agreed on.
[[nodiscard]] bool is_of_this_world(MPI_Comm comm);
/// From now on there may be others. By all processes that are to have one.
void expect_foreign_communicators();
/// Whether this is one, where they are to be expected.
[[nodiscard]] bool is_foreign(MPI_Comm comm);

/// Leaves all calls on a communicator to MPI for as long as it lives, because Rondo has no private communicator for it.
/// The log says `why` for the first of them. By all its ranks. Local.
void leave_comm_to_mpi(MPI_Comm comm, const char* why) noexcept;
/// Returns why all calls on a valid communicator are left to MPI, the same on all its ranks, or null. Local.
[[nodiscard]] const char* reason_to_pass_on(MPI_Comm comm);

/// What this rank asks for of shared memory, by the environment; nothing where that is wrong, see
/// fingerprint_of_settings().
[[nodiscard]] SharedMemory wanted_memory();
/// What all ranks of this MPI_COMM_WORLD have told each other.
struct WorldFacts {
  bool shares_cores = true;  ///< anywhere more than one rank may have a core
  bool on_one_node = false;  ///< see OneNode
  bool has_threads = true;   ///< anywhere MPI was started with MPI_THREAD_MULTIPLE
  int processes = std::numeric_limits<int>::max();
};
void know_world(WorldFacts facts) noexcept;
/// Of dense calls in this MPI_COMM_WORLD: bytes.
[[nodiscard]] std::int64_t longest_block_in_lanes() noexcept;

/// Whether operations advance in the background: RONDO_PROGRESS and what MPI was started with. After MPI_Init.
[[nodiscard]] bool in_background();

/// Why all calls of this kind are left to MPI; null where they are not. After MPI_Init.
[[nodiscard]] const char* reason_to_pass_always(ReplacedCall call);

/// The same for a dense call on an intracommunicator that Rondo need not have seen. Local, and the same on all its
/// ranks.
[[nodiscard]] const char* reason_to_pass_dense(ReplacedCall call, MPI_Comm comm, BlockSize blocks);
/// Why a call that Rondo would take is left to MPI as long as the communicator is not ready for Rondo and makes few of
/// them; null where it is not. To be asked once a call. Otherwise as above. Throws Error and std::bad_alloc.
[[nodiscard]] const char* reason_to_pass_yet(ReplacedCall call, MPI_Comm comm, BlockSize blocks);

/// Why one call is left to MPI, by RONDO_PMPI or because MPI's own is better, as far as all ranks know; null where it
/// is not. `context`: the communicator's, ready: it has none where everything passes.
[[nodiscard]] const char* reason_to_pass(ReplacedCall call, const DenseContext& context, BlockSize blocks);
[[nodiscard]] const char* reason_to_pass(ReplacedCall call, const TopologyContext& context);

/// Whether calls that learn should try MPI's own functions, too: MPICH's never yield where ranks share cores, and take
/// hundreds of times as long there.
[[nodiscard]] bool may_be_worth_trying_mpi() noexcept;

/// Whether a communicator with a topology is made ready for nonblocking neighborhood collectives when it is made. This
/// costs as much as making it, and so waits for the first blocking call or `_init` unless MPI's own nonblocking calls
/// may be wrong or far slower on it, the user asks for Rondo's, or several threads may call MPI: in Open MPI one thread
/// that makes a communicator may keep another from doing so. The same on all ranks of the communicator.
[[nodiscard]] bool prepares_neighbor_calls(MPI_Comm comm);

/// Whether a communicator is made ready for nonblocking dense calls when it is made, as some are taken then.
[[nodiscard]] bool prepares_dense_calls(MPI_Comm comm);

/// Whether all calls of this kind are left to MPI. If so, counts this one, and unless somebody counts none is looked at
/// any more.
[[nodiscard]] bool is_passed_always(ReplacedCall call);
/// Whether there is a reason `why` to leave a call to MPI; counts it then.
[[nodiscard]] bool is_passed_once(ReplacedCall call, const char* why);
/// The same of a reason that holds for all such calls on a valid communicator for as long as that lives: unless
/// somebody counts, none of them is looked at any more.
[[nodiscard]] bool is_passed_on_comm(ReplacedCall call, MPI_Comm comm, const char* why);

}  // namespace rondo::internal::plugin

#endif
