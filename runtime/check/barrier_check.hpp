/// @file
/// Proves or refutes that the schedules of all ranks together are a barrier.
#ifndef RONDO_RUNTIME_CHECK_BARRIER_CHECK_HPP
#define RONDO_RUNTIME_CHECK_BARRIER_CHECK_HPP

#include "runtime/schedule/schedule.hpp"

#include <span>
#include <string>

namespace rondo::internal {

/// Of schedules in which check_without_definition() found nothing: which rank may end before which other one has begun,
/// in words; empty where none may, whatever the messages' speed. Memory grows with the tasks of all ranks, times ranks.
[[nodiscard]] std::string find_early_end(std::span<const Schedule* const> schedules);

}  // namespace rondo::internal

#endif
