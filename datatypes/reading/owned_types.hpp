/// @file
/// Datatypes under construction: those that are not released in the end are freed.
#ifndef RONDO_DATATYPES_READING_OWNED_TYPES_HPP
#define RONDO_DATATYPES_READING_OWNED_TYPES_HPP

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace rondo::internal {

/// Owner of the datatypes of a construction. Frees the intermediate types at the end, and all types if a step fails.
class OwnedTypes {
 public:
  OwnedTypes() = default;
  OwnedTypes(const OwnedTypes&) = delete;
  OwnedTypes& operator=(const OwnedTypes&) = delete;
  ~OwnedTypes() {
    for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  }

  /// Takes ownership of `type`, and frees it if this throws std::bad_alloc.
  MPI_Datatype keep(MPI_Datatype type) {
    try {
      types_.push_back(type);
    } catch (...) {
      MPI_Type_free(&type);
      throw;
    }
    return type;
  }
  /// Gives one of the types to the caller.
  [[nodiscard]] MPI_Datatype release(MPI_Datatype type) noexcept {
    types_.erase(std::remove(types_.begin(), types_.end(), type), types_.end());
    return type;
  }

 private:
  std::vector<MPI_Datatype> types_;
};

}  // namespace rondo::internal

#endif
