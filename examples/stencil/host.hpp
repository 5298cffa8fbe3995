/// @file
/// The machine that this process runs on.
#ifndef RONDO_EXAMPLES_STENCIL_HOST_HPP
#define RONDO_EXAMPLES_STENCIL_HOST_HPP

#include <mpi.h>

namespace stencil {

struct Host {
  bool crowded;  ///< there, or on another host of the job, are more ranks than cores
  bool only;     ///< all ranks are there
};

/// Collective over `comm`.
[[nodiscard]] Host this_host(MPI_Comm comm);

}  // namespace stencil

#endif
