/// @file
/// LogGPNetwork: a simulated network between all ranks of a machine, in one process. Each rank has a clock of its own.
#ifndef RONDO_RUNTIME_MACHINE_LOGGP_NETWORK_HPP
#define RONDO_RUNTIME_MACHINE_LOGGP_NETWORK_HPP

#include "runtime/execution/transport.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/machine/match_table.hpp"
#include "runtime/machine/simulated_time.hpp"
#include "runtime/machine/task_meter.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

namespace rondo::internal::machine {

class LogGPNetwork;

/// The transport of one rank of a LogGPNetwork.
class LogGPTransport final : public Transport {
 public:
  LogGPTransport(LogGPNetwork& network, int rank) : network_(network), rank_(rank) {}
  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) override;
  int post_in_failure(Execution& execution, const Message& message, const Route* route) override;
  std::span<const Completion> poll() override;
  /// Not supported: throws std::logic_error.
  void abandon(Execution& execution, ScratchMemory& scratch) override;
  std::size_t in_flight() const noexcept override { return in_flight_; }
  /// Returns whether the next poll has something to report.
  [[nodiscard]] bool has_news() const noexcept { return !waiting_.empty(); }
  /// Returns an empty entry, because nobody looks at single messages of a simulated machine.
  InFlight in_flight_at(std::size_t) const noexcept override { return {nullptr, kNoTask}; }

 private:
  friend class LogGPNetwork;
  LogGPNetwork& network_;
  int rank_;
  std::size_t in_flight_ = 0;
  std::vector<Completion> waiting_;
  std::vector<Completion> reported_;
};

/// Says whether the messages of a LogGPNetwork carry data. Without data, the copies of an execution take no time and
/// its buffers need no memory. The execution then runs as after a failure, when the engine exchanges all messages and
/// copies nothing.
enum class Data : std::uint8_t { carried, none };

/// Counts of the messages that the ranks of a LogGPNetwork sent, and of their bytes.
struct Traffic {
  std::int64_t far = 0;  ///< messages between nodes
  std::int64_t far_bytes = 0;
  std::int64_t near = 0;  ///< messages on a node
  std::int64_t near_bytes = 0;

  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// A LogGPNetwork simulates a machine in LogGP's terms (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995), with links
/// that can be congested. A rank's clock advances with the work of its core: sending, receiving, copying. A message
/// between nodes queues at its node's port, at each link of its route and at the port of the target node, each first
/// come, first served. It is at each of these places as soon as its first byte is (cut-through). A queue holds any
/// number of messages. A message above the eager limit sends a request first, and starts when its receive is posted.
/// Between ranks of a node there is no port, only a latency. With several rails a message leaves by its sender's port
/// and enters by its receiver's. Each rail has its own links between switches, and a message takes those of its
/// sender's rail: a network for more adapters has more cables. Messages match as in MPI: by source and tag, in the
/// order of posting; all share one communicator.
///
/// Events are processed in the order of simulated time; events of one time are processed in the order in which they
/// became known. So the same executions always take the same time.
class LogGPNetwork {
 public:
  /// Makes an idle network. Keeps a reference to `machine`.
  LogGPNetwork(const Machine& machine, Data data);
  LogGPNetwork(const Machine&& machine, Data data) = delete;

  [[nodiscard]] LogGPTransport& transport(int rank) { return *transports_[static_cast<std::size_t>(rank)]; }
  /// Makes the copies and reductions of an execution take simulated time. The execution must use one of the transports.
  void meter(Execution& execution) { meter_.watch(execution); }

  /// Adds to a rank's clock the time of all that was copied and reduced since settle() was last called for any rank.
  void settle(int rank) { of(rank).clock += meter_.take(); }
  /// Advances to the next time at which some rank has a completion to report, and returns that rank; returns nothing if
  /// no event is left. The work of a reported rank must be settled before the next call.
  [[nodiscard]] std::optional<int> advance();

  /// Returns the time at which the core of a rank will have finished all its work so far.
  [[nodiscard]] SimulatedTime clock(int rank) const { return ranks_[static_cast<std::size_t>(rank)].clock; }
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }
  /// Returns for how many triples of source, target and tag there are messages of which only one end was posted.
  [[nodiscard]] std::size_t unmatched() const noexcept;

 private:
  friend class LogGPTransport;

