/// @file
/// Functions that run the dense collectives in their three forms: blocking, nonblocking and persistent.
#ifndef RONDO_COLLECTIVES_OPERATIONS_DENSE_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_DENSE_COLLECTIVE_HPP

#include "collectives/blocks/call.hpp"
#include "collectives/calls/blocking_call.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <exception>
#include <memory>

namespace rondo::internal {

/// Runs a blocking call of a dense collective. Collective. The context must be ready. `look`, `mpis`: see
/// run_collective().
void run_dense(const Call& call, const std::shared_ptr<DenseContext>& context, const LookAtComplete& look = {},
               MpisTurn* mpis = nullptr);
/// Returns the started operation of a nonblocking call. Collective; waits for nobody. The context must have begun.
/// `settings` must be the same on all ranks.
[[nodiscard]] std::unique_ptr<Operation> start_dense(const Call& call, const std::shared_ptr<DenseContext>& context,
                                                     const Settings& settings);
/// Returns the operation of a persistent call; see init_collective(). The context must be ready.
[[nodiscard]] std::unique_ptr<Operation> init_dense(const Call& call, const std::shared_ptr<DenseContext>& context,
                                                    const Asked& asked = {}, std::exception_ptr trouble = nullptr);

}  // namespace rondo::internal

#endif
