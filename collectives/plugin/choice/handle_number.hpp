/// @file
/// MPI handles as numbers, which they are in MPICH; in Open MPI they are pointers.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_HANDLE_NUMBER_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_HANDLE_NUMBER_HPP

#include <cstdint>
#include <type_traits>

namespace rondo::internal::plugin {

/// Returns a number that no other handle has, and that is never 0.
template <typename Handle>
[[nodiscard]] std::uintptr_t handle_number(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uintptr_t>(handle);
  }
}

}  // namespace rondo::internal::plugin

#endif
