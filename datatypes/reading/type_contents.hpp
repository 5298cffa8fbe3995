/// @file
/// How an MPI datatype was made.
#ifndef RONDO_DATATYPES_READING_TYPE_CONTENTS_HPP
#define RONDO_DATATYPES_READING_TYPE_CONTENTS_HPP

#include <mpi.h>

#include "datatypes/reading/mpi_check.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal {

/// Whether a datatype of this combiner is one of MPI's own, which cannot be freed.
[[nodiscard]] inline bool is_predefined(int combiner) noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

/// The arguments that a datatype was made with. Derived types among them are handles to be freed.
class TypeContents {
 public:
  explicit TypeContents(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    check_mpi(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner_), "MPI_Type_get_envelope");
    if (combiner_ == MPI_COMBINER_NAMED) return;
    integers_.resize(static_cast<std::size_t>(integers));
    addresses_.resize(static_cast<std::size_t>(addresses));
    types_.resize(static_cast<std::size_t>(types));
    check_mpi(
        MPI_Type_get_contents(type, integers, addresses, types, integers_.data(), addresses_.data(), types_.data()),
        "MPI_Type_get_contents");
  }
  TypeContents(const TypeContents&) = delete;
  TypeContents& operator=(const TypeContents&) = delete;
  ~TypeContents() {
    for (MPI_Datatype& type : types_) {
      int integers = 0;
      int addresses = 0;
      int types = 0;
      int combiner = MPI_COMBINER_NAMED;
      if (MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) continue;
      if (!is_predefined(combiner)) MPI_Type_free(&type);
    }
  }

  [[nodiscard]] int combiner() const { return combiner_; }
  [[nodiscard]] int integer(int i) const { return integers_.at(static_cast<std::size_t>(i)); }
  [[nodiscard]] MPI_Aint address(int i) const { return addresses_.at(static_cast<std::size_t>(i)); }
  [[nodiscard]] MPI_Datatype type(int i) const { return types_.at(static_cast<std::size_t>(i)); }

 private:
  int combiner_ = MPI_COMBINER_NAMED;
  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace rondo::internal

#endif
