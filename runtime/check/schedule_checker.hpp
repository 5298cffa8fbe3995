/// @file
/// check_schedules(): checks that the schedules of all ranks together do what a collective's definition says.
#ifndef RONDO_RUNTIME_CHECK_SCHEDULE_CHECKER_HPP
#define RONDO_RUNTIME_CHECK_SCHEDULE_CHECKER_HPP

#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// One line of a definition: bytes [target_offset, target_offset + bytes) of rank `target`'s receive buffer end up as
/// the bytes from source_offset on of rank `source`'s send buffer. A schedule in place has one buffer, which is both:
/// its contents at the start count.
struct Placement {
  std::int32_t target;
  std::int64_t target_offset;
  std::int32_t source;
  std::int64_t source_offset;
  std::int64_t bytes;
};

/// A line of a definition that reduces: bytes [target_offset, target_offset + bytes) of rank `target`'s receive buffer
/// end up as the combination of the bytes from each source on, in any order. There must be a source; a line with a
/// single source is a Placement.
struct Combination {
  struct Source {
    std::int32_t rank;
    std::int64_t offset;  ///< offset in the rank's send buffer
  };

  std::int32_t target;
  std::int64_t target_offset;
  std::int64_t bytes;
  std::vector<Source> sources;
};

/// The kinds of flaws that schedules can have.
enum class Flaw : std::uint8_t {
  malformed,      ///< a task touches memory that it must not touch, an edge or a counter is wrong
  disagreement,   ///< ranks differ in values that must be equal on all
  unmatched,      ///< a send without its receive or a receive without its send
  size,           ///< a send and its receive differ in bytes
  message_order,  ///< two messages that MPI tells apart by their order only, which is not fixed
  deadlock,       ///< nothing can move any more, if sends wait for their receives
  race,           ///< two tasks touch the same bytes, one writes, and neither is sure to end before the other begins,
                  ///< or one task reads what it writes
  unwritten,      ///< a task reads bytes that nothing has written
  wrong_data      ///< a receive buffer does not end as the definition says
};
[[nodiscard]] const char* name(Flaw flaw);

/// A flaw that a check found. `story`: the shortest description that explains it, with ranks, tasks and bytes.
struct Finding {
  Flaw flaw;
  std::string story;
};

/// Checks the schedules of ranks 0 to p-1 against a definition. Returns a flaw, or nothing if they are right under
/// every order of completions that MPI allows, and even if every send waits for its receive. The check proves, for one
/// start: every message has its partner of the same size, found without luck; nothing can hang; no two tasks race;
/// nothing is read that was not written; the receive buffers end exactly as the definition says and nothing else in
/// them is touched. Data is followed symbolically: a copy or message moves origins, not bytes, and a reduce combines
/// them. Local. Time and memory grow with the number of pieces of all ranks' blocks, times that of the blocks that are
/// combined.
[[nodiscard]] std::optional<Finding> check_schedules(std::span<const Schedule* const> schedules,
                                                     std::span<const Placement> placements,
                                                     std::span<const Combination> combinations = {});

/// Checks schedules without a definition, whatever the receive buffers hold at the end. Returns the first flaw that it
/// finds, which is never Flaw::wrong_data, or nothing if there is none.
[[nodiscard]] std::optional<Finding> check_without_definition(std::span<const Schedule* const> schedules);

}  // namespace rondo::internal

#endif
