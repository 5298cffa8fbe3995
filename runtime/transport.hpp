/// @file
/// Transport: how a message moves. The seam between schedules and MPI, a simulated network, or shared memory.
#ifndef RONDO_RUNTIME_TRANSPORT_HPP
#define RONDO_RUNTIME_TRANSPORT_HPP

#include "datatypes/layout.hpp"
#include "runtime/task.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace rondo {

class Execution;

/// One message to post: `count` bytes at `address`, or, with a layout, where the layout says from `address`.
struct Message {
  std::byte* address;
  MPI_Datatype wire_type;  ///< MPI_BYTE, or the layout as a datatype
  const Layout* layout;    ///< nullptr: contiguous
  int count;               ///< of the wire type
  int peer;
  int tag;
  TaskId task;  ///< named when it completes
  TaskKind kind;

  [[nodiscard]] std::int64_t bytes() const { return layout != nullptr ? layout->size() : count; }
};
static_assert(sizeof(Message) == 48 && std::is_trivially_copyable_v<Message>);

/// How many messages were posted; `code` says why the next one was not, and is MPI_SUCCESS when all were.
struct Posted {
  std::size_t count;
  int code;
};

/// What a transport reports: a message task of an execution that is complete. `code` is an MPI error code.
struct Completion {
  Execution* execution;
  TaskId task;
  int code;
};

/// All functions are called by the holder of the progress token only.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Makes room for `messages` more messages in flight, so that posting allocates nothing; release() gives it back.
  virtual void reserve(std::size_t messages) = 0;
  virtual void release(std::size_t messages) noexcept = 0;
  /// Makes what can be made once of a message that will be posted many times, where that is cheaper; MPI_REQUEST_NULL
  /// where it is not. Given back by discard(). Throws Error.
  [[nodiscard]] virtual MPI_Request prepare(const Message&, MPI_Comm) { return MPI_REQUEST_NULL; }
  virtual void discard(MPI_Request) noexcept {}
  /// Posts messages of an execution, in order. `prepared` is null, or has what prepare() made of each.
  [[nodiscard]] virtual Posted post(Execution& execution, std::span<const Message> messages,
                                    const MPI_Request* prepared) = 0;
  /// Makes progress and reports some messages that are complete, each once. Valid until the next call of poll().
  [[nodiscard]] virtual std::span<const Completion> poll() = 0;
  /// Waits until every message in flight is complete. True: all are, without failure, and none will be reported any
  /// more. False: poll() reports them, as it does in any case when `report` is set. Only where the messages in flight
  /// do not depend on anything that still has to be done here.
  [[nodiscard]] virtual bool wait_all(bool report) {
    static_cast<void>(report);
    return false;
  }
  /// Gives up the messages of an execution that failed: each is reported by a later poll(), or was complete already.
  virtual void cancel(Execution& execution) = 0;
  /// Messages posted and not yet reported.
  [[nodiscard]] virtual std::size_t in_flight() const = 0;
};

}  // namespace rondo

#endif
