#include "collectives/faces/handles/memory_calls.hpp"

#include "collectives/settings/settings.hpp"
#include "runtime/shared_memory/allocated_memory.hpp"

namespace rondo::internal {

bool wants_shared_arrays() {
  static const SharedMemory use = [] {
    Settings settings;
    settings.take_environment();
    return settings.shm;
  }();
  return use != SharedMemory::off;
}

void* allocate_array(std::size_t bytes) {
  return AllocatedMemory::process().take(bytes, wants_shared_arrays() ? SharedMemory::on : SharedMemory::off);
}

bool free_array(void* memory) noexcept { return AllocatedMemory::process().give_back(memory); }

}  // namespace rondo::internal
