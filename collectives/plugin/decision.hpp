/// @file
/// Which calls the plug-in takes, and which it leaves to MPI.
#ifndef RONDO_COLLECTIVES_PLUGIN_DECISION_HPP
#define RONDO_COLLECTIVES_PLUGIN_DECISION_HPP

#include <mpi.h>

#include "collectives/dense_context.hpp"
#include "collectives/plugin/call_report.hpp"
#include "collectives/plugin/replaced_call.hpp"
#include "collectives/plugin/topology.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::plugin {

/// Calls that go to MPI without another look, all that a call which is passed through pays for: set by the first of
/// its kind.
inline std::array<std::atomic<bool>, kReplacedCalls> passed_unseen{};

[[nodiscard]] inline bool passes_unseen(ReplacedCall call) noexcept {
  // relaxed: nothing else is published with it
  return passed_unseen[static_cast<std::size_t>(call)].load(std::memory_order_relaxed);
}

/// As RONDO_PMPI says; what is wrong with it is said once in the log, and everything is left to MPI then.
[[nodiscard]] Wanted wanted(ReplacedCall call);

/// Whether operations advance in the background: RONDO_PROGRESS and what MPI was started with. After MPI_Init.
[[nodiscard]] bool in_background();

/// Why all calls of this kind are left to MPI; null where they are not. After MPI_Init.
[[nodiscard]] const char* reason_to_pass(ReplacedCall call);

/// The same for dense collectives on a communicator that Rondo need not have seen. Local, and the same on all its
/// ranks.
[[nodiscard]] const char* reason_to_pass_dense(ReplacedCall call, MPI_Comm comm);

/// Why one call is left to MPI; null where it is not: in `auto` it is compared with MPI's own, from what all ranks
/// know. `context`: the communicator's, ready; `block_bytes`: negative where blocks may differ.
[[nodiscard]] const char* reason_to_pass(ReplacedCall call, const DenseContext& context, std::int64_t block_bytes);
[[nodiscard]] const char* reason_to_pass(ReplacedCall call, const TopologyContext& context);

/// Whether nonblocking dense calls are taken on communicators that are ready for them: if so, they are made ready when
/// they are made. `shares_cores`: see comparison.hpp.
[[nodiscard]] bool prepares_dense_calls(bool shares_cores);

/// Counts a call that is left to MPI; where all of its kind are, none is looked at any more unless somebody counts.
void note_passed(ReplacedCall call, const char* why, bool always);

}  // namespace rondo::plugin

#endif
