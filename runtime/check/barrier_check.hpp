/// @file
/// find_early_end(): proves or refutes that the schedules of all ranks together are a barrier.
#ifndef RONDO_RUNTIME_CHECK_BARRIER_CHECK_HPP
#define RONDO_RUNTIME_CHECK_BARRIER_CHECK_HPP

#include "runtime/schedule/schedule.hpp"

#include <span>
#include <string>

namespace rondo::internal {

/// Returns, in words, which rank may end before which other rank has begun. Returns an empty text if no rank may,
/// whatever the messages' speed. Call this only for schedules in which check_without_definition() found nothing. Memory
/// grows with the tasks of all ranks, times ranks.
[[nodiscard]] std::string find_early_end(std::span<const Schedule* const> schedules);

}  // namespace rondo::internal

#endif
