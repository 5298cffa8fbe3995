#include "runtime/functions/inside_function.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

namespace rondo::internal {

void throw_inside_function() {
  throw Error(
      MPI_ERR_OTHER,
      "called in the function of a compute task, or in one of an algorithm that was offered, by the thread that "
      "drives all messages: persistent requests may be started there, and nothing may be waited for, tested, "
      "made or freed");
}

}  // namespace rondo::internal
