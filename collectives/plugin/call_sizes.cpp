#include "collectives/plugin/call_sizes.hpp"

#include "collectives/plugin/call_report.hpp"

namespace rondo::plugin {

std::int64_t sent_bytes(const CallSide& side, int blocks) noexcept {
  if (CallReport::wanted() == nullptr || side.counts == nullptr || side.types == nullptr) return 0;
  std::int64_t bytes = 0;
  for (int i = 0; i < blocks; ++i) {
    const int count = side.counts[side.regular ? 0 : i];
    const MPI_Datatype type = side.types[side.type_per_block ? i : 0];
    MPI_Count size = 0;
    if (count > 0 && type != MPI_DATATYPE_NULL && MPI_Type_size_x(type, &size) == MPI_SUCCESS) bytes += size * count;
  }
  return bytes;
}

}  // namespace rondo::plugin
