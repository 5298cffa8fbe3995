/// @file
/// Waiting for the other ranks while a communicator or a request is being made.
#ifndef RONDO_COLLECTIVES_COMM_STATE_WAITING_HPP
#define RONDO_COLLECTIVES_COMM_STATE_WAITING_HPP

#include <rondo/error.hpp>

#include "runtime/functions/inside_function.hpp"

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace rondo::internal {

/// Names, for a scope, the function that waits on this thread: in reports.
class Making {
 public:
  /// Throws Error, MPI_ERR_OTHER, inside a function of a compute task: another rank may wait for this one there.
  explicit Making(const char* function) : before_(current_) {
    refuse_inside_function();
    current_ = function;
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  ~Making() { current_ = before_; }

  [[nodiscard]] static const char* current() noexcept { return current_ == nullptr ? "Rondo" : current_; }

 private:
  static inline constinit thread_local const char* current_ = nullptr;
  const char* before_;
};

/// A wait that was given up, after RONDO_TIMEOUT: MPI_ERR_OTHER. What MPI works on for it must be kept.
class TimedOut : public Error {
 public:
  using Error::Error;
};

/// What a wait does when RONDO_TIMEOUT is over. It tells of that in any case.
enum class Patience : std::uint8_t {
  ends,    ///< throws TimedOut
  endless  ///< waits on, and tells again: for what cannot be given up
};

/// Calls `done` until it says so, while operations in flight go on; to be passed by std::ref, which allocates nothing.
/// `comm`: whose ranks it waits for, for people (describe_comm).
void wait_until(const std::function<bool()>& done, std::string_view comm, Patience patience);

}  // namespace rondo::internal

#endif
