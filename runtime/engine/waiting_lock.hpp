/// @file
/// WaitingLock: the lock of a call that waits for other ranks.
#ifndef RONDO_RUNTIME_ENGINE_WAITING_LOCK_HPP
#define RONDO_RUNTIME_ENGINE_WAITING_LOCK_HPP

#include "runtime/engine/engine.hpp"

#include <mutex>

namespace rondo::internal {

/// Holds the mutex of a communicator's calls for a scope in which the thread waits for other ranks, and so drives
/// operations. Their callbacks run when the mutex is free again, because they may make calls on that communicator.
/// Throws Error, MPI_ERR_OTHER, inside a function of a compute task.
class WaitingLock {
 public:
  explicit WaitingLock(std::mutex& mutex) : lock_(mutex) {}

 private:
  Engine::LaterCallbacks later_{Engine::process()};  // destroyed after the lock
  std::scoped_lock<std::mutex> lock_;
};

}  // namespace rondo::internal

#endif
