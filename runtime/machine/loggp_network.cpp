#include "runtime/machine/loggp_network.hpp"

#include "runtime/execution/execution.hpp"
#include "runtime/machine/message_data.hpp"
#include "runtime/schedule/message_form_costs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rondo::internal::machine {

LogGPNetwork::LogGPNetwork(const Machine& machine, Data data)
    : machine_(machine), data_(data), meter_(machine.parameters.tasks) {
  const auto rails = static_cast<std::size_t>(machine.parameters.rails);
  const auto nodes = static_cast<std::size_t>(machine.platform.nodes());
  ports_out_.resize(nodes * rails);
  ports_in_.resize(nodes * rails);
  links_.resize(machine.platform.links() * rails);
  const std::vector<int> rail_of =
      rails_of_ranks(machine.node_of, machine.parameters.rails, machine.parameters.binding);
  ranks_.resize(machine.node_of.size());
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    transports_.push_back(std::make_unique<LogGPTransport>(*this, rank));
    const auto node = static_cast<std::size_t>(machine.node_of[static_cast<std::size_t>(rank)]);
    const auto rail = static_cast<std::size_t>(rail_of[static_cast<std::size_t>(rank)]);
    of(rank).port = node * rails + rail;
    of(rank).first_link = machine.platform.links() * rail;
  }
}

std::size_t LogGPNetwork::unmatched() const noexcept {
  std::size_t count = 0;
  for (const Rank& rank : ranks_) count += rank.unmatched.size();
  return count;
}

SimulatedTime LogGPNetwork::time_of_datatype(const Execution& execution, const Message& message) const {
  if (message.scattered == 0) return 0;
  return from_nanoseconds(
      datatype_nanoseconds(measured_form_costs(), size_of(execution, message), pieces_of(execution, message)));
}

ParcelId LogGPNetwork::new_parcel() {
  if (first_free_ != kNoParcel) {
    const ParcelId id = first_free_;
    first_free_ = parcels_[id].next;
    parcels_[id] = {};
    return id;
  }
  parcels_.emplace_back();
  return static_cast<ParcelId>(parcels_.size() - 1);
}

ParcelId LogGPNetwork::meet(int source, int target, int tag, bool sends) {
  MatchTable& table = of(target).unmatched;
  MatchTable::List* const list = table.find(source, tag);
  // All messages in a list wait for the same end, so the first one tells for which.
  const bool meets = list != nullptr && (parcels_[list->first].sender == nullptr) == sends;
  if (meets) {
    const ParcelId id = list->first;
    list->first = std::exchange(parcels_[id].next, kNoParcel);
    if (id == list->last) {
      list->first = id;  // as before, for erase()
      table.erase(source, tag);
    }
    return id;
  }
  const ParcelId id = new_parcel();
  parcels_[id].source = source;
  parcels_[id].target = target;
  if (list == nullptr) {
    table.insert(source, tag, id);
  } else {
    parcels_[list->last].next = id;
    list->last = id;
  }
  return id;
}

void LogGPNetwork::post(LogGPTransport& owner, Execution& execution, const Message& message) {
  settle(owner.rank_);
  ++owner.in_flight_;
  if (message.sends != 0)
    post_send(owner, execution, message);
  else
    post_receive(owner, execution, message);
}

void LogGPNetwork::post_send(LogGPTransport& owner, Execution& execution, const Message& message) {
  const ParcelId id = meet(owner.rank_, message.peer, message.tag, true);
  Parcel& parcel = parcels_[id];
  parcel.sender = &execution;
  parcel.send_task = message.task;
  parcel.bytes = size_of(execution, message);
  const bool near = is_near(parcel);
  const Parameters& parameters = machine_.parameters;
  parcel.is_eager = near || parcel.bytes <= parameters.network.eager_limit;
  (near ? traffic_.near : traffic_.far) += 1;
  (near ? traffic_.near_bytes : traffic_.far_bytes) += parcel.bytes;
  Rank& rank = of(owner.rank_);
  const EndCosts& costs = near ? parameters.near.send : parameters.network.send;
  rank.clock += costs.of(parcel.bytes, parcel.is_eager) + time_of_datatype(execution, message);
  parcel.time = rank.clock;
  if (parcel.is_eager) {
    owner.waiting_.push_back({&execution, message.task, MPI_SUCCESS});
    if (data_ == Data::carried) contents_[id] = pack(execution, message);
  }
  if (near) {
    arrive(id, rank.clock + parameters.near.latency);
    return;
  }
  if (rank.sent == rank.outbox.size()) {
    rank.outbox.clear();
    rank.sent = 0;
    schedule(rank.clock, Event::Kind::outbox, static_cast<std::uint32_t>(owner.rank_));
  }
  rank.outbox.push_back(id);
}

void LogGPNetwork::post_receive(LogGPTransport& owner, Execution& execution, const Message& message) {
  const ParcelId id = meet(message.peer, owner.rank_, message.tag, false);
  Parcel& parcel = parcels_[id];
  parcel.receiver = &execution;
  parcel.receive_task = message.task;
  parcel.receive_posted = of(owner.rank_).clock;
  if (parcel.sender == nullptr) return;
  if (parcel.state == Parcel::State::asking) answer(id);
  if (parcel.state == Parcel::State::arrived) arrive(id, parcel.time);
}

/// Handles the event that a rank has finished with a message: the message goes to the port or sends its request.
void LogGPNetwork::leave_outbox(int rank) {
  Rank& sender = of(rank);
  const ParcelId id = sender.outbox[sender.sent++];
  if (sender.sent < sender.outbox.size())
    schedule(parcels_[sender.outbox[sender.sent]].time, Event::Kind::outbox, static_cast<std::uint32_t>(rank));
  Parcel& parcel = parcels_[id];
  if (parcel.is_eager) {
    enter_port(id);
    return;
  }
  parcel.state = Parcel::State::asking;
  parcel.time = now_ + latency_of(parcel);
  if (parcel.receiver != nullptr) answer(id);
}

