/// @file
/// `co_await request`, in coroutines of any library.
#ifndef RONDO_COROUTINE_HPP
#define RONDO_COROUTINE_HPP

#include <rondo/basics/cpp20.hpp>

#include <rondo/request.hpp>

#include <coroutine>

namespace rondo {

/// The awaiter of `co_await request`.
class RequestAwaiter {
 public:
  explicit RequestAwaiter(Request& request) noexcept : request_(request) {}
  [[nodiscard]] bool await_ready() { return request_.test(); }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> coroutine) {
    return request_.on_complete([coroutine] { coroutine.resume(); });
  }
  void await_resume() { request_.wait(); }

 private:
  Request& request_;
};

/// Suspends the coroutine until the operation is complete, and ends the operation as Request::wait() does: throws its
/// failure. The coroutine resumes inside the Rondo call that finds the operation complete, on that thread
/// (Request::on_complete); with rondo::tbb::resume_here (tbb.hpp) it resumes as a task of oneTBB instead. In mode
/// `inlined` something must make progress meanwhile: a wait for another request, or rondo::progress(). The request must
/// live until the coroutine resumes.
[[nodiscard]] inline RequestAwaiter operator co_await(Request& request) noexcept { return RequestAwaiter(request); }

}  // namespace rondo

#endif
