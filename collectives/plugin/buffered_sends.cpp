#include "collectives/plugin/buffered_sends.hpp"

#include <mpi.h>

#include "collectives/plugin/original/original_mpi.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/private_comm.hpp"
#include "runtime/base/world.hpp"

#include <algorithm>
#include <mutex>

namespace rondo::internal::plugin {

void BufferedSends::make_progress() noexcept {
  // In a pass MPICH takes one notice that a message was received, Open MPI up to 31.
  constexpr std::uint32_t kFewestPasses = 4;
  constexpr std::uint32_t kMostPasses = 1024;  // 0.1 ms on a core of its own
  static std::mutex& making = *new std::mutex;
  const std::scoped_lock lock(making);
  if (state_.load(std::memory_order_relaxed) == State::none || !mpi_runs()) return;
  state_.store(State::making, std::memory_order_relaxed);
  const std::uint32_t sent = std::min(sent_.load(std::memory_order_relaxed), kMostPasses);
  // Some may not have been received yet. They count half the next time, and so on.
  sent_.store(sent / 2, std::memory_order_relaxed);
  // MPI makes a pass when it looks for a message that is not there. MPICH makes none for a communicator of one process.
  // The application hardly sends messages with the highest tags to itself.
  const int highest = highest_tag();
  for (std::uint32_t pass = 0; pass < kFewestPasses + sent; ++pass) {
    int found = 0;
    PMPI_Iprobe(world_rank(), highest - static_cast<int>(pass % kFewestPasses), MPI_COMM_WORLD, &found,
                MPI_STATUS_IGNORE);
  }
  State made = State::making;  // unless a collective of Rondo's has ended meanwhile
  state_.compare_exchange_strong(made, State::none, std::memory_order_relaxed);
}

}  // namespace rondo::internal::plugin

#define RONDO_FUNCTIONS "collectives/plugin/buffered_functions.inc"
#include "collectives/plugin/both_widths.inc"
