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
  std::array<std::byte*, 2> buffers{};  ///< used by turns, as slots are
  std::uint64_t start = 0;              ///< the last one that they were packed for

  /// Whether nobody has asked so in that start.
  [[nodiscard]] bool is_first_in(std::uint64_t number) noexcept { return std::exchange(start, number) != number; }
};

/// What is copied into a slot in starts with even and with odd numbers: by the same program, or by one of as many
/// entries for each.
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

/// A message that goes through slots, at its sender: what is at `source` is copied to where `slots` says.
struct SendChannel {
  SlotSender<> slots;
  OfSlots<std::byte> data;
  const std::byte* source;
  SlotPrograms program;                ///< empty: one piece
  PublishedData* published = nullptr;  ///< what `data` is the memory of: the first message of a start packs it
};
static_assert(std::is_trivially_copyable_v<SendChannel>);

/// And at its receiver.
struct ReceiveChannel {
  SlotReceiver<> slots;
  OfSlots<const std::byte> data;
  std::byte* target;
  std::span<const CopyRun> program;
  bool stays = false;  ///< who needs the data reads them in the slot, of two; nothing is copied to `target`
  bool held = false;   ///< the slot has such data, of the last start, and was not given back

  /// Where the data lie that are held.
  [[nodiscard]] const std::byte* held_data() const noexcept { return data[slots.slot()]; }
};
static_assert(std::is_trivially_copyable_v<ReceiveChannel>);

/// Through shared memory where there is a channel, one at most, of the same kind at either end of the message.
/// Otherwise over MPI, by a request that was made once or, where that is null, by one for each start.
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
