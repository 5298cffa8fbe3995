#include "runtime/schedule/reduction.hpp"

#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/type_contents.hpp"

#include <algorithm>
#include <utility>

namespace rondo::internal {
namespace {

constexpr std::int64_t kCacheLine = 64;

/// Elements of an array are one extent apart, so nothing in them asks for more than what that is a multiple of.
std::int64_t alignment_in_array(const Layout& element) {
  const std::int64_t extent = element.extent();
  const std::int64_t lowest_bit = extent & -extent;
  return lowest_bit == 0 || lowest_bit > kCacheLine ? kCacheLine : lowest_bit;
}

Datatype duplicate_of(MPI_Datatype type) {
  MPI_Datatype duplicate = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_dup(type, &duplicate), "MPI_Type_dup");
  return Datatype(duplicate);
}

}  // namespace

Reduction::Reduction(MPI_Op op, MPI_Datatype type, std::int64_t count, const Layout& element)
    : layout_(element.repeated(count)),
      alignment_(alignment_in_array(element)),
      op_(op),
      type_(type),
      count_(count),
      extent_(element.extent()) {
  // Predefined ones cannot be freed, and MPI's own operations take no duplicates of them.
  if (is_predefined(combiner_of(type))) return;
  duplicate_ = duplicate_of(type);
  type_ = duplicate_.native();
}

Reduction::Reduction(Layout operand, std::int64_t alignment) : layout_(std::move(operand)), alignment_(alignment) {}

int Reduction::run_in_parts(const std::byte* source, std::byte* target) const noexcept {
  int code = MPI_SUCCESS;
  for (std::int64_t begin = 0; begin < count_ && code == MPI_SUCCESS; begin += kMostAtOnce) {
    const std::int64_t part = std::min(kMostAtOnce, count_ - begin);
    code = MPI_Reduce_local(source + begin * extent_, target + begin * extent_, static_cast<int>(part), type_, op_);
  }
  return code;
}

}  // namespace rondo::internal
