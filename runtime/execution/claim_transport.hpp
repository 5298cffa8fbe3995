/// @file
/// Messages that either of two ranks on this node copies, from array to array.
#ifndef RONDO_RUNTIME_EXECUTION_CLAIM_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_CLAIM_TRANSPORT_HPP

#include "runtime/execution/transport.hpp"
#include "runtime/routes/route.hpp"

#include <cstddef>
#include <vector>

namespace rondo::internal {

/// A part of a SlotTransport. A message is complete when one of the two ends has copied it; nobody copies before both
/// have arrived, and who comes second can copy at once, so nobody waits for one that does not look. By the token's
/// holder only.
class ClaimTransport {
 public:
  /// Makes room for so many in flight. Throws std::bad_alloc, and has done nothing then.
  void reserve(std::size_t messages) {
    if (in_flight_.capacity() < messages) in_flight_.reserve(messages);
  }
  /// Posts one end of a message. `failed`: that of an execution that has failed; nobody copies then.
  void arrive(Execution& execution, const Message& message, ClaimChannel& channel, bool failed) noexcept {
    channel.end.arrive(failed);
    in_flight_.push_back({&execution, &message, &channel});
  }
  /// Copies what both ends have come to and nobody has taken, and appends all that is complete, for which there is
  /// room.
  void poll(std::vector<Completion>& completions) noexcept;
  /// Returns whether nobody copies any of its messages any more. False: a partner is in the middle of a copy for longer
  /// than anybody waits, and may go on with it.
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
  std::vector<Claimed> in_flight_;  ///< never grows beyond what is reserved
};

}  // namespace rondo::internal

#endif
