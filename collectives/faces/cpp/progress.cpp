// The C++ interface: progress modes.
#include <rondo/progress.hpp>

#include "datatypes/reading/mpi_running.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/operation/operation.hpp"

namespace rondo {

using namespace internal;

ProgressMode granted_progress(ProgressMode wanted) {
  require_mpi("granted_progress");
  watch_for_finalize();
  return Engine::process().provide(wanted);
}

bool progress() {
  require_mpi("progress");
  return Engine::process().progress() > 0;
}

}  // namespace rondo
