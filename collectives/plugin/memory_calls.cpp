// The plug-in gives applications memory that neighbors on the same node can read, in place of MPI's, if the user asks
// for persistent collectives: a child after fork() does not have what its parent wrote in that memory.
#include <rondo/error.hpp>

#include "collectives/faces/handles/memory_calls.hpp"
#include "collectives/plugin/choice/world_choice.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "datatypes/reading/mpi_running.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace rondo;
using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

/// Returns whether the application asks for more than a cache line's alignment (MPI 4.0, 9.2).
bool wants_large_alignment(MPI_Info info) {
  if (info == MPI_INFO_NULL) return false;
  std::array<char, 32> value{};
  int flag = 0;
  const int code =
      MPI_Info_get(info, "mpi_minimum_memory_alignment", static_cast<int>(value.size()) - 1, value.data(), &flag);
  return code != MPI_SUCCESS || (flag != 0 && std::strtol(value.data(), nullptr, 10) > 64);
}

/// Returns shared memory, or null if MPI is to allocate it, or to report an error.
void* allocated(MPI_Aint size, MPI_Info info) noexcept {
  try {
    if (size < 0 || !mpi_runs() || reason_to_leave_everything() != nullptr || !asks_for_persistent_calls() ||
        !wants_shared_arrays() || wants_large_alignment(info))
      return nullptr;
    return allocate_array(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    return nullptr;
  } catch (const Error&) {
    return nullptr;  // a wrong setting, which the log reports elsewhere
  }
}

}  // namespace

extern "C" {

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  if (baseptr != nullptr) {
    if (void* const memory = allocated(size, info); memory != nullptr) {
      std::memcpy(baseptr, static_cast<const void*>(&memory),
                  sizeof memory);  // the application's pointer may have any type
      return MPI_SUCCESS;
    }
  }
  return original_mpi().alloc_mem(size, info, baseptr);
}

int MPI_Free_mem(void* base) {
  if (base != nullptr && free_array(base)) return MPI_SUCCESS;
  return original_mpi().free_mem(base);
}
}
