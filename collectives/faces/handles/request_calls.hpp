/// @file
/// Functions that start, test, complete and free requests by their handles, for the C and the C++ interface.
#ifndef RONDO_COLLECTIVES_FACES_HANDLES_REQUEST_CALLS_HPP
#define RONDO_COLLECTIVES_FACES_HANDLES_REQUEST_CALLS_HPP

#include <rondo/request.h>
#include <rondo/progress.hpp>

#include "runtime/operation/operation.hpp"

#include <functional>
#include <optional>
#include <string>

namespace rondo::internal {

void start_request(Rondo_Request request);
/// Returns the name of the algorithm by which an operation runs, or "to be chosen" until it is chosen.
[[nodiscard]] std::string algorithm_of_request(Rondo_Request request);
/// Returns a text for people that says among which algorithms the one of an operation was chosen.
[[nodiscard]] std::string explain_request(Rondo_Request request);
/// Returns an operation's schedule in Graphviz's language (runtime/schedule/dot.hpp). Throws Error (MPI_ERR_REQUEST)
/// until its algorithm is chosen.
[[nodiscard]] std::string dot_of_request(Rondo_Request request);
/// Returns whether a handle is null or inactive, so that there is nothing to wait for. Throws Error for a freed handle.
[[nodiscard]] bool is_idle(Rondo_Request request);
/// Records that the user begins to wait for several requests, among them this one. Throws Error for a freed handle.
void begin_waiting(Rondo_Request request);
/// Makes one pass of progress if needed and returns whether the operation is complete. Does not end it.
[[nodiscard]] bool test_request(Rondo_Request request);
/// Returns a request's operation if it was started, otherwise null (the handle is null or inactive). Throws Error for a
/// freed handle.
[[nodiscard]] Operation* active_operation(Rondo_Request request);
/// block_arrived() returns whether a received block has arrived, block_sent() whether a sent block may be overwritten.
/// If not, both make one pass of progress.
[[nodiscard]] bool block_arrived(Rondo_Request request, int block);
[[nodiscard]] bool block_sent(Rondo_Request request, int block);
/// Drives the operation until another received block has arrived and returns the block's number; returns nothing after
/// the last block.
[[nodiscard]] std::optional<int> wait_any_block(Rondo_Request request);
/// Arranges that `callback` is called on completion and returns true; returns false and does nothing if the operation
/// is complete or was not started.
[[nodiscard]] bool call_when_complete(Rondo_Request request, std::function<void()> callback);
/// Returns the progress mode that an operation was granted.
[[nodiscard]] ProgressMode progress_of_request(Rondo_Request request);
/// Ends a complete operation: its request becomes null if nonblocking, inactive if persistent. Throws its failure.
void complete_request(Rondo_Request& request);
/// Ends a complete operation and its request. `operation` must be the request's, which the caller has looked up
/// already.
void complete_request(Rondo_Request& request, Operation& operation);
/// Frees an inactive request. Throws Error (MPI_ERR_REQUEST) for an active one.
void free_request(Rondo_Request& request);

}  // namespace rondo::internal

#endif
