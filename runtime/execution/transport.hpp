/// @file
/// Transport: the interface that moves messages. The seam between schedules and MPI, a simulated network, or shared
/// memory.
#ifndef RONDO_RUNTIME_EXECUTION_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_TRANSPORT_HPP

#include "datatypes/layout/layout.hpp"
#include "runtime/base/scratch_memory.hpp"
#include "runtime/schedule/receive_codes.hpp"
#include "runtime/schedule/task.hpp"

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace rondo::internal {

class Execution;
class LaneTransport;
class SlotTransport;
struct Route;

/// One message to post: `size` bytes at `address`, or, if it is scattered, one element of its datatype at `address`. It
/// takes half a cache line, because a start reads all messages.
struct Message {
  /// Value of `size` if the message has more bytes than MPI can count. It then goes as one element of a datatype, and
  /// its task has the number of bytes.
  static constexpr std::int32_t kHuge = -2;
  static constexpr TaskId kMostTasks = (TaskId{1} << 29U) - 1;  ///< more tasks than there is memory for

  Message(const Task& of, TaskId id, MPI_Datatype type, std::int64_t bytes)
      : address(nullptr),
        wire_type(type),
        size(bytes > std::numeric_limits<std::int32_t>::max() ? kHuge : static_cast<std::int32_t>(bytes)),
        peer(of.peer),
        tag(static_cast<int>(of.tag)),
        task(id & kMostTasks),
        sends(of.kind == TaskKind::send ? 1 : 0),
        scattered(of.first_part == kContiguous ? 0 : 1),
        in_lane(0) {}
  Message() = default;

  [[nodiscard]] int count() const noexcept { return scattered != 0 ? 1 : size; }

  std::byte* address;
  MPI_Datatype wire_type;  ///< MPI_BYTE, or the layout as a datatype
  std::int32_t size;       ///< bytes, or kHuge
  int peer;
  int tag;
  TaskId task : 29;  ///< the task that completes with the message
  TaskId sends : 1;
  TaskId scattered : 1;
  TaskId in_lane : 1;  ///< may go through a lane: see Execution::use_lanes()
};
static_assert(sizeof(Message) == 32 && std::is_trivially_copyable_v<Message>);

/// The result of Transport::post(): how many messages were posted; `code` says why the next one was not, and is
/// MPI_SUCCESS when all were.
struct Posted {
  std::size_t count;
  int code;
};

/// A report of a transport: a message task of an execution that is complete. `code` is one of receive_codes.hpp or
/// MPI's. With kNoTask the code is that of progress itself, and no message is complete.
struct Completion {
  Execution* execution;
  TaskId task;
  int code;
};

/// A message in flight. If `execution` is null, no execution waits for the message any more.
struct InFlight {
  Execution* execution;
  TaskId task;
  bool is_near = false;  ///< the message waits in shared memory, not in the network
};

/// An interface that moves messages between ranks. All functions are called by the holder of the progress token only,
/// unless their comments allow other threads.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Reserves memory for `messages` more messages in flight, so that posting allocates nothing. release() gives the
  /// memory back.
  virtual void reserve(std::size_t messages) = 0;
  virtual void release(std::size_t messages) noexcept = 0;
  /// Makes a persistent request for a message that will be posted many times, if that is cheaper, or returns
  /// MPI_REQUEST_NULL. discard() frees the request. Throws Error.
  [[nodiscard]] virtual MPI_Request prepare(const Message&, MPI_Comm) { return MPI_REQUEST_NULL; }
  virtual void discard(MPI_Request) noexcept {}
  /// Returns the part that moves messages through slots, or null if there is none.
  [[nodiscard]] virtual SlotTransport* slots() noexcept { return nullptr; }
  /// Returns the part that moves messages through lanes, or null if there is none.
  [[nodiscard]] virtual LaneTransport* lanes() noexcept { return nullptr; }
  /// Posts messages of an execution, in order. `routes`: null, or the route of each message.
  [[nodiscard]] virtual Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) = 0;
  /// Posts a send whose receiver may not look for it in the network for a long time. Copies the data first, and after
  /// some time reports the send as complete even if the receiver has not come. Without memory for the copy the send is
  /// posted as by post().
  [[nodiscard]] virtual Posted post_copied(Execution& execution, const Message& message) {
    return post(execution, {&message, 1}, nullptr);
  }
  /// Posts a stand-in for a message of an execution that has failed, so that its partner is not left waiting. A receive
  /// is posted as it is. A send is posted empty, so that its receive fails too (kPartnerFailed): no other message is
  /// ever empty. `route`: as in post(). Returns an MPI error code.
  [[nodiscard]] virtual int post_in_failure(Execution& execution, const Message& message, const Route* route) = 0;
  /// Makes progress and returns some messages that are complete, each once. Valid until the next call of poll().
  [[nodiscard]] virtual std::span<const Completion> poll() = 0;
  /// Waits until every message in flight is complete. Returns true if all are complete without failure; they will not
  /// be reported any more. Returns false if poll() reports the messages, as it always does if `report` is set, and as
  /// soon as another thread has set `stop`. Call it only if the messages in flight do not depend on anything that this
  /// thread still has to do.
  [[nodiscard]] virtual bool wait_all(bool report, const std::atomic<bool>& stop) {
    static_cast<void>(report);
    static_cast<void>(stop);
    return false;
  }
  /// Gives up all messages of an execution that cannot complete: none is reported any more. `scratch` is kept for as
  /// long as one of the messages may still touch it. Throws std::bad_alloc, and has done nothing then.
  virtual void abandon(Execution& execution, ScratchMemory& scratch) = 0;
  /// Returns the number of messages posted and not yet reported, including abandoned ones that are not complete.
  [[nodiscard]] virtual std::size_t in_flight() const noexcept = 0;
  /// Returns a message in flight, by its place in [0, in_flight()). Safe in a signal handler while at_rest().
  [[nodiscard]] virtual InFlight in_flight_at(std::size_t place) const noexcept = 0;
  /// Returns for how many messages in flight no execution waits: they were abandoned, or copied and reported.
  [[nodiscard]] virtual std::size_t abandoned() const noexcept { return 0; }
  /// Returns whether the calling thread holds the token but is not changing the list of messages in flight. For a
  /// signal handler, which interrupts the thread.
  [[nodiscard]] virtual bool at_rest() const noexcept { return false; }
  /// Sets whether the node runs more ranks than it has cores, so that the core is yielded after each poll() that finds
  /// nothing.
  virtual void set_shared_cores(bool) noexcept {}
  /// Announces that the next poll() is not one of many in a row: it then also does the work that others do only now and
  /// then.
  virtual void expect_pause() noexcept {}
  /// Returns whether the last poll() that found nothing looked into MPI, which may have yielded the core. Any thread.
  [[nodiscard]] virtual bool looked_into_network() const noexcept { return true; }
};

}  // namespace rondo::internal

#endif
