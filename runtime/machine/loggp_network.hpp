/// @file
/// LogGPNetwork: all ranks of a simulated machine in one process, each with a clock of its own.
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

/// What one rank sees of the network.
class LogGPTransport final : public Transport {
 public:
  LogGPTransport(LogGPNetwork& network, int rank) : network_(network), rank_(rank) {}
  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) override;
  int post_in_failure(Execution& execution, const Message& message, const Route* route) override;
  std::span<const Completion> poll() override;
  /// Cannot be had here: throws std::logic_error.
  void abandon(Execution& execution, ScratchMemory& scratch) override;
  std::size_t in_flight() const noexcept override { return in_flight_; }
  /// Whether a poll has something to report.
  [[nodiscard]] bool has_news() const noexcept { return !waiting_.empty(); }
  /// Nobody looks at them one by one.
  InFlight in_flight_at(std::size_t) const noexcept override { return {nullptr, kNoTask}; }

 private:
  friend class LogGPNetwork;
  LogGPNetwork& network_;
  int rank_;
  std::size_t in_flight_ = 0;
  std::vector<Completion> waiting_;
  std::vector<Completion> reported_;
};

/// Whether messages bring anything. Without data an execution takes no time for its copies, and its buffers no memory:
/// it goes on as after a failure, when the engine exchanges all messages and copies nothing.
enum class Data : std::uint8_t { carried, none };

/// How many messages were sent.
struct Traffic {
  std::int64_t far = 0;  ///< between nodes
  std::int64_t far_bytes = 0;
  std::int64_t near = 0;  ///< on a node
  std::int64_t near_bytes = 0;

  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// A machine in LogGP's words (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995), with links that crowd. A rank's
/// clock moves on with what its core does: sending, receiving, copying. A message between nodes queues at its node's
/// port, at each link of its route and at the port of the node that it goes to, each first come, first served, and is
/// everywhere as soon as its first byte is (cut-through); a queue holds any number of messages. One above the eager
/// limit first asks, and starts when its receive is posted. Between ranks of a node there is no port, only a latency.
/// With several rails a message leaves by its sender's port and enters by its receiver's; each rail has links between
/// switches of its own, of which a message takes its sender's: a network for more adapters has more cables.
/// Messages match as in MPI: by source and tag, in the order of posting; the communicator is one and the same.
///
/// What happens is worked off in the order of simulated time, and what happens at one time in the order in which it
/// came to be known: the same executions take the same time always.
class LogGPNetwork {
 public:
  /// Keeps a reference.
  LogGPNetwork(const Machine& machine, Data data);
  LogGPNetwork(const Machine&& machine, Data data) = delete;

  [[nodiscard]] LogGPTransport& transport(int rank) { return *transports_[static_cast<std::size_t>(rank)]; }
  /// Has the copies and reductions of an execution, which is over one of the transports, take time.
  void meter(Execution& execution) { meter_.watch(execution); }

  /// Adds to a rank's clock what it has copied and reduced since the last call for any rank.
  void settle(int rank) { of(rank).clock += meter_.take(); }
  /// Goes on to the next time at which some rank has something complete to report, and returns that rank; none where
  /// nothing is under way. What a rank reports and does must be settled before the next call.
  [[nodiscard]] std::optional<int> advance();

  /// When the core of a rank is done with all that it was given so far.
  [[nodiscard]] SimulatedTime clock(int rank) const { return ranks_[static_cast<std::size_t>(rank)].clock; }
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }
  /// Messages of which only one end was posted.
  [[nodiscard]] std::size_t unmatched() const noexcept;

 private:
  friend class LogGPTransport;

  /// A message, from when its first end is posted until it is received.
  struct Parcel {
    enum class State : std::uint8_t { at_sender, asking, on_its_way, arrived };
    Execution* sender = nullptr;  ///< null: not posted
    Execution* receiver = nullptr;
    std::int64_t bytes = 0;
    SimulatedTime time = 0;  ///< when its sender, its request, or its last byte is ready for what comes next
    SimulatedTime receive_posted = 0;
    TaskId send_task = kNoTask;
    TaskId receive_task = kNoTask;
    std::int32_t source = 0;
    std::int32_t target = 0;
    ParcelId next = kNoParcel;  ///< of those with the same source, target and tag
    std::uint16_t hop = 0;      ///< links of its route that are behind it
    State state = State::at_sender;
    bool is_eager = true;
  };
  struct Rank {
    SimulatedTime clock = 0;
    std::vector<ParcelId> outbox;  ///< for the port, in the order of their times
    std::size_t sent = 0;          ///< of these
    MatchTable unmatched;          ///< messages to this rank
    std::size_t port = 0;
    std::size_t first_link = 0;  ///< of its rail
  };
  struct Event {
    enum class Kind : std::uint8_t {
      outbox,   ///< the first message in a rank's outbox is ready
      port,     ///< a message is before its node's port
      hop,      ///< its first byte is before the next link, or before the port of the node that it goes to
      drained,  ///< its last byte has left its node
      arrived   ///< it is there, and its receive is posted
    };
    SimulatedTime time;
    std::uint64_t number;  ///< in the order in which they came to be known
    std::uint32_t what;    ///< a rank or a message
    Kind kind;
    /// Whether it comes later.
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
  /// The message whose other end is posted already, or a new one, of which this one is the first.
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
  // When each is free again.
  std::vector<SimulatedTime> ports_out_;
  std::vector<SimulatedTime> ports_in_;
  std::vector<SimulatedTime> links_;
  std::deque<Parcel> parcels_;
  ParcelId first_free_ = kNoParcel;
  std::unordered_map<ParcelId, std::vector<std::byte>> contents_;  ///< of those that carry something
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t next_event_ = 0;
  SimulatedTime now_ = 0;
  Traffic traffic_;
};

}  // namespace rondo::internal::machine

#endif
