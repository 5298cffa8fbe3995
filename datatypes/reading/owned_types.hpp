/// @file
/// Datatypes under construction: what is not handed over in the end is freed.
#ifndef RONDO_DATATYPES_READING_OWNED_TYPES_HPP
#define RONDO_DATATYPES_READING_OWNED_TYPES_HPP

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace rondo::internal {

/// Frees the intermediate types when a datatype is made of them, and all of them when a step fails.
class OwnedTypes {
 public:
  OwnedTypes() = default;
  OwnedTypes(const OwnedTypes&) = delete;
  OwnedTypes& operator=(const OwnedTypes&) = delete;
  ~OwnedTypes() {
    for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  }

  /// Takes `type` over, also when it throws.
  MPI_Datatype keep(MPI_Datatype type) {
    try {
      types_.push_back(type);
    } catch (...) {
      MPI_Type_free(&type);
      throw;
    }
    return type;
  }
  /// Gives one of the types up to the caller.
  [[nodiscard]] MPI_Datatype release(MPI_Datatype type) noexcept {
    types_.erase(std::remove(types_.begin(), types_.end(), type), types_.end());
    return type;
  }

 private:
  std::vector<MPI_Datatype> types_;
};

}  // namespace rondo::internal

#endif
