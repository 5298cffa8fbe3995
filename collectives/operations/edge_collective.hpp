/// @file
/// Functions that start neighborhood collectives along the edges of any MPI topology.
#ifndef RONDO_COLLECTIVES_OPERATIONS_EDGE_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_OPERATIONS_EDGE_COLLECTIVE_HPP

#include "collectives/blocks/call.hpp"
#include "collectives/communicators/edge_context.hpp"
#include "runtime/operation/operation.hpp"

#include <exception>
#include <memory>

namespace rondo::internal {

/// Returns the started operation of a nonblocking alltoall or allgather, all messages of which are under way. See
/// start_collective().
[[nodiscard]] std::unique_ptr<Operation> start_edges(const Call& call, EdgeContext& context);
/// Returns the operation of a persistent call, whose starts behave like start_edges(). See init_collective().
[[nodiscard]] std::unique_ptr<Operation> init_edges(const Call& call, EdgeContext& context,
                                                    std::exception_ptr trouble = nullptr);

}  // namespace rondo::internal

#endif
