/// @file
/// PollerWorker: the oneTBB worker that runs a poller.
#ifndef RONDO_RUNTIME_ENGINE_POLLER_WORKER_HPP
#define RONDO_RUNTIME_ENGINE_POLLER_WORKER_HPP

#include <memory>

namespace rondo::internal {

class Poller;

/// A oneTBB arena for one worker, with high priority. While it exists oneTBB may use one worker more than otherwise.
class PollerWorker {
 public:
  PollerWorker();
  PollerWorker(const PollerWorker&) = delete;
  PollerWorker& operator=(const PollerWorker&) = delete;
  ~PollerWorker();

  /// Has a worker call the poller's run_slice(). Everything that the calling thread did before is visible there.
  void enqueue(Poller& poller) noexcept;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace rondo::internal

#endif
