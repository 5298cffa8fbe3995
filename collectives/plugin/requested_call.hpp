/// @file
/// RequestedCall: an operation of Rondo behind a request of MPI.
#ifndef RONDO_COLLECTIVES_PLUGIN_REQUESTED_CALL_HPP
#define RONDO_COLLECTIVES_PLUGIN_REQUESTED_CALL_HPP

#include <mpi.h>

#include "collectives/plugin/choice/call_report.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"
#include "collectives/plugin/comm_until_freed.hpp"
#include "runtime/operation/operation.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace rondo::internal::plugin {

/// Number of requests whose operation was started and not yet ended by a wait or test. active_calls and
/// persistent_calls are accessed relaxed, because whoever holds a request has seen it made.
inline std::atomic<int> active_calls = 0;
/// Number of persistent requests that the plug-in has handed out for Rondo's operations and that are not yet freed,
/// whether active or not. Accessed relaxed, because whoever holds a request has seen it made.
inline std::atomic<int> persistent_calls = 0;

/// The origin of a call, for its errors and for the report.
struct Caller {
  ReplacedCall call;
  CommUntilFreed comm;
  std::int64_t bytes;  ///< that the process sends
};

/// The failure of an operation.
struct FailedCall {
  MPI_Request request;  ///< the request whose completion reports the failure
  CommUntilFreed comm;  ///< whose error handler is called, or MPI_COMM_WORLD's once the communicator is freed
  int error_class;
  std::string text;
};

/// An operation for which the application holds a request that MPI knows, so that all functions accept it, in arrays
/// with any others. The request becomes complete for MPI when the application asks for it and the operation is
/// complete: a wait for it waits for the operation first.
///
/// A nonblocking call has a generalized request. A persistent call has a persistent receive that is inactive until
/// then: in Open MPI from MPI_PROC_NULL; in MPICH, whose Testany and Testsome never report such a receive, of an empty
/// message that the process sends to itself.
class RequestedCall {
 public:
  RequestedCall(const RequestedCall&) = delete;
  RequestedCall& operator=(const RequestedCall&) = delete;
  ~RequestedCall();

  /// Starts an operation by `start`, and gives the application its request. Throws the errors of `start`, and Error
  /// with MPI's class; there is no request then.
  static void start(const Caller& caller, const std::function<std::unique_ptr<Operation>()>& start,
                    MPI_Request* request);
  /// Makes everything in MPI that requests of persistent calls need, while MPI is being started: later the application
  /// may hold all communicators that MPI can make. Local. Throws Error with MPI's class.
  static void prepare();
  /// Returns a request for an operation of an `_init` call, which make() then puts behind it. There are two steps
  /// because nothing may fail on one rank alone once all ranks have made their operations. Throws std::bad_alloc, and
  /// Error with MPI's class.
  [[nodiscard]] static MPI_Request reserve(const Caller& caller);
  static void make(MPI_Request reserved, std::unique_ptr<Operation> operation) noexcept;

  /// Returns the call behind a request if it was started, null for any other request.
  [[nodiscard]] static RequestedCall* find_active(MPI_Request request);
  /// Returns the persistent call behind a request, null for any other request.
  [[nodiscard]] static RequestedCall* find_persistent(MPI_Request request);
  /// Returns the call behind a request, null for any other request.
  [[nodiscard]] static RequestedCall* find(MPI_Request request);

  [[nodiscard]] const Caller& caller() const noexcept { return caller_; }

  /// Starts a persistent call again. Throws Error (MPI_ERR_REQUEST) if it is active.
  void start_again();
  /// Ends a persistent request. Throws Error (MPI_ERR_REQUEST) if it is active.
  static void free(MPI_Request* request);

  /// Advance an active call: test() makes a pass of progress if the operation is not complete, and returns whether it
  /// is; wait() makes passes until it is.
  [[nodiscard]] bool test() { return operation_->test(); }
  void wait() { operation_->wait(); }
  [[nodiscard]] bool persistent() const noexcept { return persistent_; }
  /// Ends a complete operation, so that its request is complete for MPI, which is to be asked for it next. A
  /// nonblocking call is destroyed. Returns the failure, if any, which counts as active until it is reported.
  [[nodiscard]] std::optional<FailedCall> end();

 private:
  RequestedCall(const Caller& caller, bool persistent) : caller_(caller), persistent_(persistent) {}
  void report() const;

  Caller caller_;
  bool persistent_;
  bool active_ = false;
  int tag_ = 0;  ///< tag of the messages that the process sends to itself
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::unique_ptr<Operation> operation_;
  CallReport::Clock::time_point since_;
};

}  // namespace rondo::internal::plugin

#endif
