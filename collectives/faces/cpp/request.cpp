// The C++ interface: Request.
#include <rondo/error.hpp>
#include <rondo/request.hpp>

#include "collectives/faces/handles/request_calls.hpp"
#include "runtime/base/log.hpp"
#include "runtime/operation/request_table.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace rondo {

using namespace internal;

Request& Request::operator=(Request&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Request::~Request() {
  if (null()) return;
  try {
    if (!is_idle(handle_)) {
      log(LogLevel::warning, "a request is destroyed while it is active: waiting for it, its buffers are in use");
      wait();
    }
    if (!null()) free_request(handle_);
  } catch (const std::exception& error) {
    log(LogLevel::error, "a request could not be freed: ", error.what());
  }
}

void Request::start() { start_request(handle_); }

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

bool Request::arrived(int block) { return block_arrived(handle_, block); }

bool Request::sent(int block) { return block_sent(handle_, block); }

std::optional<int> Request::wait_any_block() { return rondo::wait_any_block(handle_); }

bool Request::on_complete(std::function<void()> callback) { return call_when_complete(handle_, std::move(callback)); }

ProgressMode Request::progress() const { return progress_of_request(handle_); }

std::string Request::algorithm() const { return algorithm_of_request(handle_); }

std::string Request::explain() const { return explain_request(handle_); }

std::string Request::to_dot() const { return dot_of_request(handle_); }

void start_all(std::span<Request> requests) {
  for (Request& request : requests) request.start();
}

void wait_all(std::span<Request> requests) {
  std::optional<Error> first;
  for (Request& request : requests) {
    try {
      request.wait();
    } catch (const Error& error) {
      if (!first) first = error;  // the others are waited for all the same
    }
  }
  if (first) throw Error(*first);
}

}  // namespace rondo
