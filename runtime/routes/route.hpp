/// @file
/// Route: the way that a message of a persistent operation takes.
#ifndef RONDO_RUNTIME_ROUTES_ROUTE_HPP
#define RONDO_RUNTIME_ROUTES_ROUTE_HPP

#include "datatypes/copying/copy_run.hpp"
#include "runtime/claims/claim_channel.hpp"
#include "runtime/shared_memory/slot.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace rondo::internal {

/// Data that several messages have in common, in memory of their sender.
struct PublishedData {
  std::array<std::byte*, 2> buffers{};  ///< used alternately, as slots are
  std::uint64_t start = 0;              ///< the last start for which the data were packed

  /// Returns whether this is the first call in start `number`, and records the start.
  [[nodiscard]] bool is_first_in(std::uint64_t number) noexcept { return std::exchange(start, number) != number; }
};

/// The programs that copy into a slot, in starts with even and with odd numbers: one program for both, or one for each,
/// with equally many entries.
class SlotPrograms {
 public:
  constexpr SlotPrograms() = default;
  constexpr SlotPrograms(std::span<const CopyRun> of_both) noexcept
      : first_{of_both.data(), of_both.data()}, entries_(of_both.size()) {}
  constexpr SlotPrograms(const CopyRun* of_0, const CopyRun* of_1, std::size_t entries) noexcept
      : first_{of_0, of_1}, entries_(entries) {}

  [[nodiscard]] constexpr bool empty() const noexcept { return entries_ == 0; }
  [[nodiscard]] constexpr std::span<const CopyRun> of_start(std::uint64_t start) const noexcept {
    return {first_[start % 2], entries_};
  }

 private:
  std::array<const CopyRun*, 2> first_{};
  std::size_t entries_ = 0;
};

/// The sender's end of a message that goes through slots: data at `source` are copied to the slots at `data`.
struct SendChannel {
  SlotSender<> slots;
  OfSlots<std::byte> data;
  const std::byte* source;
  SlotPrograms program;                ///< empty: the data are one piece
  PublishedData* published = nullptr;  ///< the data at `data`, if published: the first message of a start packs them
};
static_assert(std::is_trivially_copyable_v<SendChannel>);

/// The receiver's end of a message that goes through slots.
struct ReceiveChannel {
  SlotReceiver<> slots;
  OfSlots<const std::byte> data;
  std::byte* target;
  std::span<const CopyRun> program;
  bool stays = false;  ///< the data are read in the slot, one of two, and not copied to `target`
  bool held = false;   ///< the slot holds data of the last start that stay there, and was not given back

  /// Returns the address of the data that are held.
  [[nodiscard]] const std::byte* held_data() const noexcept { return data[slots.slot()]; }
};
static_assert(std::is_trivially_copyable_v<ReceiveChannel>);

/// A Route is the way of a message. If there is a channel, at most one, the message goes through shared memory, and
/// both ends have a channel of the same kind. Otherwise the message goes over MPI, by a request that was made once, or
/// by a new request in each start if that is null.
struct Route {
  MPI_Request request = MPI_REQUEST_NULL;
  SendChannel* send = nullptr;
  ReceiveChannel* receive = nullptr;
  ClaimChannel* claim = nullptr;

  [[nodiscard]] bool is_shared() const noexcept { return send != nullptr || receive != nullptr || claim != nullptr; }
};
static_assert(std::is_trivially_copyable_v<Route>);

}  // namespace rondo::internal

#endif
