#include "collectives/selection/radices.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include <algorithm>
#include <string>

namespace rondo::internal {

std::vector<int> radices_to_offer(int asked, int size) {
  if (asked < 0 || asked == 1)
    throw Error(MPI_ERR_INFO_VALUE, "radix: is " + std::to_string(asked) + ", must be 0 or at least 2");
  if (asked > 0) return {std::clamp(asked, 2, std::max(2, size))};
  std::vector<int> radices;
  for (const int radix : {2, 3, 4, 8}) {
    if (radix < size) radices.push_back(radix);
  }
  if (radices.empty()) radices.push_back(2);
  return radices;
}

std::vector<int> radices_and_direct(int asked, int size) {
  std::vector<int> radices = radices_to_offer(asked, size);
  if (asked == 0 && radices.back() < size) radices.push_back(size);
  return radices;
}

}  // namespace rondo::internal
