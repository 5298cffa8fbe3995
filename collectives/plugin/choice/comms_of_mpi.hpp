/// @file
/// The communicators that leave calls to MPI, for a check that costs a load and a compare.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_COMMS_OF_MPI_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_COMMS_OF_MPI_HPP

#include <mpi.h>

#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/handle_number.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::internal::plugin {

/// A set of communicators. One may be missing, because an added one sometimes pushes out another: its reason is found
/// again. Thread-safe.
class CommsOfMpi {
 public:
  [[nodiscard]] bool contains(MPI_Comm comm) const noexcept {
    // relaxed: nothing else is published with it; who gets a reused handle has seen the end of the first communicator
    return of_slot_[slot(handle_number(comm))].load(std::memory_order_relaxed) == handle_number(comm);
  }
  void add(MPI_Comm comm) noexcept {
    of_slot_[slot(handle_number(comm))].store(handle_number(comm), std::memory_order_relaxed);
  }
  void remove(MPI_Comm comm) noexcept {
    if (!contains(comm)) return;
    std::uintptr_t expected = handle_number(comm);
    of_slot_[slot(expected)].compare_exchange_strong(expected, 0, std::memory_order_relaxed);
  }

 private:
  static constexpr int kSlotBits = 6;

  static std::size_t slot(std::uintptr_t number) noexcept {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>((number * kGoldenRatio) >> (64 - kSlotBits));
  }

  std::array<std::atomic<std::uintptr_t>, std::size_t{1} << kSlotBits> of_slot_{};
};

/// Sets by kind of call: first for all calls, then for calls with blocks of one size.
inline std::array<std::array<CommsOfMpi, kReplacedCalls>, 1 + kBlockSizes.size()> all_comms_of_mpi{};

/// Returns the communicators on which calls of a kind are left to MPI.
[[nodiscard]] inline CommsOfMpi& comms_of_mpi(ReplacedCall call) noexcept {
  return all_comms_of_mpi[0][static_cast<std::size_t>(call)];
}
/// Returns the communicators on which calls with blocks of this size are left to MPI; independent of
/// comms_of_mpi(call).
[[nodiscard]] inline CommsOfMpi& comms_of_mpi(ReplacedCall call, BlockSize blocks) noexcept {
  return all_comms_of_mpi[1 + static_cast<std::size_t>(blocks)][static_cast<std::size_t>(call)];
}

/// Ensures that a valid communicator is forgotten when it is freed, by whichever of MPI's names. Returns false if that
/// fails. Local.
[[nodiscard]] bool is_forgotten_when_freed(MPI_Comm comm) noexcept;

/// Remembers that calls of a kind are left to MPI on a valid communicator, until it is freed, by whichever of MPI's
/// names. Local.
void remember_left(ReplacedCall call, MPI_Comm comm) noexcept;
/// Remembers the same for calls with blocks of one size only.
void remember_left(ReplacedCall call, MPI_Comm comm, BlockSize blocks) noexcept;

}  // namespace rondo::internal::plugin

#endif
