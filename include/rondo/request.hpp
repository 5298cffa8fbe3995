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
/// All functions are local and throw Error: MPI_ERR_REQUEST for what cannot be asked of a null() one. Any thread may
/// call them as far as the MPI thread level allows, one at a time for one request; several at once may ask for its
/// blocks.
class Request {
 public:
  Request() noexcept = default;
  /// Takes over a handle made by the C interface.
  explicit Request(Rondo_Request handle) noexcept : handle_(handle) {}
  Request(Request&& other) noexcept : handle_(other.release()) {}
  Request& operator=(Request&& other) noexcept;
  /// Frees the request. An active one is waited for first, with a warning in the log: its buffers are still in use.
  /// After MPI_Finalize it waits for nothing; the log says once that an operation was lost.
  ~Request();

  /// Starts a persistent request; allocates nothing. MPI_ERR_REQUEST when it is active or not persistent.
  void start();
  /// Waits until the operation is complete; a nonblocking request is null() afterwards. Does nothing when inactive.
  void wait();
  /// Makes progress and says whether the operation is complete.
  [[nodiscard]] bool test();

  /// Partial completion: see Rondo_Arrived for what a block is, when memory is taken, and what is true of failures.
  ///
  /// Whether a block of the receive buffer is as the operation leaves it, and may be read. Makes one pass of progress
  /// if not. True while inactive; MPI_ERR_REQUEST when null().
  [[nodiscard]] bool arrived(int block);
  /// Whether a block of the send buffer may be overwritten; otherwise as arrived().
  [[nodiscard]] bool sent(int block);
  /// Waits until another block has arrived and returns its number, each once after a start, in the order in which they
  /// arrive; nothing when all were returned, and while inactive. Does not complete the request: wait() does.
  ///
  ///     while (const std::optional<int> block = halo.wait_any_block()) update_border(*block);
  ///     halo.wait();
  [[nodiscard]] std::optional<int> wait_any_block();

  /// Has `callback` called once, when the operation that is under way completes. Returns false where it is complete
  /// already or was not started: `callback` is not called then. Several may be given. It is called by the thread that
  /// finds the operation complete: in mode `async` most often Rondo's, else whoever makes progress, from within that
  /// call; so it should be short. It may call any function of Rondo, and need not return before wait() does. What it
  /// throws goes to the log. The request must still be waited for or tested. A failed operation is complete, too.
  /// Throws std::bad_alloc.
  bool on_complete(std::function<void()> callback);

  /// No operation at all: default-constructed, moved from, or a nonblocking one that is complete.
  [[nodiscard]] bool null() const noexcept { return handle_ == RONDO_REQUEST_NULL; }
  /// Started, and not ended yet by a call that waits or tests. MPI_ERR_REQUEST when the C handle was freed.
  [[nodiscard]] bool active() const;
  /// Name of the algorithm that runs, e.g. "combining", as algorithm_from() takes it; "to be chosen" while a
  /// nonblocking dense alltoall agrees on sizes for it, or a nonblocking call waits for times of other ranks
  /// (Options::learn).
  [[nodiscard]] std::string algorithm() const;

  /// The progress mode that the operation was granted, never `automatic`; of one that learns, that of its last start.
  [[nodiscard]] ProgressMode progress() const;

  /// What the algorithm was chosen from: a table for people, a line for each candidate with its rounds, blocks, bytes
  /// and predicted time in nanoseconds, the one that runs first, and what this rank sends: see Rondo_Explain.
  [[nodiscard]] std::string explain() const;

  /// The schedule on this rank as a graph for Graphviz (`dot -Tsvg`): a node for each task with its peer, bytes and
  /// round, a box for each phase, an arrow for each dependency (docs/tracing.md). MPI_ERR_REQUEST when null, and while
  /// the algorithm is still to be chosen.
  [[nodiscard]] std::string to_dot() const;

  /// The C handle, still owned here.
  [[nodiscard]] Rondo_Request native() const noexcept { return handle_; }
  /// Gives the C handle up.
  [[nodiscard]] Rondo_Request release() noexcept { return std::exchange(handle_, RONDO_REQUEST_NULL); }

 private:
  Rondo_Request handle_ = RONDO_REQUEST_NULL;
};

/// Request::explain().
[[nodiscard]] inline std::string explain(const Request& request) { return request.explain(); }

/// Request::to_dot().
[[nodiscard]] inline std::string to_dot(const Request& request) { return request.to_dot(); }

// Several requests at once. All functions are local and skip requests that are null or inactive, except start_all(). A
// failure belongs to one request: it ends that request as Request::wait() does and does not affect the others, and the
// text of the Error begins with its number, "requests[3]: ".

/// Starts all of them, in order. Throws for the first that cannot be started; those before it are started then.
void start_all(std::span<Request> requests);
/// Waits for all of them, even after a failure, and ends all; then throws the first failure.
void wait_all(std::span<Request> requests);
/// Waits until one of them is complete, ends it and returns its number; nothing if none is active. If it has failed, it
/// is ended as well and its failure is thrown; later calls wait for the others.
///
///     while (const std::optional<std::size_t> i = rondo::wait_any(requests)) use(received[*i]);
[[nodiscard]] std::optional<std::size_t> wait_any(std::span<Request> requests);
/// Waits until at least one of them is complete, and ends all that are. Returns their numbers, ascending; empty where
/// none is active. Failed requests are left for later calls as long as there are numbers to return; then each call ends
/// one failed request and throws its failure, so that no number is lost. Throws std::bad_alloc before it ends any.
[[nodiscard]] std::vector<std::size_t> wait_some(std::span<Request> requests);
/// Makes a pass of progress if needed, ends one that is complete, if there is one, and returns its number; failures as
/// in wait_any(). Nothing if none is complete yet, or if none is active: see Request::active().
[[nodiscard]] std::optional<std::size_t> test_any(std::span<Request> requests);
/// Makes progress and says whether all of them are complete. If so, ends all, as wait_all() does; otherwise none.
[[nodiscard]] bool test_all(std::span<Request> requests);

}  // namespace rondo

#endif
