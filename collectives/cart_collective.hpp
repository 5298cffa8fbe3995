/// @file
/// The three forms of the Cartesian collectives: one schedule, started in three ways.
#ifndef RONDO_COLLECTIVES_CART_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_CART_COLLECTIVE_HPP

#include "collectives/cart_call.hpp"
#include "collectives/comm_context.hpp"
#include "collectives/settings.hpp"
#include "runtime/operation.hpp"

#include <functional>
#include <memory>

namespace rondo {

/// Completes the call and the settings of an `_init` call, given the communicator's. Called where a bad value, or
/// whatever else it throws, can be told to all ranks; to be passed by std::ref, which allocates nothing.
using InitSteps = std::function<void(CartCall&, Settings&)>;

/// Blocking. Collective.
void run_collective(const CartCall& call, CommContext& context);
/// Nonblocking: a started operation, from the pool of its schedule. Collective; waits for nobody.
[[nodiscard]] std::unique_ptr<Operation> start_collective(const CartCall& call, CommContext& context);
/// Persistent: an operation ready to be started. Collective; waits for the other ranks, unless they vouch for uniform
/// sizes on a torus. Throws on all ranks alike when it throws on one.
[[nodiscard]] std::unique_ptr<Operation> init_collective(const char* name, CommContext& context,
                                                         const InitSteps& steps);
/// Ends a nonblocking operation that is complete: it goes back to its pool. Throws what Operation::finish() throws.
void retire(std::unique_ptr<Operation> operation);

}  // namespace rondo

#endif
