/// @file
/// Functions that find the first complete request of several, for the C and the C++ interface.
#ifndef RONDO_COLLECTIVES_FACES_HANDLES_ANY_REQUEST_HPP
#define RONDO_COLLECTIVES_FACES_HANDLES_ANY_REQUEST_HPP

#include <rondo/request.h>

#include "collectives/faces/handles/request_calls.hpp"
#include "runtime/engine/engine.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

namespace rondo::internal {

/// The result of find_complete(): the state of several requests, none of which is ended yet.
struct AnyComplete {
  std::optional<std::size_t> index;  ///< the first request that is complete
  bool any_active = false;           ///< whether a request is complete, or may still become it
};

/// Looks for the first complete request. `handle_of`: gives the handle of an `Each`. Throws Error (MPI_ERR_REQUEST) for
/// a freed handle.
template <typename Each, typename HandleOf>
[[nodiscard]] AnyComplete find_complete(std::span<Each> requests, HandleOf handle_of) {
  AnyComplete found;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Operation* operation = active_operation(std::invoke(handle_of, requests[i]));
    if (operation == nullptr) continue;
    found.any_active = true;
    if (operation->rotation() != nullptr) [[unlikely]]
      operation->rotation()->is_waited_for();
    if (!operation->complete()) continue;
    found.index = i;
    break;
  }
  return found;
}

/// Looks for the first complete request; if there is none yet, makes one pass of progress and looks again.
template <typename Each, typename HandleOf>
[[nodiscard]] AnyComplete test_for_complete(std::span<Each> requests, HandleOf handle_of) {
  const AnyComplete found = find_complete(requests, handle_of);
  if (found.index || !found.any_active) return found;
  Engine::process().progress();
  return find_complete(requests, handle_of);
}

/// Waits until one of the requests is complete and returns its index; returns nothing if none is active.
template <typename Each, typename HandleOf>
[[nodiscard]] std::optional<std::size_t> wait_for_complete(std::span<Each> requests, HandleOf handle_of) {
  for (Engine::Waiter waiter(Engine::process());; waiter.pass()) {
    const AnyComplete found = find_complete(requests, handle_of);
    if (found.index || !found.any_active) return found.index;
  }
}

}  // namespace rondo::internal

#endif
