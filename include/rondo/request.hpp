/// @file
/// The C++ handle of a collective operation.
#ifndef RONDO_REQUEST_HPP
#define RONDO_REQUEST_HPP

#include <rondo/basics/cpp20.hpp>

#include <rondo/rondo.h>
#include <rondo/progress.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo {

/// A collective operation in flight (nonblocking) or ready to be started (persistent). Move-only; owns the C handle.
/// All functions are local and throw Error: MPI_ERR_REQUEST if the request is null() and the function needs an
/// operation. Any thread may call them as far as the MPI thread level allows, one thread at a time for one request;
/// several threads at once may ask for its blocks.
class Request {
 public:
  Request() noexcept = default;
  /// Takes over a handle made by the C interface.
  explicit Request(Rondo_Request handle) noexcept : handle_(handle) {}
  Request(Request&& other) noexcept : handle_(other.release()) {}
  Request& operator=(Request&& other) noexcept;
  /// Frees the request. Waits first for an active request, with a warning in the log: its buffers are still in use.
  /// After MPI_Finalize the destructor waits for nothing; the log says once that an operation was lost.
  ~Request();

  /// Starts a persistent request; allocates nothing. Throws Error (MPI_ERR_REQUEST) if the request is active or not
  /// persistent.
  void start();
  /// Waits until the operation is complete; a nonblocking request is null() afterwards. Does nothing when inactive.
  void wait();
  /// Makes progress and returns whether the operation is complete.
  [[nodiscard]] bool test();

  /// Partial completion: Rondo_Arrived says what a block is, when memory is allocated, and how failures are reported.
  ///
  /// Returns whether a block of the receive buffer has its final value and may be read. Makes one progress pass if not.
  /// True while the request is inactive; throws Error (MPI_ERR_REQUEST) if it is null().
  [[nodiscard]] bool arrived(int block);
  /// Returns whether a block of the send buffer may be overwritten; otherwise as arrived().
  [[nodiscard]] bool sent(int block);
  /// Waits until another block has arrived and returns its number, each block once after a start, in the order of
  /// arrival. Returns nothing if all blocks were returned, and while the request is inactive. Does not complete the
  /// request: wait() does.
  ///
  ///     while (const std::optional<int> block = halo.wait_any_block()) update_border(*block);
  ///     halo.wait();
  [[nodiscard]] std::optional<int> wait_any_block();

  /// Registers `callback` to be called once, when the operation in progress completes. Returns false if the operation
  /// is already complete or was not started: then `callback` is not called. Several callbacks may be registered. The
  /// thread that finds the operation complete calls the callback: in mode `async` most often Rondo's thread, otherwise
  /// the thread that makes progress, within that call; so callbacks should be short. A callback may call any function
  /// of Rondo, but no collective on a communicator on which another collective call may be in progress, because their
  /// order must be the same on all ranks. It may still be running when wait() returns. Its exceptions go to the log.
  /// The request must still be waited for or tested. A failed operation is complete, too. Throws std::bad_alloc.
  bool on_complete(std::function<void()> callback);

  /// Whether there is no operation: the request is default-constructed, moved from, or nonblocking and complete.
  [[nodiscard]] bool null() const noexcept { return handle_ == RONDO_REQUEST_NULL; }
  /// Whether the operation was started, and no call that waits or tests has ended it. Throws Error (MPI_ERR_REQUEST) if
  /// the C handle was freed.
  [[nodiscard]] bool active() const;
  /// Name of the algorithm that runs, e.g. "combining", as algorithm_from() takes it; "to be chosen" while a
  /// nonblocking dense alltoall agrees on sizes, or a nonblocking call waits for times of other ranks (Options::learn).
  [[nodiscard]] std::string algorithm() const;

  /// The progress mode that the operation was granted, never `automatic`; for an operation that learns, the mode of its
  /// last start.
  [[nodiscard]] ProgressMode progress() const;

  /// Returns the candidates from which the algorithm was chosen, as a readable table: a line for each with its rounds,
  /// blocks, bytes and predicted time in nanoseconds, the running candidate first, and what this rank sends: see
  /// Rondo_Explain.
  [[nodiscard]] std::string explain() const;

  /// Returns the schedule on this rank as a graph for Graphviz (`dot -Tsvg`): a node for each task with its peer, bytes
  /// and round, a box for each phase, an arrow for each dependency (docs/tracing.md). Throws Error (MPI_ERR_REQUEST) if
  /// the request is null, and while the algorithm is still to be chosen.
  [[nodiscard]] std::string to_dot() const;

  /// The C handle, which this request still owns.
  [[nodiscard]] Rondo_Request native() const noexcept { return handle_; }
  /// Gives the C handle to the caller.
  [[nodiscard]] Rondo_Request release() noexcept { return std::exchange(handle_, RONDO_REQUEST_NULL); }

 private:
  Rondo_Request handle_ = RONDO_REQUEST_NULL;
};

/// Returns Request::explain().
[[nodiscard]] inline std::string explain(const Request& request) { return request.explain(); }

/// Returns Request::to_dot().
[[nodiscard]] inline std::string to_dot(const Request& request) { return request.to_dot(); }

// Several requests at once. All functions are local and skip requests that are null or inactive, except start_all(). A
// failure belongs to one request: it ends that request as Request::wait() does and does not affect the others, and the
// text of the Error begins with its number, "requests[3]: ".

/// Starts all requests, in order. Throws for the first that cannot be started; the requests before it are started then.
void start_all(std::span<Request> requests);
/// Waits for all requests, even after a failure, and ends all; then throws the first failure.
void wait_all(std::span<Request> requests);
/// Waits until one request is complete, ends it and returns its number; nothing if none is active. A failed request is
/// ended as well, and its failure is thrown; later calls wait for the others.
///
///     while (const std::optional<std::size_t> i = rondo::wait_any(requests)) use(received[*i]);
[[nodiscard]] std::optional<std::size_t> wait_any(std::span<Request> requests);
/// Waits until at least one request is complete, and ends all complete requests. Returns their numbers, ascending;
/// empty if none is active. Failed requests stay for later calls as long as there are numbers to return; then each call
/// ends one failed request and throws its failure, so that no number is lost. Throws std::bad_alloc before any request
/// is ended.
[[nodiscard]] std::vector<std::size_t> wait_some(std::span<Request> requests);
/// Makes a progress pass if needed, ends one complete request, if there is one, and returns its number; failures as in
/// wait_any(). Returns nothing if no request is complete yet, or if none is active: see Request::active().
[[nodiscard]] std::optional<std::size_t> test_any(std::span<Request> requests);
/// Makes progress and returns whether all requests are complete. If so, ends all, as wait_all() does; otherwise ends
/// none.
[[nodiscard]] bool test_all(std::span<Request> requests);

}  // namespace rondo

#endif
