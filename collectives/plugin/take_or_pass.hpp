/// @file
/// What every replaced function does: Rondo takes the call, or it is left to MPI.
#ifndef RONDO_COLLECTIVES_PLUGIN_TAKE_OR_PASS_HPP
#define RONDO_COLLECTIVES_PLUGIN_TAKE_OR_PASS_HPP

#include <mpi.h>

#include "collectives/c_errors.hpp"
#include "collectives/plugin/decision.hpp"

namespace rondo::plugin {

/// `make` makes the call what Rondo takes; `take` does it and returns true, or returns false where it is left to MPI,
/// which `pass` does. Returns what the function returns; what `take` throws is an error of `comm`.
template <typename Make, typename Take, typename Pass>
int take_or_pass(ReplacedCall what, MPI_Comm comm, Make make, Take take, Pass pass) {
  if (passes_unseen(what) || passed_comms(what).contains(comm)) return pass();
  const auto call = make();
  bool taken = false;
  const int code = guarded(comm, call.name, [&] { taken = take(call); });
  return taken || code != MPI_SUCCESS ? code : pass();
}

}  // namespace rondo::plugin

#endif
