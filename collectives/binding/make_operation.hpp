/// @file
/// From what was chosen to an operation that can be started.
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

/// What was chosen, after it was told: all of it for those who look for it, and, once for the calls of a communicator,
/// what could not be had. `name`: of the function.
[[nodiscard]] std::shared_ptr<const Chosen> logged(const char* name, CallState& calls, Chosen chosen);

/// An operation that runs what was chosen, with its explanation. Its buffers are still to be bound.
[[nodiscard]] std::unique_ptr<Operation> make_operation(const char* name, std::shared_ptr<const Chosen> chosen,
                                                        UserBlocks blocks, const TagSpace::TagRange& tags,
                                                        ProgressMode progress, bool persistent);

/// Which way its messages take on this rank, for people. Throws std::bad_alloc.
[[nodiscard]] std::string ways_of(Operation& operation);

/// The same for nonblocking calls, which may be started again and again, with tags that are still to be given to it.
[[nodiscard]] std::unique_ptr<Operation> make_nonblocking(const char* name, std::shared_ptr<const Chosen> chosen,
                                                          UserBlocks blocks, CallState& calls, ProgressMode progress);

/// Buffers that a schedule's spaces stand for.
struct Buffers {
  const void* send;
  void* recv;
};

/// A persistent operation, ready to be started, with the next persistent range of tags, which is still to be taken.
/// `connects`: settle() will ask the other ranks, and connect it. Local.
[[nodiscard]] std::unique_ptr<Operation> bind_persistent(const char* name, CallState& calls,
                                                         std::shared_ptr<const Chosen> chosen, UserBlocks blocks,
                                                         const Buffers& buffers, const Settings& settings,
                                                         bool connects, ProgressMode progress);

/// An idle operation, which may have been made before its communicator was, is started, with the next tags, as many as
/// its schedule needs, and at least `least`.
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
  // Last of all: a call that fails takes nothing, and leaves the ranks in step when it is repeated.
  calls.tags().take_nonblocking(first_tag, tags);
  calls.count_call();
}

/// An operation of `pool` that is idle, started; nullptr where there is none, or no pool.
inline std::unique_ptr<Operation> start_idle_of(const std::shared_ptr<OperationPool>& pool, CallState& calls,
                                                const Buffers& buffers, std::uint32_t least_tags) {
  std::unique_ptr<Operation> operation;
  if (pool == nullptr || (operation = pool->take()) == nullptr) return operation;
  operation->pool = pool;
  start_idle(calls, buffers, *operation, least_tags);
  return operation;
}

/// A started operation of a cached schedule, from its pool where there is an idle one.
struct Started {
  std::unique_ptr<Operation> operation;
  bool repeated;  ///< it was in the pool
};
[[nodiscard]] Started start_cached(const char* name, CallState& calls, const CachedSchedule& entry,
                                   const Buffers& buffers, ProgressMode progress, std::uint32_t least_tags = 0);

/// Throws `trouble` where there is one, otherwise `operation`, from bind_persistent(), is ready. Where ranks `ask` each
/// other, all hear of it, in one small allreduce; then ranks on one node connect, unless none of them wants that. Where
/// they do not, a rank that was given a bad argument would leave others waiting for its offers. `prove`: what is
/// to be done before, on all ranks, when all is well so far; may throw, on all of them alike. It is told whether the
/// messages of all ranks match, as far as they asked. To be passed by std::ref, which allocates nothing.
void settle(const std::exception_ptr& trouble, bool ask, std::unique_ptr<Operation>& operation, CallState& calls,
            const Settings& settings, const std::function<void(bool)>& prove);

/// Runs `body` and names the function, a text of any kind, in the Error or LeftToMpi that it throws. Not inside a
/// function of a compute task: what it takes to begin something, another thread may have that waits for this one.
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
