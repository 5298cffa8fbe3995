/// @file
/// Helpers with which the parts of the schedule checker report their findings.
#ifndef RONDO_RUNTIME_CHECK_FINDING_HPP
#define RONDO_RUNTIME_CHECK_FINDING_HPP

#include "runtime/check/schedule_checker.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace rondo::internal {

/// Throws a Finding, which is the answer of the check.
[[noreturn]] inline void refute(Flaw flaw, std::string story) { throw Finding{flaw, std::move(story)}; }

[[nodiscard]] inline std::string bytes_from_to(Space space, std::int64_t begin, std::int64_t end) {
  return std::string(name(space)) + " bytes [" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

[[nodiscard]] inline std::string tell(std::int32_t rank, const Schedule& schedule, TaskId id) {
  return "rank " + std::to_string(rank) + ", " + describe(schedule, id);
}

}  // namespace rondo::internal

#endif
