#include "runtime/machine/loopback_transport.hpp"

#include "datatypes/copying/copy_program.hpp"
#include "runtime/execution/execution.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace rondo::internal {
namespace {

/// The place where the data of a message lies.
struct Place {
  explicit Place(const Carried& message) : address(message.address) {
    if (message.layout == nullptr) {
      layout = Layout::contiguous(message.bytes);
    } else if (address != nullptr) {
      layout = *message.layout;
    } else {  // absolute addresses: counted from the first address on
      const std::int64_t first = message.layout->true_begin();
      address = reinterpret_cast<std::byte*>(static_cast<std::intptr_t>(first));
      layout.append(*message.layout, -first);
    }
  }

  std::byte* address;
  Layout layout;
};

/// Copies the bytes of a message from place to place. `from` may be memory other than the sender's.
void carry(const Carried& send, const Carried& receive, std::byte* from, bool from_contiguous) {
  const bool to_contiguous = receive.layout == nullptr;
  if (from_contiguous && to_contiguous) {
    std::copy_n(from, receive.bytes, receive.address);
    return;
  }
  Place source(send);
  if (from_contiguous) {
    source.address = from;
    source.layout = Layout::contiguous(send.bytes);
  }
  const Place target(receive);
  CopyProgram program;
  program.append(source.layout, 0, target.layout, 0);
  run_copies(program.runs(), source.address, target.address);
}

void spoil(const Carried& receive) {
  if (receive.layout == nullptr) {
    std::fill_n(receive.address, receive.bytes, std::byte{0xDB});
    return;
  }
  const Place place(receive);
  place.layout.for_each_piece(
      [&](std::int64_t offset, std::int64_t length) { std::fill_n(place.address + offset, length, std::byte{0xDB}); });
}

}  // namespace

Carried::Carried(const Execution& execution, const Message& message)
    : address(message.address),
      layout(execution.layout_of(message)),
      bytes(layout == nullptr ? message.size : layout->size()),
      peer(message.peer),
      tag(message.tag),
      sends(message.sends != 0) {}

namespace {

template <typename T>
void remove_at(std::vector<T>& list, std::size_t place) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
}

}  // namespace

bool LoopbackNetwork::Envelope::operator<(const Envelope& other) const {
  if (comm != other.comm) return std::less<>{}(comm, other.comm);
  return std::tie(source, target, tag) < std::tie(other.source, other.target, other.tag);
}

LoopbackNetwork::LoopbackNetwork(int ranks, std::uint64_t seed)
    : random_(seed),
      temper_{draw(5), 1 + draw(2) * static_cast<std::size_t>(ranks), static_cast<Temper::Order>(draw(3))} {
  for (int rank = 0; rank < ranks; ++rank) transports_.push_back(std::make_unique<LoopbackTransport>(*this, rank));
}

std::size_t LoopbackNetwork::next_of(std::size_t size) {
  if (temper_.order == Temper::Order::random || draw(8) == 0) return draw(size);
  return temper_.order == Temper::Order::oldest_first ? 0 : size - 1;
}

bool LoopbackNetwork::strikes(Fault::Of of, int rank) {
  if (!fault_ || fault_->of != of || fault_->rank != rank) return false;
  if (fault_->after > 0) {
    --fault_->after;
    return false;
  }
  if (of != Fault::Of::every_post) fault_.reset();
  fault_struck_ = true;
  return true;
}

void LoopbackNetwork::complete(int rank, const Completion& completion) {
  transport(rank).waiting_.push_back(completion);
  if (strikes(Fault::Of::completion, rank)) transport(rank).waiting_.back().code = MPI_ERR_OTHER;
  ++unreported_;
}

/// Makes a send complete before its message has moved: its data is read now, between post and completion.
void LoopbackNetwork::buffer(ParcelId id) {
  Parcel& send = parcels_.at(id);
  send.buffered = true;
  send.content.resize(static_cast<std::size_t>(send.message.bytes));
  Carried buffered = send.message;
  buffered.address = send.content.data();
  buffered.layout = nullptr;
  carry(send.message, buffered, send.message.address, send.message.layout == nullptr);
  complete(send.envelope.source, send.completion);
}

void LoopbackNetwork::move(const Transfer& transfer) {
  Parcel& send = parcels_.at(transfer.send);
  Parcel& receive = parcels_.at(transfer.receive);
  if (send.stands_in) {
    receive.completion.code = kPartnerFailed;
  } else if (send.message.bytes > receive.message.bytes) {
    receive.completion.code = MPI_ERR_TRUNCATE;
  } else if (send.message.bytes < receive.message.bytes) {
    receive.completion.code = kShortMessage;
  } else {
    carry(send.message, receive.message, send.buffered ? send.content.data() : send.message.address,
          send.buffered || send.message.layout == nullptr);
  }
  complete(receive.envelope.target, receive.completion);
  if (!send.buffered) complete(send.envelope.source, send.completion);
  std::erase(to_buffer_, transfer.send);
  parcels_.erase(transfer.send);
  parcels_.erase(transfer.receive);
}

void LoopbackNetwork::step() {
  if (!to_buffer_.empty() && draw(2) == 0) {
    const std::size_t chosen = next_of(to_buffer_.size());
    buffer(to_buffer_[chosen]);
    remove_at(to_buffer_, chosen);
  }
  for (std::size_t left = draw(temper_.moves + 1); left > 0 && !to_move_.empty(); --left) {
    const std::size_t chosen = next_of(to_move_.size());
    const Transfer transfer = to_move_[chosen];
    remove_at(to_move_, chosen);
    move(transfer);
  }
}

