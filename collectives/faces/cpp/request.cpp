// The C++ interface: Request.
#include <rondo/error.hpp>
#include <rondo/request.hpp>

#include "collectives/faces/handles/any_request.hpp"
#include "collectives/faces/handles/request_calls.hpp"
#include "runtime/base/child_process.hpp"
#include "runtime/base/log.hpp"
#include "runtime/operation/operation.hpp"
#include "runtime/operation/request_table.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace rondo {

using namespace internal;

namespace {

/// Returns a handle that has an operation. Throws Error for an empty one.
Rondo_Request checked(Rondo_Request handle) {
  if (handle == RONDO_REQUEST_NULL)
    throw Error(MPI_ERR_REQUEST, "this Request is empty: default-constructed, moved from or complete");
  return handle;
}

}  // namespace

Request& Request::operator=(Request&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Request::~Request() {
  // At the exit() of a child process nothing would end operations in flight, and they are not the child's.
  if (null() || is_child_process()) return;
  if (RequestTable& table = RequestTable::process(); table.closed()) {
    table.drop(handle_);
    return;
  }
  try {
    if (const Operation* operation = active_operation(handle_)) {
      log(LogLevel::warning, operation->description(),
          ": its request is destroyed while it is active: waiting for it, its buffers are in use");
      wait();
    }
    if (!null()) free_request(handle_);
  } catch (const std::exception& error) {
    log(LogLevel::error, "a request could not be freed: ", error.what());
  }
}

void Request::start() {
  try {
    start_request(handle_);  // checks the handle
  } catch (const Error&) {
    static_cast<void>(checked(handle_));
    throw;
  }
}

void Request::wait() {
  Operation* operation = active_operation(handle_);
  if (operation == nullptr) return;
  operation->wait();
  complete_request(handle_, *operation);
}

bool Request::test() {
  if (is_idle(handle_)) return true;
  if (!test_request(handle_)) return false;
  complete_request(handle_);
  return true;
}

bool Request::arrived(int block) { return block_arrived(checked(handle_), block); }

bool Request::sent(int block) { return block_sent(checked(handle_), block); }

std::optional<int> Request::wait_any_block() { return rondo::wait_any_block(checked(handle_)); }

bool Request::on_complete(std::function<void()> callback) { return call_when_complete(handle_, std::move(callback)); }

ProgressMode Request::progress() const { return progress_of_request(checked(handle_)); }

std::string Request::algorithm() const { return algorithm_of_request(checked(handle_)); }

std::string Request::explain() const { return explain_request(checked(handle_)); }

std::string Request::to_dot() const { return dot_of_request(checked(handle_)); }

bool Request::active() const { return !is_idle(handle_); }

namespace {

/// Ends a complete request of several. A failure is thrown with the request's number.
void end_one(std::span<Request> requests, std::size_t i) {
  try {
    requests[i].wait();
  } catch (const Error& error) {
    throw Error(error.error_class(), "requests[" + std::to_string(i) + "]: " + error.what());
  }
}

}  // namespace

void start_all(std::span<Request> requests) {
  for (Request& request : requests) request.start();
}

void wait_all(std::span<Request> requests) {
  for (const Request& request : requests) begin_waiting(request.native());
  std::optional<Error> first;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    try {
      end_one(requests, i);
    } catch (const Error& error) {
      if (!first) first = error;  // the other requests are waited for all the same
    }
  }
  if (first) throw Error(*first);
}

std::optional<std::size_t> wait_any(std::span<Request> requests) {
  const std::optional<std::size_t> complete = wait_for_complete(requests, &Request::native);
  if (complete) end_one(requests, *complete);
  return complete;
}

std::vector<std::size_t> wait_some(std::span<Request> requests) {
  std::vector<std::size_t> ended;
  ended.reserve(requests.size());  // everything that can fail comes before the first request is ended
  const std::optional<std::size_t> complete = wait_for_complete(requests, &Request::native);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Operation* operation = active_operation(requests[i].native());
    if (operation != nullptr && operation->complete() && !operation->failed()) ended.push_back(i);
  }
  for (const std::size_t i : ended) end_one(requests, i);
  if (complete && ended.empty()) end_one(requests, *complete);
  return ended;
}

std::optional<std::size_t> test_any(std::span<Request> requests) {
  const AnyComplete found = test_for_complete(requests, &Request::native);
  if (found.index) end_one(requests, *found.index);
  return found.index;
}

bool test_all(std::span<Request> requests) {
  const auto complete = [](const Request& request) { return !request.active() || test_request(request.native()); };
  if (!std::ranges::all_of(requests, complete)) return false;
  wait_all(requests);
  return true;
}

}  // namespace rondo
