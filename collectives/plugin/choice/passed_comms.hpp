/// @file
/// Which communicators leave calls to MPI, for a look that costs a load and a compare.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_PASSED_COMMS_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_PASSED_COMMS_HPP

#include <mpi.h>

#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/handle_number.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::internal::plugin {

/// A communicator may be missing, as each pushes out another now and then: what is not here is found out again. Any
/// thread.
class PassedComms {
 public:
  [[nodiscard]] bool contains(MPI_Comm comm) const noexcept {
    // relaxed: nothing else is published with it, and a handle that is used again comes by way of its first one's end
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

/// First for all calls of a kind, then for those with blocks of one size.
inline std::array<std::array<PassedComms, kReplacedCalls>, 1 + kBlockSizes.size()> all_passed_comms{};

/// Those on which calls of a kind are left to MPI.
[[nodiscard]] inline PassedComms& passed_comms(ReplacedCall call) noexcept {
  return all_passed_comms[0][static_cast<std::size_t>(call)];
}
/// Those on which they are where blocks have such a size; they need not be among the others.
[[nodiscard]] inline PassedComms& passed_comms(ReplacedCall call, BlockSize blocks) noexcept {
  return all_passed_comms[1 + static_cast<std::size_t>(blocks)][static_cast<std::size_t>(call)];
}

/// Sees to it that what is remembered of a valid communicator is forgotten when it is freed, by whichever of MPI's
/// names. False where that fails. Local.
[[nodiscard]] bool is_forgotten_when_freed(MPI_Comm comm) noexcept;

/// Remembers that calls of a kind are left to MPI on a valid communicator, until it is freed, by whichever of MPI's
/// names. Local.
void remember_passed(ReplacedCall call, MPI_Comm comm) noexcept;
/// The same of calls with blocks of one size.
void remember_passed(ReplacedCall call, MPI_Comm comm, BlockSize blocks) noexcept;

}  // namespace rondo::internal::plugin

#endif
