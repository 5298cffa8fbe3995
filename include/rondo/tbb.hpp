/// @file
/// Waiting inside oneTBB's tasks without holding a worker. Header-only; users link oneTBB (CMake target rondo::tbb).
#ifndef RONDO_TBB_HPP
#define RONDO_TBB_HPP

#include <rondo/basics/cpp20.hpp>

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <rondo/error.hpp>
#include <rondo/request.hpp>

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace rondo::tbb {

namespace detail {

/// Makes progress in the arena of a waiting task, as a task that enqueues itself again, for operations that do not
/// advance in the background.
class Driver : public std::enable_shared_from_this<Driver> {
 public:
  void enqueue() {
    arena_.enqueue([self = shared_from_this()] { self->run(); });
  }
  void end() noexcept { over_.store(true); }

 private:
  void run() {
    if (over_.load()) return;
    if (!rondo::progress()) std::this_thread::yield();
    enqueue();
  }

  ::tbb::task_arena arena_{::tbb::task_arena::attach()};
  std::atomic<bool> over_ = false;
};

/// Calls Request::on_complete(), and enqueues a task that makes progress until the operation is complete.
inline bool call_when_complete(Request& request, std::function<void()> function) {
  if (request.progress() == ProgressMode::async) return request.on_complete(std::move(function));
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED)
    throw Error(MPI_ERR_OTHER,
                "rondo::tbb: tasks run on any thread, so MPI must be started with MPI_THREAD_SERIALIZED "
                "or more");
  const auto driver = std::make_shared<Driver>();
  const bool later = request.on_complete([driver, function = std::move(function)] {
    driver->end();
    function();
  });
  if (later) driver->enqueue();
  return later;
}

}  // namespace detail

/// Does what Request::wait() does, for use inside a task: suspends the task, so that its worker can run others, and
/// resumes it when the operation is complete, perhaps on another worker of the same arena. Throws the operation's
/// failure; also Error, MPI_ERR_OTHER, below MPI_THREAD_SERIALIZED, and std::bad_alloc, after which the request is
/// still active. If the operation does not advance in the background, the arena's workers make progress between other
/// tasks.
inline void wait(Request& request) {
  if (request.test()) return;
  std::exception_ptr trouble;
  ::tbb::task::suspend([&](::tbb::task::suspend_point point) {
    try {
      // After this call the task may go on at once, so its stack must not be touched any more.
      if (detail::call_when_complete(request, [point] { ::tbb::task::resume(point); })) return;
    } catch (...) {
      trouble = std::current_exception();
    }
    ::tbb::task::resume(point);
  });
  if (trouble) std::rethrow_exception(trouble);
  request.wait();
}

/// For the body of a flow graph's async_node that has started `request`: puts `message` into the graph when the
/// operation is complete, and keeps the graph from ending before. The receiver of the message waits for the request,
/// which does not block any more. Throws as wait() does.
template <typename Gateway, typename Message>
void put_when_complete(Gateway& gateway, Request& request, Message message) {
  gateway.reserve_wait();
  const auto put = [&gateway, message = std::move(message)] {
    gateway.try_put(message);
    gateway.release_wait();
  };
  bool later = false;
  try {
    later = detail::call_when_complete(request, put);
  } catch (...) {
    gateway.release_wait();
    throw;
  }
  if (!later) put();
}

/// The awaiter that resume_here() returns.
class ArenaAwaiter {
 public:
  explicit ArenaAwaiter(Request& request) : request_(request) {}
  [[nodiscard]] bool await_ready() { return request_.test(); }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> coroutine) {
    return detail::call_when_complete(
        request_, [coroutine, arena = std::make_shared<::tbb::task_arena>(::tbb::task_arena::attach())] {
          arena->enqueue([coroutine] { coroutine.resume(); });
        });
  }
  void await_resume() { request_.wait(); }

 private:
  Request& request_;
};

/// `co_await resume_here(request)`: as `co_await request`, but the coroutine resumes as a task in the arena in which it
/// was suspended, and tasks of that arena make progress until then. Throws as wait() does.
[[nodiscard]] inline ArenaAwaiter resume_here(Request& request) { return ArenaAwaiter(request); }

}  // namespace rondo::tbb

#endif
