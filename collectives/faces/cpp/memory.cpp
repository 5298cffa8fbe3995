// The C++ interface: memory for arrays.
#include <rondo/memory.hpp>

#include "collectives/faces/handles/memory_calls.hpp"
#include "datatypes/reading/mpi_running.hpp"

namespace rondo {

using namespace internal;

void* allocate(std::size_t bytes) {
  require_mpi("rondo::allocate");
  return allocate_array(bytes);
}

void deallocate(void* memory) noexcept {
  if (memory != nullptr) static_cast<void>(free_array(memory));
}

}  // namespace rondo
