/// @file
/// connect(): connects a persistent operation to its partners, so that ranks on one node share memory.
#ifndef RONDO_COLLECTIVES_BINDING_CONNECTING_HPP
#define RONDO_COLLECTIVES_BINDING_CONNECTING_HPP

#include "runtime/operation/operation.hpp"

#include <memory>

namespace rondo::internal {

/// Connects a persistent operation to its partners. Sends each partner an offer and receives its offer, then exchanges
/// the answers to the offers by one more message each way (Connection). From the first start on, messages that both
/// ends can handle go through shared memory. All ranks must call this, after all have taken the memory for it
/// (Operation::prepare_connection), and only if each message has its receive: otherwise a rank would wait for ever.
/// Operations in flight go on meanwhile. Throws Error if MPI fails, and TimedOut if nothing has moved for
/// RONDO_TIMEOUT: the operation and its communicator are given up then.
void connect(std::unique_ptr<Operation>& operation);

}  // namespace rondo::internal

#endif
