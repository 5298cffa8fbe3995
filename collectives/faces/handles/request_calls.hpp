/// @file
/// Start, wait, test and free of request handles, under both faces.
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
/// Name of the algorithm that runs; "to be chosen" while it is.
[[nodiscard]] std::string algorithm_of_request(Rondo_Request request);
/// What the algorithm of an operation was chosen from, for people.
[[nodiscard]] std::string explain_request(Rondo_Request request);
/// Its schedule in Graphviz's language (runtime/schedule/dot.hpp). Throws Error, MPI_ERR_REQUEST, while it is to be
/// chosen.
[[nodiscard]] std::string dot_of_request(Rondo_Request request);
/// Whether a handle is null or inactive: nothing to wait for. Throws for a freed one.
[[nodiscard]] bool is_idle(Rondo_Request request);
/// The user waits for several requests, of which this is one. Throws for a freed one.
void begin_waiting(Rondo_Request request);
/// One pass of progress if needed; whether the operation is complete. Does not end it.
[[nodiscard]] bool test_request(Rondo_Request request);
/// The operation to wait for; nullptr where a handle is null or inactive. Throws for a freed one.
[[nodiscard]] Operation* active_operation(Rondo_Request request);
/// Whether a received block has arrived, or a sent one may be overwritten; one pass of progress if not.
[[nodiscard]] bool block_arrived(Rondo_Request request, int block);
[[nodiscard]] bool block_sent(Rondo_Request request, int block);
/// Drives the operation until another received block has arrived; nothing after the last.
[[nodiscard]] std::optional<int> wait_any_block(Rondo_Request request);
/// Has `callback` called when the operation completes; false, and it is not, where it is complete or was not started.
[[nodiscard]] bool call_when_complete(Rondo_Request request, std::function<void()> callback);
/// The progress mode that it was granted.
[[nodiscard]] ProgressMode progress_of_request(Rondo_Request request);
/// Ends a complete operation: a nonblocking request becomes null, a persistent one inactive. Throws its failure.
void complete_request(Rondo_Request& request);
/// The same, of an operation that was looked up.
void complete_request(Rondo_Request& request, Operation& operation);
/// Frees an inactive request; throws Error, MPI_ERR_REQUEST, for an active one.
void free_request(Rondo_Request& request);

}  // namespace rondo::internal

#endif
