#include "collectives/dense_alltoall/arriving_sizes.hpp"

#include <rondo/error.hpp>

#include "collectives/dense_alltoall/round_sizes.hpp"

#include <string>

namespace rondo::internal::dense {

ArrivingSizes::ArrivingSizes(const Problem& problem, int radix) : problem_(problem) {
  if (problem.regular() || (problem.passing != nullptr && problem.passing->radix == radix)) return;
  throw Error(MPI_ERR_INTERN, "alltoall: the sizes of blocks in transit are not known in radix " +
                                  std::to_string(radix) + ", and they differ");
}

std::int64_t ArrivingSizes::next_of_irregular() { return problem_.passing->arriving.at(place_++); }

std::int64_t ArrivingSizes::next_from(int source) {
  const std::int64_t bytes = next();
  const std::int64_t room = problem_.recv[static_cast<std::size_t>(source)].layout->size();
  if (bytes == room) return bytes;
  throw Error(MPI_ERR_TRUNCATE, "recv block " + std::to_string(source) + ": has " + std::to_string(room) +
                                    " bytes, but the rank sends " + std::to_string(bytes));
}

}  // namespace rondo::internal::dense
