#include "runtime/schedule/reduction.hpp"

#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/type_contents.hpp"

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

Reduction::Reduction(MPI_Op op, MPI_Datatype type, int count, const Layout& element)
    : layout_(element.repeated(count)), alignment_(alignment_in_array(element)), op_(op), type_(type), count_(count) {
  // Predefined ones cannot be freed, and MPI's own operations take no duplicates of them.
  if (is_predefined(combiner_of(type))) return;
  duplicate_ = duplicate_of(type);
  type_ = duplicate_.native();
}

Reduction::Reduction(Layout operand, std::int64_t alignment) : layout_(std::move(operand)), alignment_(alignment) {}

}  // namespace rondo::internal
