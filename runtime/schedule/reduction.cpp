#include "runtime/schedule/reduction.hpp"

#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/type_contents.hpp"

#include <algorithm>
#include <utility>

namespace rondo::internal {
namespace {

constexpr std::int64_t kCacheLine = 64;

/// Returns the alignment of elements in an array. Elements are one extent apart, so no data in them need a larger power
/// of two than one that divides the extent. At most a cache line.
std::int64_t alignment_in_array(const Layout& element) {
  const std::int64_t extent = element.extent();
  const std::int64_t lowest_bit = extent & -extent;
  return lowest_bit == 0 || lowest_bit > kCacheLine ? kCacheLine : lowest_bit;
}

/// Returns a datatype that keeps another one alive. Both MPIs must be able to return the contents of a datatype
/// (MPI_Type_get_contents), so the handle stays valid when its user has freed it. A duplicate would do as well, but
/// making one calls the user's functions that copy attributes.
Datatype make_keeper(MPI_Datatype type) {
  MPI_Datatype keeper = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(1, type, &keeper), "MPI_Type_contiguous");
  return Datatype(keeper);
}

}  // namespace

Reduction::Reduction(MPI_Op op, MPI_Datatype type, std::int64_t count, const Layout& element)
    : layout_(element.repeated(count)),
      alignment_(alignment_in_array(element)),
      op_(op),
      type_(type),
      count_(count),
      extent_(element.extent()) {
  if (!is_predefined(combiner_of(type))) keeper_ = make_keeper(type);
}

Reduction::Reduction(Layout operand, std::int64_t alignment) : layout_(std::move(operand)), alignment_(alignment) {}

std::shared_ptr<Reduction> Reduction::copy_of_basic() const {
  return std::make_shared<Reduction>(op_, type_, count_, Layout::contiguous(extent_));
}

void Reduction::resize_basic(std::int64_t bytes) {
  layout_.become_contiguous(bytes);
  count_ = bytes / extent_;
}

int Reduction::run_in_parts(const std::byte* source, std::byte* target) const noexcept {
  int code = MPI_SUCCESS;
  for (std::int64_t begin = 0; begin < count_ && code == MPI_SUCCESS; begin += kMostAtOnce) {
    const std::int64_t part = std::min(kMostAtOnce, count_ - begin);
    code = MPI_Reduce_local(source + begin * extent_, target + begin * extent_, static_cast<int>(part), type_, op_);
  }
  return code;
}

}  // namespace rondo::internal
