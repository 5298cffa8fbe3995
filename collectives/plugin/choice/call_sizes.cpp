#include "collectives/plugin/choice/call_sizes.hpp"

#include "collectives/plugin/choice/call_report.hpp"

namespace rondo::internal::plugin {

std::int64_t bytes_of(const CallSide& side, int blocks) noexcept {
  if (CallReport::wanted() == nullptr || !side.counts || !side.types) return 0;
  std::int64_t bytes = 0;
  for (int i = 0; i < blocks; ++i) {
    MPI_Count size = 0;
    if (side.count(i) > 0 && side.type(i) != MPI_DATATYPE_NULL && MPI_Type_size_x(side.type(i), &size) == MPI_SUCCESS)
      bytes += size * side.count(i);
  }
  return bytes;
}

}  // namespace rondo::internal::plugin
