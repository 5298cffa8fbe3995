/// @file
/// Attempt: a result that may be missing for a reason that is no error. Without shared memory messages go through MPI.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_ATTEMPT_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_ATTEMPT_HPP

#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace rondo::internal {

/// The reason why something cannot be had. Allocates no memory until somebody reads it.
struct Refusal {
  const char* what = "";  ///< static text: the failed system call, or the whole reason
  int error = 0;          ///< errno of that call; 0: none

  /// Returns the reason as text, such as "memfd_create: Too many open files".
  [[nodiscard]] std::string text() const {
    return error == 0 ? what : std::string(what) + ": " + std::generic_category().message(error);
  }
};

/// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Attempt {
 public:
  Attempt(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : value_(std::move(value)) {}
  Attempt(Refusal refusal) noexcept : refusal_(refusal) {}

  explicit operator bool() const noexcept { return value_.has_value(); }
  [[nodiscard]] T& operator*() noexcept { return *value_; }
  [[nodiscard]] const T& operator*() const noexcept { return *value_; }
  [[nodiscard]] T* operator->() noexcept { return &*value_; }
  [[nodiscard]] const T* operator->() const noexcept { return &*value_; }
  /// Returns the reason. Only if there is no value.
  [[nodiscard]] const Refusal& refusal() const noexcept { return refusal_; }

 private:
  std::optional<T> value_;
  Refusal refusal_;
};

}  // namespace rondo::internal

#endif
