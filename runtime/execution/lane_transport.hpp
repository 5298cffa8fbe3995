/// @file
/// LaneTransport: messages of nonblocking operations through lanes in the memory of ranks on this node.
#ifndef RONDO_RUNTIME_EXECUTION_LANE_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_LANE_TRANSPORT_HPP

#include "runtime/execution/transport.hpp"
#include "runtime/lanes/lane_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo::internal {

/// The part of a NodeTransport that moves messages whose Message::in_lane is set. Does not use MPI. A send is complete
/// when its data lie in the partner's lane. If the lane is full the message takes MPI, as a detour, so that a partner
/// that is elsewhere for long holds nobody up. Its receiver waits at the lane, sees in the lane that there are detours,
/// and searches for the message in the network (NodeTransport). So messages need not arrive in the order in which they
/// were sent, and each has a tag that no other message between the two ranks has while it is under way.
///
/// A message that no receive waits for yet is moved from the lane to private memory (drained), but only to reach
/// messages behind it for which a receive may wait. It stays in that memory until its receive comes or its communicator
/// is gone.
///
/// Used by the token's holder only.
class LaneTransport {
 public:
  /// Reserves memory for messages that may go through lanes, as Transport::reserve(). Throws std::bad_alloc, and has
  /// done nothing then.
  void reserve(std::size_t messages);
  void release(std::size_t messages) noexcept { reserved_ -= messages; }
  /// Returns whether there are operations that use lanes.
  [[nodiscard]] bool is_used() const noexcept { return reserved_ > 0; }

  /// Sends a message and returns true. Returns false, and does nothing but count a detour, if the lane is full.
  /// `failed`: the message stands for one of an execution that has failed.
  [[nodiscard]] bool send(Execution& execution, const Message& message, bool failed) noexcept;
  void receive(Execution& execution, const Message& message) noexcept;
  /// Returns the messages that are complete now. Valid until the next call.
  [[nodiscard]] std::span<const Completion> poll() noexcept;
  void abandon(const Execution& execution) noexcept;

  struct Awaited {
    Execution* execution;
    const Message* message;
  };
  /// The waiting receives that next_in_turn() considers: only those from ranks whose messages have made detours, or
  /// all.
  enum class Those : std::uint8_t { from_detours, all };
  /// Returns another of the waiting receives each time, in turn, or nothing if there is none.
  [[nodiscard]] std::optional<Awaited> next_in_turn(Those those) noexcept;
  /// Removes the receive that next_in_turn() returned last, because its message, of `bytes` bytes, was found in the
  /// network. The network will report that receive.
  void take_away_last_in_turn(std::int64_t bytes) noexcept;
  /// Makes the next poll() report the completion of a message that was reserved here.
  void report(const Completion& completion) noexcept { done_.push_back(completion); }
  [[nodiscard]] std::size_t awaited() const noexcept { return awaited_.size(); }

  /// Returns the header of a message in a lane whose receive waits in the network, because the message is shorter than
  /// the receive expects; or nothing if there is none.
  [[nodiscard]] std::optional<LaneHeader> find_stray(const Execution& execution, const Message& message) noexcept;
  /// Removes the message that find_stray() found, after its receive was ended.
  void take_stray(const Execution& execution, const Message& message) noexcept;

  [[nodiscard]] std::size_t in_flight() const noexcept { return awaited_.size() + done_.size(); }
  [[nodiscard]] InFlight in_flight_at(std::size_t place) const noexcept;

 private:
  /// A waiting receive, in the list of its lane, in the order in which the receives were posted.
  struct Entry {
    Execution* execution;
    const Message* message;
    Lane* lane;
    std::uint64_t context;
    std::uint32_t before;
    std::uint32_t after;
  };
  void add(const Entry& entry) noexcept;
  void remove(std::uint32_t place) noexcept;
  [[nodiscard]] std::uint32_t find(const Lane& lane, const LaneHeader& header) const noexcept;
  void look_into(Lane& lane) noexcept;
  void fail_awaited(Lane& lane) noexcept;

  // None of these lists ever grows beyond the reserved size.
  std::vector<Entry> awaited_;    ///< waiting receives
  std::vector<Lane*> lanes_;      ///< lanes with waiting receives; a lane without any is removed in the next pass
  std::vector<Completion> done_;  ///< complete and not yet reported
  std::vector<Completion> completions_;  ///< reported by the last poll()
  std::uint32_t turn_ = 0;               ///< the place that next_in_turn() returned last
  std::size_t reserved_ = 0;
};

}  // namespace rondo::internal

#endif
