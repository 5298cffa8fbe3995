/// @file
/// Transport: how a message moves. The seam between schedules and MPI, a simulated network, or shared memory.
#ifndef RONDO_RUNTIME_EXECUTION_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_TRANSPORT_HPP

#include "datatypes/layout/layout.hpp"
#include "runtime/base/scratch_memory.hpp"
#include "runtime/schedule/receive_codes.hpp"
#include "runtime/schedule/task.hpp"

#include <mpi.h>

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

/// One message to post: `size` bytes at `address`, or, where it is scattered, one element of its datatype from there.
/// Half a cache line, as a start reads all of them.
struct Message {
  /// Of `size`, for more bytes than MPI can count: these go as one element of a datatype, and its task has their
  /// number.
  static constexpr std::int32_t kHuge = -2;
  static constexpr TaskId kMostTasks = (TaskId{1} << 29U) - 1;  ///< more than there is memory for

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
  TaskId task : 29;  ///< named when it completes
  TaskId sends : 1;
  TaskId scattered : 1;
  TaskId in_lane : 1;  ///< may go through one: see Execution::use_lanes()
};
static_assert(sizeof(Message) == 32 && std::is_trivially_copyable_v<Message>);

/// How many messages were posted; `code` says why the next one was not, and is MPI_SUCCESS when all were.
struct Posted {
  std::size_t count;
  int code;
};

/// What a transport reports: a message task of an execution that is complete. `code` is one of the above or MPI's; with
/// kNoTask it is no message's but that of progress itself, and nothing is complete.
struct Completion {
  Execution* execution;
  TaskId task;
  int code;
};

/// A message in flight; without an execution, one that was abandoned.
struct InFlight {
  Execution* execution;
  TaskId task;
  bool is_near = false;  ///< it waits in shared memory, not in the network
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
  /// The part of it that has slots; null where it has none.
  [[nodiscard]] virtual SlotTransport* slots() noexcept { return nullptr; }
  /// The part of it that has lanes; null where it has none.
  [[nodiscard]] virtual LaneTransport* lanes() noexcept { return nullptr; }
  /// Posts messages of an execution, in order. `routes`: null, or the way of each.
  [[nodiscard]] virtual Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) = 0;
  /// Posts a send whose receiver may not look for it in the network for a long time, and reports it as complete after
  /// some patience even if the receiver has not come: the data are copied first. Without memory for that copy the send
  /// is posted as by post().
  [[nodiscard]] virtual Posted post_copied(Execution& execution, const Message& message) {
    return post(execution, {&message, 1}, nullptr);
  }
  /// Posts what stands for a message of an execution that has failed, so that its partner is not left waiting: a
  /// receive as it is, a send empty, so that its receive fails too (kPartnerFailed): no other message is ever empty.
  /// `route`: as in post(). Returns an MPI error code.
  [[nodiscard]] virtual int post_in_failure(Execution& execution, const Message& message, const Route* route) = 0;
  /// Makes progress and reports some messages that are complete, each once. Valid until the next call of poll().
  [[nodiscard]] virtual std::span<const Completion> poll() = 0;
  /// Waits until every message in flight is complete. True: all are, without failure, and none will be reported any
  /// more. False: poll() reports them, as it does in any case when `report` is set. Only where the messages in flight
  /// do not depend on anything that still has to be done here.
  [[nodiscard]] virtual bool wait_all(bool report) {
    static_cast<void>(report);
    return false;
  }
  /// Gives up all messages of an execution that has no hope left: none is reported any more. `scratch` is kept for as
  /// long as one of them may still touch it. Throws std::bad_alloc, and has done nothing then.
  virtual void abandon(Execution& execution, ScratchMemory& scratch) = 0;
  /// Messages posted and not yet reported, abandoned ones that are not complete among them.
  [[nodiscard]] virtual std::size_t in_flight() const noexcept = 0;
  /// One of them, by its place in [0, in_flight()). Safe in a signal handler while at_rest().
  [[nodiscard]] virtual InFlight in_flight_at(std::size_t place) const noexcept = 0;
  /// How many of them no execution waits for: they were abandoned, or copied and reported.
  [[nodiscard]] virtual std::size_t abandoned() const noexcept { return 0; }
  /// Whether the calling thread holds the token but is not changing the list: for a signal handler, which interrupts
  /// it.
  [[nodiscard]] virtual bool at_rest() const noexcept { return false; }
  /// The node runs more ranks than it has cores, so that the core is yielded after each poll() that finds nothing.
  virtual void set_shared_cores(bool) noexcept {}
  /// The next poll() is not one of many in a row: it does what others do now and then.
  virtual void expect_pause() noexcept {}
  /// Whether the last poll() that found nothing looked into MPI, which may have yielded the core. Any thread.
  [[nodiscard]] virtual bool looked_into_network() const noexcept { return true; }
};

}  // namespace rondo::internal

#endif
