// The C++ interface: progress modes.
#include <rondo/progress.hpp>

#include "runtime/engine/engine.hpp"
#include "runtime/operation/operation.hpp"

namespace rondo {

using namespace internal;

ProgressMode granted_progress(ProgressMode wanted) {
  watch_for_finalize();
  return Engine::process().provide(wanted);
}

bool progress() { return Engine::process().progress() > 0; }

}  // namespace rondo
