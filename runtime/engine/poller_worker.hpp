/// @file
/// PollerWorker: the oneTBB worker that a poller lives on.
#ifndef RONDO_RUNTIME_ENGINE_POLLER_WORKER_HPP
#define RONDO_RUNTIME_ENGINE_POLLER_WORKER_HPP

#include <memory>

namespace rondo::internal {

class Poller;

/// An arena of its own, of high priority and for one worker. oneTBB is allowed one worker more than it has otherwise.
class PollerWorker {
 public:
  PollerWorker();
  PollerWorker(const PollerWorker&) = delete;
  PollerWorker& operator=(const PollerWorker&) = delete;
  ~PollerWorker();

  /// Has a worker call the poller's run_slice(). Whatever the calling thread did before is seen there.
  void enqueue(Poller& poller) noexcept;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace rondo::internal

#endif
