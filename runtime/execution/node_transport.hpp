/// @file
/// NodeTransport: moves messages through slots and lanes to ranks on this node, and over a network, side by side.
#ifndef RONDO_RUNTIME_EXECUTION_NODE_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_NODE_TRANSPORT_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/execution/lane_transport.hpp"
#include "runtime/execution/slot_transport.hpp"
#include "runtime/execution/transport.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

namespace rondo::internal {

/// A transport that moves each message by one of three ways. A message of a persistent operation takes the way that its
/// Route says. A message of another operation takes a lane if Message::in_lane is set and the lane has space. All
/// others take the network. `Network` is a final Transport, over MPI or a simulated network, with these further
/// functions: look() lets the network make progress for other ranks; find() does so too and returns the length of the
/// message that the network has for a receive; end_receive(); has_news() returns whether there is something to report
/// that is not in flight any more; ticks() reads a clock in a few nanoseconds.
///
/// The messages of a start must not depend on a later call of Rondo on the other side, because a partner may be inside
/// a function of MPI from its own start on. So a send is complete without the receiver's help (in a slot, in a lane, or
/// as a copy that MPI has). A message that a receiver waits for needs no later call of its sender: a slot is free
/// before the start that fills it begins, and a detour is handled by MPI. And a waiting rank looks into MPI after some
/// time, whatever else arrives meanwhile.
template <typename Network>
class NodeTransport final : public Transport {
 public:
  /// Number of ticks of waiting in vain between two looks into the network, on which a partner may depend: 1 to 4
  /// microseconds. A partner that receives long messages from this rank needs a look or two for each of them.
  static constexpr std::uint64_t kTicksBetweenLooks = std::uint64_t{1} << 12U;
  /// Number of ticks between two looks into the network while messages come through slots and lanes: 0.3 to 1
  /// milliseconds. A look may yield the core, which takes two microseconds, and partners wait for this rank meanwhile.
  static constexpr std::uint64_t kTicksWithNews = std::uint64_t{1} << 20U;
  /// Minimum number of ticks of a look that has moved something, some five microseconds. After such a look the next
  /// pass looks again, because a long message moves in many parts.
  static constexpr std::uint64_t kTicksOfBusyLook = std::uint64_t{1} << 14U;
  // Number of passes that find nothing between two readings of the clock.
  static constexpr unsigned kPassesOnSharedCores = 1;
  static constexpr unsigned kPassesOnOwnCores = 16;
  /// Number of passes that find nothing after which the clock is read in each one: the engine yields the core then, as
  /// it always does on shared cores, and that takes far longer than reading the clock.
  static constexpr unsigned kShortPasses = 64;
  static_assert(std::has_single_bit(kPassesOnSharedCores) && std::has_single_bit(kPassesOnOwnCores));
  /// Number of passes that find messages in slots and lanes before the messages in flight in the network are tested, or
  /// before the clock is read if there are none.
  static constexpr unsigned kPassesWithNews = 16;

  /// Number of passes that find nothing before a search in the network for messages that did not fit into a lane.
  static constexpr unsigned kPassesBeforeSearch = 32;
  /// Number of looks in vain before a search for messages that took another way than the receiver expects. A look
  /// before a pause counts as many, because it stands for all the looks of the pause.
  static constexpr unsigned kLooksBeforeMistakes = 512;
  static constexpr unsigned kLooksOfPause = 32;

  explicit NodeTransport(Network& network) : network_(network) {}

  void reserve(std::size_t messages) override { network_.reserve(messages); }
  void release(std::size_t messages) noexcept override { network_.release(messages); }
  [[nodiscard]] SlotTransport* slots() noexcept override { return &slots_; }
  [[nodiscard]] LaneTransport* lanes() noexcept override { return &lanes_; }
  MPI_Request prepare(const Message& message, MPI_Comm comm) override { return network_.prepare(message, comm); }
  void discard(MPI_Request prepared) noexcept override { network_.discard(prepared); }

