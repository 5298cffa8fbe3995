#include "collectives/plugin/choice/left_comms.hpp"

#include "collectives/comm_state/attribute_key.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/world.hpp"

#include <atomic>
#include <exception>
#include <memory>

namespace rondo::internal::plugin {
namespace {

/// relaxed: whoever has a foreign communicator has seen it made
std::atomic<bool> foreign_communicators = false;

/// Marks a communicator whose calls are all left to MPI. A duplicate begins anew.
struct LeftComm {};

/// relaxed: whoever has such a communicator has marked it
std::atomic<bool> some_comms_are_left = false;

const AttributeKey<LeftComm>& mark_of_left_comms() {
  static const AttributeKey<LeftComm> key;
  return key;
}

}  // namespace

bool is_of_this_world(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group outside = MPI_GROUP_NULL;
  int size = 0;
  check_mpi(MPI_Comm_group(comm, &group), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  check_mpi(MPI_Group_difference(group, world, &outside), "MPI_Group_difference");
  check_mpi(MPI_Group_size(outside, &size), "MPI_Group_size");
  for (MPI_Group* made : {&group, &world}) check_mpi(MPI_Group_free(made), "MPI_Group_free");
  if (size != 0) check_mpi(MPI_Group_free(&outside), "MPI_Group_free");
  return size == 0;
}

void expect_foreign_communicators() { foreign_communicators.store(true, std::memory_order_relaxed); }

bool is_foreign(MPI_Comm comm) {
  return foreign_communicators.load(std::memory_order_relaxed) && !is_of_this_world(comm);
}

void leave_comm_to_mpi(MPI_Comm comm, const char* why) noexcept {
  try {
    if (!some_comms_are_left.exchange(true, std::memory_order_relaxed)) {
      int rank = 0;
      static_cast<void>(MPI_Comm_rank(comm, &rank));
      log(rank == 0 ? LogLevel::warning : LogLevel::info, "there is no private communicator for ",
          describe_comm(comm).view(), " and perhaps others, whose calls are left to MPI: ", why);
    }
    mark_of_left_comms().attach(comm, std::make_unique<LeftComm>());
  } catch (const std::exception&) {
    // MPI has no memory for a mark: the next call on the communicator tries again to make a private one.
  }
}

const char* reason_to_leave_comm(MPI_Comm comm) {
  if (is_foreign(comm)) return "processes of several MPI_COMM_WORLDs";
  const bool is_left =
      some_comms_are_left.load(std::memory_order_relaxed) && mark_of_left_comms().find(comm) != nullptr;
  return is_left ? "no private communicator" : nullptr;
}

}  // namespace rondo::internal::plugin
