/// @file
/// The function slot_readers(), which finds messages that need not be copied out of their slots, because the tasks that
/// need their data can read them there.
#ifndef RONDO_RUNTIME_ROUTES_SLOT_READERS_HPP
#define RONDO_RUNTIME_ROUTES_SLOT_READERS_HPP

#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// A piece of scratch memory into which a message is received.
struct Landing {
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t message;  ///< number in Schedule::messages()
};

/// A task that reads a received message.
struct SlotReader {
  TaskId task;
  std::uint32_t message;
};

struct SlotReaders {
  std::vector<Landing> landings;    ///< disjoint, ordered by place
  std::vector<SlotReader> readers;  ///< ordered by task; a send may read several messages, any other task reads one
};

/// Returns the messages that can be read in their slots, and the tasks that read them. Each of these messages goes to
/// one piece of scratch memory, which nothing touches but sends, and reduces and copies all of whose sources lie in
/// that piece. Slots begin at cache lines. The cost grows with the description of the schedule, not with the user's
/// data. Throws std::bad_alloc.
[[nodiscard]] SlotReaders slot_readers(const Schedule& schedule);

}  // namespace rondo::internal

#endif
