/// @file
/// The first of several requests to complete, under both faces.
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

/// What is known of several requests, none of which is ended.
struct AnyComplete {
  std::optional<std::size_t> index;  ///< the first that is complete
  bool any_active = false;           ///< one is complete, or may still become it
};

/// `handle_of`: the handle of one of `Each`. Throws Error, MPI_ERR_REQUEST, for a freed one.
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

/// The same after a pass of progress where that is needed.
template <typename Each, typename HandleOf>
[[nodiscard]] AnyComplete test_for_complete(std::span<Each> requests, HandleOf handle_of) {
  const AnyComplete found = find_complete(requests, handle_of);
  if (found.index || !found.any_active) return found;
  Engine::process().progress();
  return find_complete(requests, handle_of);
}

/// Waits until one is complete; nothing where none is active.
template <typename Each, typename HandleOf>
[[nodiscard]] std::optional<std::size_t> wait_for_complete(std::span<Each> requests, HandleOf handle_of) {
  Engine& engine = Engine::process();
  const Engine::Waiter waiter(engine);
  for (unsigned idle_passes = 0;;) {
    const AnyComplete found = find_complete(requests, handle_of);
    if (found.index || !found.any_active) return found.index;
    if (engine.progress_in_wait() != 0)
      idle_passes = 0;
    else
      engine.idle(++idle_passes);
  }
}

}  // namespace rondo::internal

#endif
