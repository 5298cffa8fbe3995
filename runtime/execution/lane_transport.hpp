/// @file
/// Messages of nonblocking operations through lanes in the memory of ranks on this node.
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

/// The part of a NodeTransport that has nothing to do with MPI: for messages whose Message::in_lane is set. A send is
/// complete when its data lie in the partner's lane. Where there is no room the message takes MPI, so that no partner
/// that is elsewhere for long holds anybody up; its receiver waits at the lane, where it sees that there are detours,
/// and searches (NodeTransport). So messages need not come in the order in which they were sent, and each has a tag
/// that no other one between the two ranks has while it is under way.
///
/// A message that nobody waits for yet is taken out of a lane only when another one behind it may be waited for. It
/// stays until its receive comes, or its communicator is gone.
///
/// By the token's holder only.
class LaneTransport {
 public:
  /// As Transport::reserve(): for messages that may go through lanes. Throws std::bad_alloc, and has done nothing then.
  void reserve(std::size_t messages);
  void release(std::size_t messages) noexcept { reserved_ -= messages; }
  /// Whether there are operations that use lanes.
  [[nodiscard]] bool is_used() const noexcept { return reserved_ > 0; }

  /// False, and it does nothing, while there is no room. `failed`: the message stands for one of an execution that has
  /// failed.
  [[nodiscard]] bool send(Execution& execution, const Message& message, bool failed) noexcept;
  void receive(Execution& execution, const Message& message) noexcept;
  /// What is complete now. Valid until the next call.
  [[nodiscard]] std::span<const Completion> poll() noexcept;
  void abandon(const Execution& execution) noexcept;

  struct Awaited {
    Execution* execution;
    const Message* message;
  };
  /// Of the receives that wait: those from a rank that has sent what found no room, or all.
  enum class Those : std::uint8_t { from_detours, all };
  /// Another of them each time, in turn; nothing where there is none.
  [[nodiscard]] std::optional<Awaited> next_in_turn(Those those) noexcept;
  /// Its message, of so many bytes, was found elsewhere: somebody else will report that one.
  void take_away_last_in_turn(std::int64_t bytes) noexcept;
  /// Reports a message of those that were reserved.
  void report(const Completion& completion) noexcept { done_.push_back(completion); }
  [[nodiscard]] std::size_t awaited() const noexcept { return awaited_.size(); }

  /// What lies there for a receive that does not wait at the lane, as it is shorter than what is to come: its header;
  /// nothing where there is none.
  [[nodiscard]] std::optional<LaneHeader> find_stray(const Execution& execution, const Message& message) noexcept;
  /// The receive is ended: takes away what was found for it.
  void take_stray(const Execution& execution, const Message& message) noexcept;

  [[nodiscard]] std::size_t in_flight() const noexcept { return awaited_.size() + done_.size(); }
  [[nodiscard]] InFlight in_flight_at(std::size_t place) const noexcept;

 private:
  /// In the list of its lane, in the order in which they were posted.
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

  // None ever grows beyond what is reserved.
  std::vector<Entry> awaited_;           ///< receives
  std::vector<Lane*> lanes_;             ///< at which there are some; one that has none any more goes in the next pass
  std::vector<Completion> done_;         ///< complete and not yet reported
  std::vector<Completion> completions_;  ///< reported by the last poll()
  std::uint32_t turn_ = 0;               ///< the last of next_in_turn()
  std::size_t reserved_ = 0;
};

}  // namespace rondo::internal

#endif
