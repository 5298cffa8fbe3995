#include "collectives/plugin/buffered_sends.hpp"

#include <mpi.h>

#include "collectives/plugin/original_mpi.hpp"
#include "runtime/base/private_comm.hpp"

namespace rondo::internal::plugin {

void BufferedSends::make_progress() noexcept {
  // MPICH takes one notice that a message was received in a pass, Open MPI up to 31. Some are from before the last
  // time.
  constexpr int kOlderMessages = 4;
  // MPI makes a pass when it looks for a message that is not there. MPICH makes none for a communicator of one process.
  const int unlikely_tag = highest_tag();
  is_due_.store(false, std::memory_order_relaxed);
  const int passes = kOlderMessages + sent_.exchange(0, std::memory_order_relaxed);
  for (int pass = 0; pass < passes; ++pass) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, unlikely_tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
}

}  // namespace rondo::internal::plugin

#define RONDO_FUNCTIONS "collectives/plugin/buffered_functions.inc"
#include "collectives/plugin/both_widths.inc"
