// The C interface: memory for arrays.
#include <rondo/memory.h>

#include "collectives/faces/c/errors.hpp"
#include "collectives/faces/handles/memory_calls.hpp"

#include <cstddef>
#include <cstring>
#include <string>

using namespace rondo;
using namespace rondo::internal;

int Rondo_Alloc(MPI_Aint bytes, void* baseptr) {
  return guarded(MPI_COMM_NULL, "Rondo_Alloc", [&] {
    if (bytes < 0) throw Error(MPI_ERR_ARG, "bytes: is " + std::to_string(bytes) + ", must be at least 0");
    require(baseptr, "baseptr");
    void* const memory = allocate_array(static_cast<std::size_t>(bytes));
    std::memcpy(baseptr, static_cast<const void*>(&memory), sizeof memory);  // baseptr points to a pointer of any type
  });
}

int Rondo_Free(void* base) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Free", [&] {
    if (base != nullptr && !free_array(base))
      throw Error(MPI_ERR_BASE, "base: is not the beginning of memory that Rondo_Alloc returned and that is not freed");
  });
}
