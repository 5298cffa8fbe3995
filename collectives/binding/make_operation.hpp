/// @file
/// Functions that make, start and connect operations for a chosen algorithm and its schedule.
#ifndef RONDO_COLLECTIVES_BINDING_MAKE_OPERATION_HPP
#define RONDO_COLLECTIVES_BINDING_MAKE_OPERATION_HPP

#include <rondo/error.hpp>

#include "collectives/blocks/left_to_mpi.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/earlier_calls/schedule_cache.hpp"
#include "collectives/selection/selection.hpp"
#include "runtime/operation/operation.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace rondo::internal {

/// Logs `chosen` and returns it. The algorithm goes to the debug log. A note about what could not be had is a warning,
/// once for the calls of a communicator, on rank 0. `name`: the name of the user's function.
[[nodiscard]] std::shared_ptr<const Chosen> logged(const char* name, CallState& calls, Chosen chosen);

/// Returns an operation that runs the schedule of `chosen`, with its explanation. Its buffers are not bound yet.
[[nodiscard]] std::unique_ptr<Operation> make_operation(const char* name, std::shared_ptr<const Chosen> chosen,
                                                        UserBlocks blocks, const TagSpace::TagRange& tags,
                                                        ProgressMode progress, bool persistent);

/// Returns a text for people that says which way the operation's messages take on this rank; empty if there are no
/// messages. Throws std::bad_alloc.
[[nodiscard]] std::string ways_of(Operation& operation);

/// Returns an operation for nonblocking calls, which may be started again and again. Its buffers and tags are not set
/// yet.
[[nodiscard]] std::unique_ptr<Operation> make_nonblocking(const char* name, std::shared_ptr<const Chosen> chosen,
                                                          UserBlocks blocks, CallState& calls, ProgressMode progress);

/// The user's buffers that the spaces of a schedule, send and recv, stand for.
struct Buffers {
  const void* send;
  void* recv;
};

/// Returns a persistent operation, ready to be started, with the next persistent range of tags, which the caller is
/// still to take. `connects`: settle() will ask the other ranks and connect the operation. Local.
[[nodiscard]] std::unique_ptr<Operation> bind_persistent(const char* name, CallState& calls,
                                                         std::shared_ptr<const Chosen> chosen, UserBlocks blocks,
                                                         const Buffers& buffers, const Settings& settings,
                                                         bool connects, ProgressMode progress);

/// Starts an idle operation of a nonblocking call with the next tags: as many as its schedule needs, and at least
/// `least`. If the library's duplicate of the communicator is not made yet, the operation begins when it is.
inline void start_idle(CallState& calls, const Buffers& buffers, Operation& operation, std::uint32_t least) {
  operation.execution().bind(buffers.send, buffers.recv);
  const std::uint32_t tags = std::max(operation.execution().schedule().tags(), least);
  const int first_tag = calls.tags().next_nonblocking(tags);
  operation.execution().set_first_tag(first_tag);
  if (calls.on()->own()->made()) [[likely]] {
    operation.execution().set_comm(operation.comm());
    operation.start();
  } else {
    calls.on()->own()->require_usable();
    operation.start_after([on = calls.on()] { return on->own()->advance_duplicate(); });
  }
  // Tags are taken last: a call that fails takes none, so that the ranks stay in step when it is repeated.
  calls.tags().take_nonblocking(first_tag, tags);
  calls.count_call();
}

/// Starts an idle operation of `pool` and returns it, or returns null if the pool has none or `pool` is null.
inline std::unique_ptr<Operation> start_idle_of(const std::shared_ptr<OperationPool>& pool, CallState& calls,
                                                const Buffers& buffers, std::uint32_t least_tags) {
  std::unique_ptr<Operation> operation;
  if (pool == nullptr || (operation = pool->take()) == nullptr) return operation;
  operation->pool = pool;
  start_idle(calls, buffers, *operation, least_tags);
  return operation;
}

/// The result of start_cached(): a started operation of a cached schedule.
struct Started {
  std::unique_ptr<Operation> operation;
  bool repeated;  ///< whether the operation was an idle one from the schedule's pool
};
/// Starts an operation of a cached schedule: an idle one of its pool if there is one, otherwise a new one.
[[nodiscard]] Started start_cached(const char* name, CallState& calls, const CachedSchedule& entry,
                                   const Buffers& buffers, ProgressMode progress, std::uint32_t least_tags = 0);

/// Makes `operation`, from bind_persistent(), ready to start, or throws `trouble` if not null. If ranks `ask` each
/// other, all learn of trouble in one small allreduce. Then ranks on one node connect, unless none of them wants that.
/// If ranks do not ask, they do not connect: a rank that was given a bad argument would leave others waiting for its
/// offers. `prove`: called on all ranks before they connect if all is well so far, with whether the messages of all
/// ranks match, as far as they asked. It may throw, on all ranks alike. Pass it by std::ref, which allocates nothing.
void settle(const std::exception_ptr& trouble, bool ask, std::unique_ptr<Operation>& operation, CallState& calls,
            const Settings& settings, const std::function<void(bool)>& prove);

/// Runs `body` and returns its result. Puts the name of the user's function, a text of any kind, before the text of an
/// Error or LeftToMpi that `body` throws. Throws Error if it is called inside a function of a compute task: another
/// thread that waits for that function may hold what is needed to begin something.
template <typename Name, typename Body>
auto named(const Name& function, Body body) {
  const auto with_name = [&](const std::string& text) {
    return text.starts_with(function) ? text : std::string(function) + ": " + text;
  };
  try {
    refuse_inside_function();
    return body();
  } catch (const LeftToMpi& error) {
    throw LeftToMpi(error.error_class(), with_name(error.what()));
  } catch (const Error& error) {
    throw Error(error.error_class(), with_name(error.what()));
  }
}

}  // namespace rondo::internal

#endif
