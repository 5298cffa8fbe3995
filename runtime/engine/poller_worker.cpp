#include "runtime/engine/poller_worker.hpp"

#include "runtime/base/log.hpp"
#include "runtime/base/node.hpp"
#include "runtime/engine/poller.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace rondo::internal {
namespace {

/// Timer slack of the worker, in nanoseconds, so that it wakes on time. Linux adds 50 microseconds otherwise.
constexpr int kTimerSlack = 1000;

std::size_t allowed_parallelism() {
  return ::tbb::global_control::active_value(::tbb::global_control::max_allowed_parallelism);
}

}  // namespace

/// Lets the worker run on all cores that the process could have while it is in the arena. Open MPI binds each process
/// of a job of two processes to one core, on which the application computes.
class WorkerPrivileges final : public ::tbb::task_scheduler_observer {
 public:
  explicit WorkerPrivileges(::tbb::task_arena& arena) : ::tbb::task_scheduler_observer(arena) { observe(true); }
  ~WorkerPrivileges() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override;
  void on_scheduler_exit(bool is_worker) override;
  /// Makes everything that the calling thread did before visible to a worker that enters from now on.
  void hand_over() noexcept { changes_.fetch_add(1); }

 private:
  // Members of the one worker in the arena. It hands them to the next worker through the count.
  std::atomic<std::uint32_t> changes_ = 0;
  std::optional<cpu_set_t> cores_before_;
  int timer_slack_before_ = -1;  ///< nanoseconds
  std::optional<sched_param> real_time_before_;
};

void WorkerPrivileges::on_scheduler_entry(bool is_worker) {
  if (!is_worker) return;
  static_cast<void>(changes_.load());
  timer_slack_before_ = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  prctl(PR_SET_TIMERSLACK, kTimerSlack, 0, 0, 0);
  // At the same real-time priority as another thread, the worker would wait until the time slice of that thread ends,
  // 100 milliseconds.
  int policy = 0;
  sched_param priority{};
  if (pthread_getschedparam(pthread_self(), &policy, &priority) == 0 && (policy == SCHED_RR || policy == SCHED_FIFO)) {
    const sched_param one_more{priority.sched_priority + 1};
    if (pthread_setschedparam(pthread_self(), policy, &one_more) == 0) real_time_before_ = priority;
  }
  cores_before_ = unbind_thread();
}

void WorkerPrivileges::on_scheduler_exit(bool is_worker) {
  if (!is_worker) return;
  static_cast<void>(changes_.load());
  if (timer_slack_before_ > 0) prctl(PR_SET_TIMERSLACK, timer_slack_before_, 0, 0, 0);
  if (cores_before_) sched_setaffinity(0, sizeof *cores_before_, &*cores_before_);
  cores_before_.reset();
  int policy = 0;
  sched_param now{};
  if (real_time_before_ && pthread_getschedparam(pthread_self(), &policy, &now) == 0)
    pthread_setschedparam(pthread_self(), policy, &*real_time_before_);
  real_time_before_.reset();
  changes_.fetch_add(1);
}

namespace {

/// Runs a slice of the poller. It is a named type so that the thread sanitizer can be told that oneTBB, which the
/// sanitizer cannot see into, hands the poller over correctly.
struct SliceTask {
  Poller* poller;
  void operator()() const { poller->run_slice(); }
};

}  // namespace

struct PollerWorker::Arena {
  // The last member, the observer, is destroyed before the arena.
  ::tbb::global_control one_more{::tbb::global_control::max_allowed_parallelism, allowed_parallelism() + 1};
  ::tbb::task_arena arena{1, 0, ::tbb::task_arena::priority::high};
  WorkerPrivileges privileges{arena};
};

PollerWorker::PollerWorker() : arena_(std::make_unique<Arena>()) {
  const std::size_t allowed = allowed_parallelism();
  log(LogLevel::info, "background progress: oneTBB may use ", allowed, " threads, one of them for progress");
}

PollerWorker::~PollerWorker() = default;

void PollerWorker::enqueue(Poller& poller) noexcept {
  arena_->privileges.hand_over();
  arena_->arena.enqueue(SliceTask{&poller});
}

}  // namespace rondo::internal
