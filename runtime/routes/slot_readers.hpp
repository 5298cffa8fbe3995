/// @file
/// Which messages need not be copied out of their slots, as all that is done with them is to combine them.
#ifndef RONDO_RUNTIME_ROUTES_SLOT_READERS_HPP
#define RONDO_RUNTIME_ROUTES_SLOT_READERS_HPP

#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <vector>

namespace rondo::internal {

/// A reduce whose sources all lie in one message that was received.
struct SlotReader {
  TaskId task;
  std::uint32_t message;  ///< in Schedule::messages()
};

/// The reduce tasks that can read their sources where the message lies in its slot: it goes to one piece of scratch
/// memory, nothing but these tasks touches that piece, and they only read it. Slots begin at cache lines. Costs what
/// checking the schedule does, and nothing where there is no reduction. Throws std::bad_alloc.
[[nodiscard]] std::vector<SlotReader> slot_readers(const Schedule& schedule);

}  // namespace rondo::internal

#endif
