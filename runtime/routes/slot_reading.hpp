/// @file
/// SlotReading: how an execution reads messages in their slots.
#ifndef RONDO_RUNTIME_ROUTES_SLOT_READING_HPP
#define RONDO_RUNTIME_ROUTES_SLOT_READING_HPP

#include "datatypes/copying/copy_run.hpp"
#include "runtime/routes/route.hpp"
#include "runtime/routes/slot_readers.hpp"
#include "runtime/schedule/schedule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo::internal {

/// A SlotReading holds the messages that stay in their slots, of which each has two, and the tasks that read them
/// there. All channels of an operation have one message in each start, so they are at the same slot in each start. What
/// a send reads in another message's slot is therefore the same in every other start, and is compiled once for each of
/// the two slots. All memory is allocated at construction, before anybody knows which messages have channels.
class SlotReading {
 public:
  SlotReading() = default;
  /// Makes a reading, and prepares the sends, of an execution whose spaces begin at `bases`. Throws std::bad_alloc.
  SlotReading(const Schedule& schedule, const std::array<std::byte*, kSpaces>& bases);

  /// Decides which messages stay in their slots: those that have a channel, if all sends that read them have one, too.
  /// Makes these sends read them there. Call once, when it is known which messages have channels. `routes`: by number
  /// of message.
  void settle(std::span<const Route> routes) noexcept;

  /// Returns whether some copy reads a message in its slot. No copy does before settle().
  [[nodiscard]] bool by_copies() const noexcept;
  /// Returns the message that a reduce or a copy reads in its slot, or nothing if it reads none there.
  [[nodiscard]] std::optional<std::uint32_t> message_of(TaskId reader) const noexcept;

 private:
  struct Reader {  ///< a reader that is not a send
    TaskId task;
    std::uint32_t message;
    bool copies;  ///< the reader is a copy, not a reduce
  };
  /// Consecutive entries of a send's program, from the end of the previous part on, that read one message or none.
  struct Part {
    std::size_t end;
    std::uint32_t message;
  };
  struct Send {
    std::uint32_t message;
    std::size_t first_run;  ///< this many runs for slot 0 begin here, then as many for slot 1
    std::size_t runs;
    std::size_t first_part;
    std::size_t parts;
  };
  void compile(const Schedule& schedule, const Task& send, std::span<const Landing> landings,
               const std::array<std::byte*, kSpaces>& bases);
  void read_in_slots(const Send& send, std::span<const Route> routes) noexcept;
  [[nodiscard]] std::span<const Part> parts(const Send& send) const noexcept {
    return std::span(parts_).subspan(send.first_part, send.parts);
  }

  std::vector<Reader> candidates_;  ///< readers before settle() has decided which of them read in slots
  std::vector<Reader> readers_;     ///< ordered by task
  std::vector<Send> sends_;
  std::vector<Part> parts_;
  std::vector<CopyRun> runs_;  ///< copy from absolute addresses, until settle() changes some
};

}  // namespace rondo::internal

#endif
