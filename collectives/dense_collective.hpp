/// @file
/// The three forms of the dense alltoall: one schedule, started in three ways.
#ifndef RONDO_COLLECTIVES_DENSE_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_DENSE_COLLECTIVE_HPP

#include "collectives/dense_call.hpp"
#include "runtime/operation.hpp"

#include <functional>
#include <memory>

namespace rondo {

/// Completes the call and the settings of an `_init` call, given the communicator's. Called where a bad value, or
/// whatever else it throws, can be told to all ranks; to be passed by std::ref, which allocates nothing.
using DenseInitSteps = std::function<void(DenseCall&, Settings&)>;

/// Is shown an operation that is complete, and not yet ended.
using LookAtComplete = std::function<void(const Operation&)>;

/// Blocking. Collective. The context is ready. `look`: may be null; to be passed by std::ref.
void run_dense(const DenseCall& call, const std::shared_ptr<DenseContext>& context, const LookAtComplete& look = {});
/// Nonblocking: a started operation. Collective; waits for nobody. The context has begun.
[[nodiscard]] std::unique_ptr<Operation> start_dense(const DenseCall& call,
                                                     const std::shared_ptr<DenseContext>& context);
/// The same with other settings than the communicator's, the same on all ranks.
[[nodiscard]] std::unique_ptr<Operation> start_dense(const DenseCall& call,
                                                     const std::shared_ptr<DenseContext>& context,
                                                     const Settings& settings);
/// Persistent: an operation ready to be started. Collective; waits for the other ranks, unless they vouch for the
/// arguments (rondo_assert_uniform). Throws on all ranks alike when it throws on one. The context is ready.
[[nodiscard]] std::unique_ptr<Operation> init_dense(const char* name, DenseContext& context,
                                                    const DenseInitSteps& steps);

}  // namespace rondo

#endif