void LoopbackNetwork::post(LoopbackTransport& owner, const Execution& execution, Parcel parcel) {
  const bool sends = parcel.message.sends;
  const int peer = parcel.message.peer;
  parcel.envelope = {execution.comm(), sends ? owner.rank_ : peer, sends ? peer : owner.rank_, parcel.message.tag};
  if (!sends) spoil(parcel.message);
  const ParcelId id = next_parcel_++;
  if (sends && draw(4) < temper_.eager) to_buffer_.push_back(id);
  auto& own_side = (sends ? sends_ : receives_)[parcel.envelope];
  auto& other_side = (sends ? receives_ : sends_)[parcel.envelope];
  parcels_.emplace(id, std::move(parcel));
  if (other_side.empty()) {
    own_side.push_back(id);
    ++unmatched_;
    return;
  }
  const ParcelId partner = other_side.front();
  other_side.erase(other_side.begin());
  --unmatched_;
  to_move_.push_back(sends ? Transfer{id, partner} : Transfer{partner, id});
}

/// Removes the messages of an execution. Messages that have met their partners move at once; others are dropped, except
/// sends that are already buffered. Nothing is reported to the execution.
void LoopbackNetwork::abandon(const Execution& execution, LoopbackTransport& owner) {
  const auto is_of = [&](ParcelId id) { return parcels_.at(id).completion.execution == &execution; };
  for (std::size_t i = to_move_.size(); i-- > 0;) {
    const Transfer transfer = to_move_[i];
    if (!is_of(transfer.send) && !is_of(transfer.receive)) continue;
    remove_at(to_move_, i);
    move(transfer);
  }
  for (auto* queues : {&sends_, &receives_}) {
    for (auto& [envelope, queue] : *queues) {
      unmatched_ -= std::erase_if(queue, [&](ParcelId id) {
        if (!is_of(id) || parcels_.at(id).buffered) return false;
        std::erase(to_buffer_, id);
        parcels_.erase(id);
        return true;
      });
    }
  }
  unreported_ -= std::erase_if(owner.waiting_, [&](const Completion& it) { return it.execution == &execution; });
}

Posted LoopbackTransport::post(Execution& execution, std::span<const Message> messages, const Route*) {
  using Of = LoopbackNetwork::Fault::Of;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (network_.strikes(Of::post, rank_) || network_.strikes(Of::every_post, rank_)) return {i, MPI_ERR_OTHER};
    in_flight_.push_back({&execution, messages[i].task});
    network_.post(*this, execution,
                  {Carried(execution, messages[i]), {}, {&execution, messages[i].task, MPI_SUCCESS}, false, false, {}});
  }
  return {messages.size(), MPI_SUCCESS};
}

int LoopbackTransport::post_in_failure(Execution& execution, const Message& message, const Route*) {
  if (network_.strikes(LoopbackNetwork::Fault::Of::every_post, rank_)) return MPI_ERR_OTHER;
  in_flight_.push_back({&execution, message.task});
  const bool stands_in = message.sends != 0;
  network_.post(*this, execution,
                {Carried(execution, message), {}, {&execution, message.task, MPI_SUCCESS}, false, stands_in, {}});
  return MPI_SUCCESS;
}

std::optional<std::int64_t> LoopbackTransport::find(const Execution& execution, const Message& receive) const {
  const auto sends = network_.sends_.find({execution.comm(), receive.peer, rank_, receive.tag});
  if (sends == network_.sends_.end() || sends->second.empty()) return std::nullopt;
  return network_.parcels_.at(sends->second.front()).message.bytes;
}

/// Ends a receive that has met no send, with `code`. Returns false, and keeps it, if keep_receives() says so.
bool LoopbackTransport::end_receive(std::size_t place, int code) {
  if (network_.kept_receives_ > 0) {
    --network_.kept_receives_;
    return false;
  }
  const InFlight ended = in_flight_[place];
  for (auto& [envelope, queue] : network_.receives_) {
    network_.unmatched_ -= std::erase_if(queue, [&](LoopbackNetwork::ParcelId id) {
      const Completion& completion = network_.parcels_.at(id).completion;
      if (completion.execution != ended.execution || completion.task != ended.task) return false;
      network_.parcels_.erase(id);
      return true;
    });
  }
  network_.complete(rank_, {ended.execution, ended.task, code});
  return true;
}

std::span<const Completion> LoopbackTransport::poll() {
  network_.step();
  reported_.clear();
  if (waiting_.empty()) return reported_;
  for (std::size_t left = network_.draw(waiting_.size() + 1); left > 0; --left) {
    const std::size_t chosen = network_.next_of(waiting_.size());
    reported_.push_back(waiting_[chosen]);
    remove_at(waiting_, chosen);
  }
  for (const Completion& completion : reported_) {
    const auto is_it = [&](const InFlight& it) {
      return it.execution == completion.execution && it.task == completion.task;
    };
    remove_at(in_flight_, static_cast<std::size_t>(std::ranges::find_if(in_flight_, is_it) - in_flight_.begin()));
  }
  network_.unreported_ -= reported_.size();
  return reported_;
}

void LoopbackTransport::abandon(Execution& execution, ScratchMemory&) {
  network_.abandon(execution, *this);
  std::erase_if(in_flight_, [&](const InFlight& it) { return it.execution == &execution; });
}

}  // namespace rondo::internal
