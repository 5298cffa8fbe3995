/// @file
/// SlotTransport: messages in slots in the memory of ranks on this node, and claimed ones between allocated arrays.
#ifndef RONDO_RUNTIME_EXECUTION_SLOT_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_SLOT_TRANSPORT_HPP

#include "runtime/execution/claim_transport.hpp"
#include "runtime/execution/transport.hpp"
#include "runtime/routes/route.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace rondo::internal {

/// The part of a NodeTransport that moves messages of persistent operations. Does not use MPI. A send finds its slot
/// free and fills it at once, so its receiver needs nothing more from this rank, which may be inside MPI from then on.
/// The send is complete when the next start of its operation will find a free slot, too. Used by the token's holder
/// only.
class SlotTransport {
 public:
  /// Reserves memory for messages with a channel, as Transport::reserve(). Throws std::bad_alloc, having done nothing.
  void reserve(std::size_t messages);
  void release(std::size_t messages) noexcept { reserved_ -= messages; }

  /// Sends a message. `failed`: the message stands for one of an execution that has failed.
  void send(Execution& execution, const Message& message, SendChannel& channel, bool failed) noexcept;
  void receive(Execution& execution, const Message& message, ReceiveChannel& channel) noexcept {
    if (std::exchange(channel.held, false)) channel.slots.give_back();  // all readers of the slot are done
    awaited_.push_back({&execution, &message, &channel});
  }
  /// Posts this rank's end of a message that has a claim, as send() and receive() do for others. copy_claimed() or
  /// poll() copies the message, after everything that is to be posted, so that partners can share the work.
  void arrive(Execution& execution, const Message& message, ClaimChannel& channel, bool failed) noexcept {
    claims_.arrive(execution, message, channel, failed);
  }
  void copy_claimed() noexcept {
    if (claims_.in_flight() > 0) claims_.poll(sent_);
  }
  /// Returns the messages that are complete now. Valid until the next call.
  [[nodiscard]] std::span<const Completion> poll() noexcept;
  /// Gives up the messages of an execution. Returns the same as ClaimTransport::abandon().
  [[nodiscard]] bool abandon(const Execution& execution) noexcept;

  [[nodiscard]] std::size_t in_flight() const noexcept {
    return awaited_.size() + ahead_.size() + sent_.size() + claims_.in_flight();
  }
  [[nodiscard]] InFlight in_flight_at(std::size_t place) const noexcept;

 private:
  struct Awaited {
    Execution* execution;
    const Message* message;
    ReceiveChannel* channel;
  };
  struct Sent {
    Execution* execution;
    TaskId task;
    SendChannel* channel;
  };
  void look_for_arrivals() noexcept;
  void look_for_free_slots() noexcept;

  // None of these lists ever grows beyond the reserved size.
  std::vector<Awaited> awaited_;         ///< waiting receives
  std::vector<Completion> sent_;         ///< sends, and claimed messages, that are complete and not yet reported
  std::vector<Completion> completions_;  ///< reported by the last poll()
  std::vector<Sent> ahead_;              ///< sends in their slots whose next start would not find a free one
  ClaimTransport claims_;
  std::size_t reserved_ = 0;
};

}  // namespace rondo::internal

#endif
