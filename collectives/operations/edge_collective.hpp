/// @file
/// Neighborhood collectives along the edges of any topology of MPI's, in three forms.
#ifndef RONDO_COLLECTIVES_OPERATIONS_EDGE_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_EDGE_COLLECTIVE_HPP

#include "collectives/blocks/call.hpp"
#include "collectives/communicators/edge_context.hpp"
#include "runtime/operation/operation.hpp"

#include <exception>
#include <memory>

namespace rondo::internal {

/// Nonblocking: a started operation, all messages of which are under way. Of alltoalls and allgathers. See
/// start_collective().
[[nodiscard]] std::unique_ptr<Operation> start_edges(const Call& call, EdgeContext& context);
/// Persistent, with starts as above. See init_collective().
[[nodiscard]] std::unique_ptr<Operation> init_edges(const Call& call, EdgeContext& context,
                                                    std::exception_ptr trouble = nullptr);

}  // namespace rondo::internal

#endif
