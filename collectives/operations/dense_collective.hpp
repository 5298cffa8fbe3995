/// @file
/// The dense collectives in their three forms.
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

/// Blocking. Collective. The context is ready. `look`, `mpis`: see run_collective().
void run_dense(const Call& call, const std::shared_ptr<DenseContext>& context, const LookAtComplete& look = {},
               MpisTurn* mpis = nullptr);
/// Nonblocking: a started operation. Collective; waits for nobody. The context has begun. `settings`: the same on all
/// ranks.
[[nodiscard]] std::unique_ptr<Operation> start_dense(const Call& call, const std::shared_ptr<DenseContext>& context,
                                                     const Settings& settings);
/// See init_collective(). The context is ready.
[[nodiscard]] std::unique_ptr<Operation> init_dense(const Call& call, const std::shared_ptr<DenseContext>& context,
                                                    const Asked& asked = {}, std::exception_ptr trouble = nullptr);

}  // namespace rondo::internal

#endif
