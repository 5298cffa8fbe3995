#include "collectives/blocks/type_probe.hpp"

#include "runtime/base/at_finalize.hpp"
#include "runtime/base/private_comm.hpp"

#include <optional>

namespace rondo::internal {
namespace {

/// Returns the probe. The object is never destroyed; its communicator is freed before MPI ends.
std::optional<PrivateComm>& probe() {
  static auto& made = *new std::optional<PrivateComm>;
  return made;
}

}  // namespace

MPI_Comm type_probe() {
  static const MPI_Comm comm = [] {
    at_finalize(AtFinalize::free_communicators, [] { probe().reset(); });
    return probe().emplace(MPI_COMM_SELF).get();
  }();
  return comm;
}

}  // namespace rondo::internal
