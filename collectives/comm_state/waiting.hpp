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

/// A scope that names, in reports, the function that waits on this thread.
class Making {
 public:
  /// Throws Error (MPI_ERR_OTHER) inside a function of a compute task, where another rank may wait for this one.
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

/// The error of a wait that was given up after RONDO_TIMEOUT (MPI_ERR_OTHER). MPI may still work on the wait's memory.
class TimedOut : public Error {
 public:
  using Error::Error;
};

/// The end of a wait when RONDO_TIMEOUT is over. The wait reports this in any case.
enum class Patience : std::uint8_t {
  ends,    ///< throws TimedOut
  endless  ///< waits on, and reports again: for waits that cannot be given up
};

/// Calls `done` until it returns true, while operations in flight go on. Pass `done` by std::ref, which allocates
/// nothing. `comm`: the communicator whose ranks the wait is for, for people (describe_comm).
void wait_until(const std::function<bool()>& done, std::string_view comm, Patience patience);

}  // namespace rondo::internal

#endif
