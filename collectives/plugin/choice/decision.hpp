/// @file
/// Decision: whether Rondo takes a call of the application or leaves it to MPI, and why.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_DECISION_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_DECISION_HPP

#include <mpi.h>

#include "collectives/communicators/dense_context.hpp"
#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"
#include "collectives/plugin/choice/topology.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::internal::plugin {

/// Which later calls of a kind are left to MPI for the same reason as one that is.
enum class Alike : std::uint8_t {
  none,         ///< each is decided on anew
  until_ready,  ///< those before the communicator is ready for Rondo, which are decided on anew, too
  arguments,    ///< those with the same arguments except buffers
  block_size,   ///< those with blocks of one BlockSize on the communicator
  comm,         ///< all on the communicator
  kind          ///< all
};

/// A decision about a call. `blocks`: for Alike::block_size only.
struct Decision {
  const char* why = nullptr;  ///< why the call is left to MPI, a literal; null: Rondo takes the call
  Alike alike = Alike::none;
  BlockSize blocks = BlockSize::large;

  [[nodiscard]] bool takes() const noexcept { return why == nullptr; }
};

inline constexpr Decision kTake{};
[[nodiscard]] constexpr Decision leave_to_mpi(const char* why, Alike alike = Alike::none) noexcept {
  return {.why = why, .alike = alike};
}
[[nodiscard]] constexpr Decision leave_until_ready(const char* why) noexcept {
  return {.why = why, .alike = Alike::until_ready};
}

/// Carries out a decision about a call on `comm`, and returns whether Rondo takes the call. If not, counts the call for
/// the report; without a report, remembers which others are left to MPI with it, so that they are not checked again.
/// `comm`: valid unless the decision is about this call only, or about all of its kind.
[[nodiscard]] bool carry_out(const Decision& decision, ReplacedCall call, MPI_Comm comm);

/// Kinds of calls that go to MPI without any further check, which is all the cost of such a call. Set by carry_out().
inline std::array<std::atomic<bool>, kReplacedCalls> unchecked_kinds{};

[[nodiscard]] inline bool goes_unchecked_to_mpi(ReplacedCall call) noexcept {
  // relaxed: nothing else is published with the flag
  return unchecked_kinds[static_cast<std::size_t>(call)].load(std::memory_order_relaxed);
}

/// Returns why all calls of this kind are left to MPI; null if they are not. Call after MPI_Init.
[[nodiscard]] const char* reason_to_leave_kind(ReplacedCall call);

/// Decides on a dense call with such blocks on a valid intracommunicator, as far as all its ranks know: RONDO_PMPI, or
/// MPI's own function may be better. `context`: the communicator's, or null if it is not ready. A call that is left to
/// MPI while the communicator is not ready is when it is ready, too, as some ranks may still remember that. Local.
[[nodiscard]] Decision decide_on_blocks(ReplacedCall call, MPI_Comm comm, int processes, BlockSize blocks,
                                        const DenseContext* context);
/// Returns why a dense call that Rondo would take is left to MPI for as long as the communicator is not ready for Rondo
/// and makes few calls; null if it is not. Call once for each call. Local, and the same on all ranks of the
/// communicator. Throws Error and std::bad_alloc.
[[nodiscard]] const char* reason_to_wait(ReplacedCall call, MPI_Comm comm, int processes, BlockSize blocks);

/// Returns why a call is left to MPI, because of RONDO_PMPI or because MPI's own function is better, as far as all
/// ranks know; null if it is not.
[[nodiscard]] const char* reason_to_leave(ReplacedCall call, const TopologyContext& context);

}  // namespace rondo::internal::plugin

#endif
