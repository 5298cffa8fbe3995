/// @file
/// Whether the messages of all ranks match, found out by a sum.
#ifndef RONDO_COLLECTIVES_BINDING_MESSAGE_BALANCE_HPP
#define RONDO_COLLECTIVES_BINDING_MESSAGE_BALANCE_HPP

#include "runtime/schedule/schedule.hpp"

#include <cstdint>

namespace rondo::internal {

/// What a rank adds to a sum over all ranks, modulo 2^64, that is 0 where each message has its receive, with the same
/// number, and as many bytes; otherwise it is not, as far as hashes can tell. `rank`: whose schedule it is.
[[nodiscard]] std::uint64_t message_balance(const Schedule& schedule, int rank);

}  // namespace rondo::internal

#endif
