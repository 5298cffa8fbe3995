/// @file
/// Callback: a function of the application as a continuation.
#ifndef RONDO_RUNTIME_OPERATION_CALLBACK_HPP
#define RONDO_RUNTIME_OPERATION_CALLBACK_HPP

#include "runtime/base/log.hpp"
#include "runtime/execution/continuation.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace rondo::internal {

/// A Callback is a continuation that owns itself from the moment that it is armed, and destroys itself when it has run.
/// Nobody can catch what the function throws, so the exception goes to the log.
class Callback final : public Continuation {
 public:
  Callback(std::string operation, std::function<void()> function)
      : operation_(std::move(operation)), function_(std::move(function)) {}

  void run() noexcept override {
    const std::unique_ptr<Callback> self(this);
    try {
      function_();
    } catch (const std::exception& error) {
      log(LogLevel::error, operation_, ": its completion callback threw: ", error.what());
    } catch (...) {
      log(LogLevel::error, operation_, ": its completion callback threw something other than a std::exception");
    }
  }

 private:
  std::string operation_;
  std::function<void()> function_;
};

}  // namespace rondo::internal

#endif
