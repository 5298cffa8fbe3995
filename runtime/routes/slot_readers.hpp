/// @file
/// Which messages need not be copied out of their slots, as whoever needs their data can read them there.
#ifndef RONDO_RUNTIME_ROUTES_SLOT_READERS_HPP
#define RONDO_RUNTIME_ROUTES_SLOT_READERS_HPP

#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// Scratch memory that a message goes to.
struct Landing {
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t message;  ///< in Schedule::messages()
};

/// A task that reads a message that was received.
struct SlotReader {
  TaskId task;
  std::uint32_t message;
};

struct SlotReaders {
  std::vector<Landing> landings;    ///< disjoint, by place
  std::vector<SlotReader> readers;  ///< by task; a send may read several messages, any other task reads one
};

/// The messages that can be read where they lie in their slots: each goes to one piece of scratch memory, which nothing
/// touches but reduces and copies all of whose sources lie in it, and sends; and who reads them. Slots begin at cache
/// lines. Costs what the description of the schedule does, and not what user's data do. Throws std::bad_alloc.
[[nodiscard]] SlotReaders slot_readers(const Schedule& schedule);

}  // namespace rondo::internal

#endif
