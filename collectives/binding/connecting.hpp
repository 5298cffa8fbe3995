/// @file
/// Ranks on one node come to an understanding about the slots of a persistent operation.
#ifndef RONDO_COLLECTIVES_BINDING_CONNECTING_HPP
#define RONDO_COLLECTIVES_BINDING_CONNECTING_HPP

#include "runtime/operation/operation.hpp"

#include <memory>

namespace rondo::internal {

/// Tells each partner of an operation, by one message each way, what it offers, and then by another what came of the
/// partner's offer (Connection): from the first start on, what both ends can do goes through shared memory. To be
/// called by all ranks, after all memory for it was taken everywhere (Operation::prepare_connection), and where each
/// message has its receive: others would be waited for for ever. Operations in flight go on meanwhile. Throws Error
/// when MPI fails, and TimedOut when nothing has moved for RONDO_TIMEOUT: the operation and its communicator are given
/// up then.
void connect(std::unique_ptr<Operation>& operation);

}  // namespace rondo::internal

#endif
