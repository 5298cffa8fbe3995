/// @file
/// Functions that run the Cartesian collectives in their three forms: blocking, nonblocking and persistent.
#ifndef RONDO_COLLECTIVES_OPERATIONS_CART_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_CART_COLLECTIVE_HPP

#include "collectives/blocks/call.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <exception>
#include <memory>

namespace rondo::internal {

/// Runs a blocking call of a Cartesian collective. Collective.
void run_cart(const Call& call, NeighborhoodContext& context);
/// Returns the started operation of a nonblocking call of a Cartesian collective; see start_collective().
[[nodiscard]] std::unique_ptr<Operation> start_cart(const Call& call, NeighborhoodContext& context);
/// Returns the operation of a persistent call of a Cartesian collective; see init_collective(). On a torus ranks may
/// vouch for uniform sizes.
[[nodiscard]] std::unique_ptr<Operation> init_cart(const Call& call, NeighborhoodContext& context,
                                                   const Asked& asked = {}, std::exception_ptr trouble = nullptr);

}  // namespace rondo::internal

#endif
