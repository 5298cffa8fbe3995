/// @file
/// message_balance(): a number of each rank, whose sum says whether the messages of all ranks match.
#ifndef RONDO_COLLECTIVES_BINDING_MESSAGE_BALANCE_HPP
#define RONDO_COLLECTIVES_BINDING_MESSAGE_BALANCE_HPP

#include "runtime/schedule/schedule.hpp"

#include <cstdint>

namespace rondo::internal {

/// Returns a number whose sum over all ranks, modulo 2^64, is 0 if each message of their schedules has a receive with
/// the same tag and as many bytes, and is not 0 otherwise, as far as hashes can tell. `rank`: the rank of the schedule.
[[nodiscard]] std::uint64_t message_balance(const Schedule& schedule, int rank);

}  // namespace rondo::internal

#endif