  /// A message, from when its first end is posted until it is received.
  struct Parcel {
    enum class State : std::uint8_t { at_sender, asking, on_its_way, arrived };
    Execution* sender = nullptr;  ///< null: not posted
    Execution* receiver = nullptr;
    std::int64_t bytes = 0;
    SimulatedTime time = 0;  ///< time at which its sender, its request, or its last byte is ready for the next step
    SimulatedTime receive_posted = 0;
    TaskId send_task = kNoTask;
    TaskId receive_task = kNoTask;
    std::int32_t source = 0;
    std::int32_t target = 0;
    ParcelId next = kNoParcel;  ///< next in a list of messages with the same source, target and tag
    std::uint16_t hop = 0;      ///< number of links of its route that the message has passed
    State state = State::at_sender;
    bool is_eager = true;
  };
  struct Rank {
    SimulatedTime clock = 0;
    std::vector<ParcelId> outbox;  ///< messages on their way to the port, in the order of their times
    std::size_t sent = 0;          ///< number of messages in the outbox that have left it
    MatchTable unmatched;          ///< messages to this rank of which one end is missing
    std::size_t port = 0;
    std::size_t first_link = 0;  ///< first link of the rank's rail
  };
  struct Event {
    enum class Kind : std::uint8_t {
      outbox,   ///< the first message in a rank's outbox is ready
      port,     ///< a message is at its node's port
      hop,      ///< the message's first byte is at the next link, or at the port of the target node
      drained,  ///< the message's last byte has left its node
      arrived   ///< the message is at its target, and its receive is posted
    };
    SimulatedTime time;
    std::uint64_t number;  ///< counts events in the order in which they became known
    std::uint32_t what;    ///< a rank or a message
    Kind kind;
    /// Returns whether this event comes later than `other`.
    bool operator>(const Event& other) const noexcept {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  [[nodiscard]] Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool is_near(const Parcel& parcel) const {
    return machine_.node_of[static_cast<std::size_t>(parcel.source)] ==
           machine_.node_of[static_cast<std::size_t>(parcel.target)];
  }
  [[nodiscard]] std::span<const LinkId> route_of(const Parcel& parcel) const {
    return machine_.platform.route(machine_.node_of[static_cast<std::size_t>(parcel.source)],
                                   machine_.node_of[static_cast<std::size_t>(parcel.target)]);
  }
  [[nodiscard]] SimulatedTime latency_of(const Parcel& parcel) const {
    const NetworkCosts& network = machine_.parameters.network;
    return network.latency + static_cast<SimulatedTime>(route_of(parcel).size()) * network.hop_latency;
  }
  [[nodiscard]] SimulatedTime time_of_datatype(const Execution& execution, const Message& message) const;
  [[nodiscard]] ParcelId new_parcel();
  /// Returns the message whose other end is posted already, or a new message with this first end.
  [[nodiscard]] ParcelId meet(int source, int target, int tag, bool sends);
  void schedule(SimulatedTime time, Event::Kind kind, std::uint32_t what) {
    events_.push({time, next_event_++, what, kind});
  }

  void post(LogGPTransport& owner, Execution& execution, const Message& message);
  void post_send(LogGPTransport& owner, Execution& execution, const Message& message);
  void post_receive(LogGPTransport& owner, Execution& execution, const Message& message);
  void leave_outbox(int rank);
  void answer(ParcelId id);
  void enter_port(ParcelId id);
  void go_on(ParcelId id);
  void arrive(ParcelId id, SimulatedTime time);
  int drain(ParcelId id);
  int receive(ParcelId id);

  const Machine& machine_;
  Data data_;
  TaskMeter meter_;
  std::vector<std::unique_ptr<LogGPTransport>> transports_;
  std::vector<Rank> ranks_;
  // The times at which each port and link is free again.
  std::vector<SimulatedTime> ports_out_;
  std::vector<SimulatedTime> ports_in_;
  std::vector<SimulatedTime> links_;
  std::deque<Parcel> parcels_;
  ParcelId first_free_ = kNoParcel;
  std::unordered_map<ParcelId, std::vector<std::byte>> contents_;  ///< data of the messages that carry some
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t next_event_ = 0;
  SimulatedTime now_ = 0;
  Traffic traffic_;
};

}  // namespace rondo::internal::machine

#endif
