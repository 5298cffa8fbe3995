/// @file
/// ClaimTransport: messages that either of two ranks on this node may copy, from array to array.
#ifndef RONDO_RUNTIME_EXECUTION_CLAIM_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_CLAIM_TRANSPORT_HPP

#include "runtime/execution/transport.hpp"
#include "runtime/routes/route.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal {

/// The part of a SlotTransport that moves claimed messages. A message is complete when one of the two ends has copied
/// it. Neither end copies before both have arrived. The end that arrives second can copy at once, so no rank waits for
/// one that makes no calls. Used by the token's holder only.
class ClaimTransport {
 public:
  /// Reserves memory for `messages` messages in flight. Throws std::bad_alloc, and has done nothing then.
  void reserve(std::size_t messages) {
    if (in_flight_.capacity() < messages) in_flight_.reserve(messages);
  }
  /// Posts this rank's end of a message. `failed`: the execution has failed, so neither end copies the message.
  void arrive(Execution& execution, const Message& message, ClaimChannel& channel, bool failed) noexcept {
    channel.end.arrive(failed);
    in_flight_.push_back({&execution, &message, &channel});
  }
  /// Copies messages whose two ends have arrived and that nobody has claimed yet. Appends all complete messages to
  /// `completions`, which has enough capacity.
  void poll(std::vector<Completion>& completions) noexcept;
  /// Gives up the messages of an execution. Returns true if no partner copies any of them any more. Returns false if a
  /// partner has been in the middle of a copy for longer than any rank waits, and may continue it.
  [[nodiscard]] bool abandon(const Execution& execution) noexcept;

  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_.size(); }
  [[nodiscard]] InFlight in_flight_at(std::size_t place) const noexcept {
    return {in_flight_[place].execution, in_flight_[place].message->task};
  }

 private:
  struct Claimed {
    Execution* execution;
    const Message* message;
    ClaimChannel* channel;
  };
  std::vector<Claimed> in_flight_;  ///< never grows beyond the reserved size
};

}  // namespace rondo::internal

#endif
