#include "runtime/loopback_transport.hpp"

#include "datatypes/copy_program.hpp"
#include "runtime/execution.hpp"

#include <algorithm>
#include <functional>

namespace rondo {
namespace {

Layout layout_of_message(const Message& message) {
  return message.layout != nullptr ? *message.layout : Layout::contiguous(message.bytes());
}

}  // namespace

bool LoopbackNetwork::Envelope::operator<(const Envelope& other) const {
  if (comm != other.comm) return std::less<>{}(comm, other.comm);
  return std::tie(source, target, tag) < std::tie(other.source, other.target, other.tag);
}

LoopbackNetwork::LoopbackNetwork(int ranks, std::uint64_t seed) : random_(seed) {
  for (int rank = 0; rank < ranks; ++rank) transports_.push_back(std::make_unique<LoopbackTransport>(*this, rank));
}

std::size_t LoopbackNetwork::unmatched() const {
  std::size_t count = 0;
  for (const auto& [envelope, queue] : sends_) count += queue.size();
  for (const auto& [envelope, queue] : receives_) count += queue.size();
  return count;
}

void LoopbackNetwork::deliver(Parcel& send, Parcel& receive, int source, int target) {
  const Layout to = layout_of_message(receive.message);
  int code = MPI_SUCCESS;
  if (send.message.bytes() > receive.message.bytes()) {
    code = MPI_ERR_TRUNCATE;
  } else if (send.message.bytes() < receive.message.bytes()) {
    code = MPI_ERR_COUNT;  // MPI would let it pass; a collective whose blocks differ is wrong
  } else {
    CopyProgram program;
    if (send.is_buffered) {
      program.append(Layout::contiguous(send.message.bytes()), 0, to, 0);
      run_copies(program.runs(), send.buffered.data(), receive.message.address);
    } else {
      program.append(layout_of_message(send.message), 0, to, 0);
      run_copies(program.runs(), send.message.address, receive.message.address);
    }
  }
  receive.completion.code = code;
  transport(target).waiting_.push_back(receive.completion);
  if (!send.is_buffered) transport(source).waiting_.push_back(send.completion);
}

void LoopbackNetwork::post_send(int source, Parcel parcel) {
  const Envelope envelope{parcel.comm, source, parcel.message.peer, parcel.message.tag};
  if (draw(2) == 0) {
    parcel.is_buffered = true;
    parcel.buffered.resize(static_cast<std::size_t>(parcel.message.bytes()));
    CopyProgram program;
    program.append(layout_of_message(parcel.message), 0, Layout::contiguous(parcel.message.bytes()), 0);
    run_copies(program.runs(), parcel.message.address, parcel.buffered.data());
    transport(source).waiting_.push_back(parcel.completion);
  }
  auto& waiting = receives_[envelope];
  if (waiting.empty()) {
    sends_[envelope].push_back(std::move(parcel));
    return;
  }
  deliver(parcel, waiting.front(), source, envelope.target);
  waiting.pop_front();
}

void LoopbackNetwork::post_receive(int target, Parcel parcel) {
  const Envelope envelope{parcel.comm, parcel.message.peer, target, parcel.message.tag};
  auto& waiting = sends_[envelope];
  if (waiting.empty()) {
    receives_[envelope].push_back(std::move(parcel));
    return;
  }
  deliver(waiting.front(), parcel, envelope.source, target);
  waiting.pop_front();
}

void LoopbackNetwork::cancel(const Execution& execution, LoopbackTransport& owner) {
  for (auto* queues : {&sends_, &receives_}) {
    for (auto& [envelope, queue] : *queues) {
      std::erase_if(queue, [&](const Parcel& posted) {
        if (posted.completion.execution != &execution || posted.is_buffered) return false;
        owner.waiting_.push_back(posted.completion);
        return true;
      });
    }
  }
}

Posted LoopbackTransport::post(Execution& execution, std::span<const Message> messages, const MPI_Request*) {
  for (const Message& message : messages) {
    ++in_flight_;
    LoopbackNetwork::Parcel parcel{message, execution.comm(), {&execution, message.task, MPI_SUCCESS}, {}, false};
    if (message.kind == TaskKind::send)
      network_.post_send(rank_, std::move(parcel));
    else
      network_.post_receive(rank_, std::move(parcel));
  }
  return {messages.size(), MPI_SUCCESS};
}

std::span<const Completion> LoopbackTransport::poll() {
  reported_.clear();
  if (waiting_.empty()) return reported_;
  for (std::size_t left = network_.draw(waiting_.size() + 1); left > 0; --left) {
    const auto chosen = waiting_.begin() + static_cast<std::ptrdiff_t>(network_.draw(waiting_.size()));
    reported_.push_back(*chosen);
    waiting_.erase(chosen);
  }
  in_flight_ -= reported_.size();
  return reported_;
}

void LoopbackTransport::cancel(Execution& execution) { network_.cancel(execution, *this); }

}  // namespace rondo