/// Starts a message that had to send a request. Call this only when both the request and the receive are known, with
/// their times.
void LogGPNetwork::answer(ParcelId id) {
  Parcel& parcel = parcels_[id];
  parcel.state = Parcel::State::on_its_way;
  schedule(std::max(parcel.time, parcel.receive_posted) + latency_of(parcel), Event::Kind::port, id);
}

void LogGPNetwork::enter_port(ParcelId id) {
  Parcel& parcel = parcels_[id];
  const NetworkCosts& network = machine_.parameters.network;
  SimulatedTime& free = ports_out_[of(parcel.source).port];
  const SimulatedTime start = std::max(now_, free);
  const SimulatedTime end = start + parcel.bytes * network.gap_byte;
  free = end + network.gap;
  parcel.state = Parcel::State::on_its_way;
  parcel.time = end + network.latency;
  if (!parcel.is_eager) schedule(end, Event::Kind::drained, id);
  schedule(start + network.latency, Event::Kind::hop, id);
}

void LogGPNetwork::go_on(ParcelId id) {
  Parcel& parcel = parcels_[id];
  const NetworkCosts& network = machine_.parameters.network;
  const auto route = route_of(parcel);
  if (parcel.hop < route.size()) {
    SimulatedTime& free = links_[of(parcel.source).first_link + route[parcel.hop++]];
    const SimulatedTime start = std::max(now_, free);
    free = start + parcel.bytes * network.link_byte;
    parcel.time = std::max(parcel.time, free) + network.hop_latency;
    schedule(start + network.hop_latency, Event::Kind::hop, id);
    return;
  }
  SimulatedTime& free = ports_in_[of(parcel.target).port];
  const SimulatedTime end = std::max(now_, free) + parcel.bytes * network.gap_byte;
  free = end + network.gap;
  arrive(id, std::max(parcel.time, end));
}

/// Records that all bytes of a message are at its target at `time`, whether its receive is posted or not.
void LogGPNetwork::arrive(ParcelId id, SimulatedTime time) {
  Parcel& parcel = parcels_[id];
  parcel.state = Parcel::State::arrived;
  parcel.time = time;
  if (parcel.receiver != nullptr) schedule(std::max(time, parcel.receive_posted), Event::Kind::arrived, id);
}

/// Completes the send of a message that had to send a request. Returns the sender.
int LogGPNetwork::drain(ParcelId id) {
  Parcel& parcel = parcels_[id];
  of(parcel.source).clock = std::max(of(parcel.source).clock, now_);
  if (data_ == Data::carried) {
    const Task& task = parcel.sender->schedule().tasks()[parcel.send_task];
    contents_[id] = pack(*parcel.sender, parcel.sender->message(task.message));
  }
  transport(parcel.source).waiting_.push_back({parcel.sender, parcel.send_task, MPI_SUCCESS});
  return parcel.source;
}

int LogGPNetwork::receive(ParcelId id) {
  Parcel& parcel = parcels_[id];
  Execution& execution = *parcel.receiver;
  const Message& message = execution.message(execution.schedule().tasks()[parcel.receive_task].message);
  const Parameters& parameters = machine_.parameters;
  const EndCosts& costs = is_near(parcel) ? parameters.near.receive : parameters.network.receive;
  Rank& rank = of(parcel.target);
  rank.clock =
      std::max(rank.clock, now_) + costs.of(parcel.bytes, parcel.is_eager) + time_of_datatype(execution, message);
  const std::int64_t expected = size_of(execution, message);
  const int code = parcel.bytes > expected ? MPI_ERR_TRUNCATE : parcel.bytes < expected ? kShortMessage : MPI_SUCCESS;
  if (data_ == Data::carried) {
    const auto contents = contents_.extract(id);
    if (code == MPI_SUCCESS) unpack(execution, message, contents.mapped());
  }
  transport(parcel.target).waiting_.push_back({&execution, parcel.receive_task, code});
  const int target = parcel.target;
  parcel.next = first_free_;
  first_free_ = id;
  return target;
}

std::optional<int> LogGPNetwork::advance() {
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    switch (event.kind) {
      case Event::Kind::outbox:
        leave_outbox(static_cast<int>(event.what));
        break;
      case Event::Kind::port:
        enter_port(event.what);
        break;
      case Event::Kind::hop:
        go_on(event.what);
        break;
      case Event::Kind::drained:
        return drain(event.what);
      case Event::Kind::arrived:
        return receive(event.what);
    }
  }
  return std::nullopt;
}

Posted LogGPTransport::post(Execution& execution, std::span<const Message> messages, const Route*) {
  for (const Message& message : messages) network_.post(*this, execution, message);
  // From now on nothing is copied: see enum Data.
  if (network_.data_ == Data::none && !messages.empty() && !execution.failure())
    execution.refuse(messages.front(), MPI_ERR_OTHER, false);
  return {messages.size(), MPI_SUCCESS};
}

int LogGPTransport::post_in_failure(Execution& execution, const Message& message, const Route*) {
  if (network_.data_ == Data::carried) return MPI_ERR_OTHER;
  network_.post(*this, execution, message);
  return MPI_SUCCESS;
}

std::span<const Completion> LogGPTransport::poll() {
  reported_.swap(waiting_);
  waiting_.clear();
  in_flight_ -= reported_.size();
  return reported_;
}

void LogGPTransport::abandon(Execution&, ScratchMemory&) {
  throw std::logic_error("operations on a simulated machine cannot be given up");
}

}  // namespace rondo::internal::machine