  [[gnu::hot]] Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) override {
    if (!execution.stays_near()) return network_.post(execution, messages, routes);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Route* const route = routes == nullptr ? nullptr : routes + i;
      if (post_near(execution, messages[i], route, false)) continue;
      const Posted posted = messages[i].in_lane != 0 ? network_.post_copied(execution, messages[i])
                                                     : network_.post(execution, messages.subspan(i, 1), route);
      if (posted.count == 0) return {i, posted.code};
    }
    // Claimed messages that a start posts together are copied at its end: a partner may have arrived to share the work.
    if (messages.size() == 1) slots_.copy_claimed();
    return {messages.size(), MPI_SUCCESS};
  }
  int post_in_failure(Execution& execution, const Message& message, const Route* route) override {
    if (execution.stays_near() && post_near(execution, message, route, true)) return MPI_SUCCESS;
    return network_.post_in_failure(execution, message, route);
  }
  [[gnu::hot]] std::span<const Completion> poll() override {
    return slots_.in_flight() == 0 && !lanes_.is_used() ? network_.poll() : poll_all();
  }
  bool wait_all(bool report, const std::atomic<bool>& stop) override {
    return slots_.in_flight() == 0 && lanes_.in_flight() == 0 && !watches_lanes() && network_.wait_all(report, stop);
  }
  void abandon(Execution& execution, ScratchMemory& scratch) override {
    network_.abandon(execution, scratch);
    if (!slots_.abandon(execution)) execution.keep_arrays();
    lanes_.abandon(execution);
  }
  [[nodiscard]] std::size_t in_flight() const noexcept override {
    return network_.in_flight() + slots_.in_flight() + lanes_.in_flight();
  }
  [[nodiscard]] InFlight in_flight_at(std::size_t place) const noexcept override {
    const std::size_t of_network = network_.in_flight();
    if (place < of_network) return network_.in_flight_at(place);
    place -= of_network;
    const std::size_t of_slots = slots_.in_flight();
    InFlight it = place < of_slots ? slots_.in_flight_at(place) : lanes_.in_flight_at(place - of_slots);
    it.is_near = true;
    return it;
  }
  [[nodiscard]] std::size_t abandoned() const noexcept override { return network_.abandoned(); }
  [[nodiscard]] bool at_rest() const noexcept override { return network_.at_rest(); }
  void set_shared_cores(bool shared) noexcept override {
    passes_between_readings_ = shared ? kPassesOnSharedCores : kPassesOnOwnCores;
  }
  void expect_pause() noexcept override { before_pause_ = true; }
  [[nodiscard]] bool looked_into_network() const noexcept override {
    return looked_.load(std::memory_order_relaxed);  // relaxed: the value only decides about a yield
  }

 private:
  [[gnu::always_inline]] bool post_near(Execution& execution, const Message& message, const Route* route,
                                        bool failed) noexcept {
    if (message.in_lane != 0) {
      if (message.sends != 0) return lanes_.send(execution, message, failed);
      lanes_.receive(execution, message);
    } else if (route == nullptr) {
      return false;
    } else if (route->receive != nullptr) {
      slots_.receive(execution, message, *route->receive);
    } else if (route->send != nullptr) {
      slots_.send(execution, message, *route->send, failed);
    } else if (route->claim != nullptr) {
      slots_.arrive(execution, message, *route->claim, failed);
    } else {
      return false;
    }
    return true;
  }

  void set_looked(bool looked) noexcept { looked_.store(looked, std::memory_order_relaxed); }

  [[gnu::hot]] std::span<const Completion> poll_all() {
    const bool in_network = network_.in_flight() > 0 || network_.has_news();
    const bool before_pause = std::exchange(before_pause_, false);
    const bool overdue =
        (++passes_ & (kPassesWithNews - 1)) == 0 && (in_network || is_look_due(kTicksWithNews, last_look_));
    if (!in_network || !overdue) {
      const std::span<const Completion> completions = poll_near();
      if (!completions.empty()) {
        empty_passes_ = 0;
        if (overdue) look(*completions.front().execution);
        return completions;
      }
    }
    const bool in_vain = before_pause || (count_empty_pass() && is_wait_long());
    const bool looks = in_network || overdue || in_vain;
    const bool searched = lanes_.awaited() > 0 &&
                          (found_ || empty_passes_ % kPassesBeforeSearch == 0 || before_pause) &&
                          search_network(LaneTransport::Those::from_detours);
    set_looked(looks || searched);
    if (in_vain && lanes_.is_used()) {
      vain_looks_ += before_pause ? kLooksOfPause : 1;
      if (vain_looks_ >= kLooksBeforeMistakes) {
        vain_looks_ = 0;
        look_for_mistakes();
      }
    }
    if (!in_network) {
      if (looks && in_flight() > 0) look(*in_flight_at(0).execution);
      return {};
    }
    if (in_vain) last_look_ = network_.ticks();
    return network_.poll();
  }
  [[gnu::hot]] std::span<const Completion> poll_near() noexcept {
    if (slots_.in_flight() > 0) {
      const std::span<const Completion> completions = slots_.poll();
      if (!completions.empty()) return completions;
    }
    return lanes_.in_flight() > 0 ? lanes_.poll() : std::span<const Completion>();
  }

  [[nodiscard]] bool is_look_due(std::uint64_t ticks, std::uint64_t since) const noexcept {
    return busy_ || network_.ticks() - since >= ticks;
  }
  /// Counts a pass that has found nothing, and returns whether it is to read the clock.
  [[nodiscard]] bool count_empty_pass() noexcept {
    ++empty_passes_;
    return empty_passes_ > kShortPasses || (empty_passes_ & (passes_between_readings_ - 1)) == 0;
  }
  /// Returns whether passes have found nothing for so long that a look is due. Call this only in passes that are to
  /// read the clock.
  [[nodiscard]] bool is_wait_long() noexcept {
    if (empty_passes_ == passes_between_readings_) vain_since_ = network_.ticks();
    return is_look_due(kTicksBetweenLooks, std::max(last_look_, vain_since_));
  }
  void look(const Execution& execution) noexcept {
    const std::uint64_t before = network_.ticks();
    network_.look(execution);
    last_look_ = network_.ticks();
    busy_ = last_look_ - before >= kTicksOfBusyLook;
  }

  /// Searches the network for the message of one receive that waits at a lane. If the network has the message, the
  /// receive is posted there, and there may be more such messages. Returns whether a receive was waiting. Searches for
  /// one message at a time, because Open MPI yields the core in each search.
  bool search_network(LaneTransport::Those those) {
    found_ = false;
    const auto awaited = lanes_.next_in_turn(those);
    if (!awaited) return false;
    const std::optional<std::int64_t> bytes = network_.find(*awaited->execution, *awaited->message);
    found_ = bytes.has_value();
    if (found_) {
      const auto [execution, message] = *awaited;
      const Posted posted = network_.post(*execution, {message, 1}, nullptr);
      lanes_.take_away_last_in_turn(*bytes);
      if (posted.count == 0) [[unlikely]] {
        const bool lost = network_.post_in_failure(*execution, *message, nullptr) != MPI_SUCCESS;
        execution->refuse(*message, posted.code, lost);
        if (lost) lanes_.report({execution, message->task, posted.code});
      }
    }
    return true;
  }

  /// Searches for messages whose sizes differ at the two ends, so that they take a lane at one end only.
  void look_for_mistakes() {
    if (lanes_.awaited() > 0) search_network(LaneTransport::Those::all);
    look_for_strays();
  }
  /// Searches lanes for messages whose receives wait in the network, because the messages are too short.
  void look_for_strays() {
    for (std::size_t place = network_.in_flight(); place-- > 0;) {
      const InFlight it = network_.in_flight_at(place);
      const Execution* const execution = it.execution;
      if (execution == nullptr || !execution->watches_lanes()) continue;
      const Message& message = execution->message(execution->schedule().tasks()[it.task].message);
      if (message.sends != 0 || message.in_lane != 0 || (*execution->lanes())[message.peer].longest_received == 0)
        continue;
      const auto header = lanes_.find_stray(*execution, message);
      // If the network does not give the receive back, the message stays for the next search.
      if (header && network_.end_receive(place, header->failed ? kPartnerFailed : kShortMessage))
        lanes_.take_stray(*execution, message);
    }
  }
  /// Returns whether the execution of the messages in flight watches lanes. Call it only if all messages in flight
  /// belong to one execution.
  [[nodiscard]] bool watches_lanes() const noexcept {
    if (!lanes_.is_used() || network_.in_flight() == 0) return false;
    const Execution* const first = network_.in_flight_at(0).execution;
    return first != nullptr && first->watches_lanes();
  }

  Network& network_;
  SlotTransport slots_;
  LaneTransport lanes_;
  unsigned passes_between_readings_ = kPassesOnOwnCores;
  unsigned passes_ = 0;
  unsigned empty_passes_ = 0;        ///< in a row
  std::uint64_t last_look_ = 0;      ///< ticks
  std::uint64_t vain_since_ = 0;     ///< ticks: the first reading since a pass that found something
  bool busy_ = false;                ///< the last look has moved something
  unsigned vain_looks_ = 0;          ///< looks in vain since the last search for mistakes
  bool found_ = false;               ///< the last search found something
  bool before_pause_ = false;        ///< see expect_pause()
  std::atomic<bool> looked_ = true;  ///< whether the last pass that found nothing looked into the network
};

}  // namespace rondo::internal

#endif
