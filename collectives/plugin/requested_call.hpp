/// @file
/// RequestedCall: an operation of Rondo's behind a request of MPI's.
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

/// Requests that stand for an operation which was started and not yet ended by a wait or test. relaxed wherever this
/// and the next are touched: who holds a request has seen it made.
inline std::atomic<int> active_calls = 0;
/// Persistent requests that stand for operations.
inline std::atomic<int> persistent_calls = 0;

/// Who made a call, for its errors and for the report.
struct Caller {
  ReplacedCall call;
  CommUntilFreed comm;
  std::int64_t bytes;  ///< that the process sends
};

/// What went wrong with an operation.
struct FailedCall {
  MPI_Request request;  ///< whoever completes it is told
  CommUntilFreed comm;  ///< whose error handler hears of it; MPI_COMM_WORLD's once it is freed
  int error_class;
  std::string text;
};

/// The application holds a request that MPI knows, so that all functions take it, in arrays with any others. It becomes
/// complete for MPI when the application asks for it and the operation is complete: whoever waits for it waits for the
/// operation first.
///
/// A nonblocking call has a generalized request. A persistent one has a persistent receive that is inactive until then:
/// in Open MPI from MPI_PROC_NULL; in MPICH, whose Testany and Testsome never report such a one, of an empty message
/// that the process sends itself.
class RequestedCall {
 public:
  RequestedCall(const RequestedCall&) = delete;
  RequestedCall& operator=(const RequestedCall&) = delete;
  ~RequestedCall();

  /// Starts an operation by `start` and gives the application its request. Throws what `start` throws, and Error with
  /// MPI's class; there is no request then.
  static void start(const Caller& caller, const std::function<std::unique_ptr<Operation>()>& start,
                    MPI_Request* request);
  /// Makes, while MPI is being started, what requests of persistent calls need of MPI: later the application may have
  /// all communicators that MPI can make. Local. Throws Error with MPI's class.
  static void prepare();
  /// Returns a request for an operation of an `_init` call, which make() gives to it: in two steps, as nothing may fail
  /// on one rank alone once all ranks have made theirs. Throws std::bad_alloc, and Error with MPI's class.
  [[nodiscard]] static MPI_Request reserve(const Caller& caller);
  static void make(MPI_Request reserved, std::unique_ptr<Operation> operation) noexcept;

  /// The call that stands behind a request and was started; null for any other request.
  [[nodiscard]] static RequestedCall* find_active(MPI_Request request);
  /// The persistent call that stands behind a request, null for any other.
  [[nodiscard]] static RequestedCall* find_persistent(MPI_Request request);
  /// Either.
  [[nodiscard]] static RequestedCall* find(MPI_Request request);

  [[nodiscard]] const Caller& caller() const noexcept { return caller_; }

  /// Of a persistent call. Throws Error, MPI_ERR_REQUEST, where it is active.
  void start_again();
  /// Ends a persistent request. Throws Error, MPI_ERR_REQUEST, where it is active.
  static void free(MPI_Request* request);

  /// Of an active call: whether the operation is complete, after one pass of progress if it is not; and the same after
  /// as many as it takes.
  [[nodiscard]] bool test() { return operation_->test(); }
  void wait() { operation_->wait(); }
  [[nodiscard]] bool persistent() const noexcept { return persistent_; }
  /// After that: the request is complete for MPI, which is to be asked for it next; a nonblocking call is gone.
  /// Returns what went wrong with it, which counts as active until somebody is told.
  [[nodiscard]] std::optional<FailedCall> end();

 private:
  RequestedCall(const Caller& caller, bool persistent) : caller_(caller), persistent_(persistent) {}
  void report() const;

  Caller caller_;
  bool persistent_;
  bool active_ = false;
  int tag_ = 0;  ///< of the messages that it sends itself
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::unique_ptr<Operation> operation_;
  CallReport::Clock::time_point since_;
};

}  // namespace rondo::internal::plugin

#endif
