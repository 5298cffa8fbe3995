#include "collectives/faces/cpp/element_sides.hpp"

#include <rondo/error.hpp>

#include <limits>
#include <string>

namespace rondo::internal {

int length_as_count(std::size_t elements) {
  if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(MPI_ERR_COUNT, "send: has " + std::to_string(elements) + " elements, must have at most " +
                                   std::to_string(std::numeric_limits<int>::max()));
  }
  return static_cast<int>(elements);
}

}  // namespace rondo::internal
