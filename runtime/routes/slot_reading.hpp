/// @file
/// SlotReading: how an execution reads messages where they lie in their slots.
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

/// Messages that stay in their slots, of which they have two, and what reads them there. All channels of an operation
/// have one message in each start, so they are at the same slot in each: what a send reads in another message's slot is
/// the same in every other start, and is compiled once for either. All memory is taken at construction, before anybody
/// knows which messages have channels.
class SlotReading {
 public:
  SlotReading() = default;
  /// Of an execution whose spaces begin at `bases`. Throws std::bad_alloc.
  SlotReading(const Schedule& schedule, const std::array<std::byte*, kSpaces>& bases);

  /// When it is known which messages have channels, by number: has those stay that have one, if all sends that read
  /// them have one, too, and has these read them there. Once.
  void settle(std::span<const Route> routes) noexcept;

  /// Whether some copy reads a message in its slot. None does before settle().
  [[nodiscard]] bool by_copies() const noexcept;
  /// The message that a reduce or a copy reads in its slot, if it does.
  [[nodiscard]] std::optional<std::uint32_t> message_of(TaskId reader) const noexcept;

 private:
  struct Reader {  ///< that is no send
    TaskId task;
    std::uint32_t message;
    bool copies;  ///< and does not reduce
  };
  /// Entries of a send's program, from the end of the part before it on, that read one message or none.
  struct Part {
    std::size_t end;
    std::uint32_t message;
  };
  struct Send {
    std::uint32_t message;
    std::size_t first_run;  ///< as many for slot 0, and then for slot 1
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

  std::vector<Reader> candidates_;  ///< for readers_, before it is settled who reads in slots
  std::vector<Reader> readers_;     ///< by task
  std::vector<Send> sends_;
  std::vector<Part> parts_;
  std::vector<CopyRun> runs_;  ///< from absolute addresses, until it is settled what is read in a slot
};

}  // namespace rondo::internal

#endif
