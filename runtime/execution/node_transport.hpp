/// @file
/// Messages by two ways side by side: through slots to ranks on this node, and over a network.
#ifndef RONDO_RUNTIME_EXECUTION_NODE_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_NODE_TRANSPORT_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/execution/slot_transport.hpp"
#include "runtime/execution/transport.hpp"

#include <atomic>

namespace rondo::internal {

/// Each message of a persistent operation takes the way that its Route says, all others the network. `Network`: a final
/// Transport, over MPI or a simulated one, with a function look() that lets it do what it owes to other ranks.
template <typename Network>
class NodeTransport final : public Transport {
 public:
  // Passes that find nothing before a look into the network, which a partner may wait for: measured (bench
  // shared_memory), a look on shared cores costs a turn of all of them, and on own cores delays what comes meanwhile.
  static constexpr unsigned kPassesOnSharedCores = 64;
  static constexpr unsigned kPassesOnOwnCores = 1024;
  /// Where messages keep coming through slots: so many times as many, and so many passes without a look at messages
  /// that are in flight in the network.
  static constexpr unsigned kPassesWithNews = 16;

  explicit NodeTransport(Network& network) : network_(network) {}

  void reserve(std::size_t messages) override { network_.reserve(messages); }
  void release(std::size_t messages) noexcept override { network_.release(messages); }
  [[nodiscard]] SlotTransport* slots() noexcept override { return &slots_; }
  MPI_Request prepare(const Message& message, MPI_Comm comm) override { return network_.prepare(message, comm); }
  void discard(MPI_Request prepared) noexcept override { network_.discard(prepared); }

  [[gnu::hot]] Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) override {
    if (!execution.connected()) return network_.post(execution, messages, routes);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (post_to_slot(execution, messages[i], routes[i], false)) continue;
      if (const Posted posted = network_.post(execution, messages.subspan(i, 1), routes + i); posted.count == 0)
        return {i, posted.code};
    }
    slots_.copy_claimed();
    return {messages.size(), MPI_SUCCESS};
  }
  int post_in_failure(Execution& execution, const Message& message, const Route* route) override {
    if (execution.connected() && post_to_slot(execution, message, *route, true)) return MPI_SUCCESS;
    return network_.post_in_failure(execution, message, route);
  }
  [[gnu::hot]] std::span<const Completion> poll() override {
    return slots_.in_flight() == 0 ? network_.poll() : poll_both();
  }
  bool wait_all(bool report) override { return slots_.in_flight() == 0 && network_.wait_all(report); }
  void abandon(Execution& execution, ScratchMemory& scratch) override {
    network_.abandon(execution, scratch);
    slots_.abandon(execution);
  }
  [[nodiscard]] std::size_t in_flight() const noexcept override { return network_.in_flight() + slots_.in_flight(); }
  [[nodiscard]] InFlight in_flight_at(std::size_t place) const noexcept override {
    const std::size_t of_network = network_.in_flight();
    return place < of_network ? network_.in_flight_at(place) : slots_.in_flight_at(place - of_network);
  }
  [[nodiscard]] std::size_t abandoned() const noexcept override { return network_.abandoned(); }
  [[nodiscard]] bool at_rest() const noexcept override { return network_.at_rest(); }
  void set_shared_cores(bool shared) noexcept override {
    passes_between_looks_ = shared ? kPassesOnSharedCores : kPassesOnOwnCores;
  }
  [[nodiscard]] bool looked_into_network() const noexcept override {
    return looked_.load(std::memory_order_relaxed);  // relaxed: decides about a yield, no more
  }

 private:
  bool post_to_slot(Execution& execution, const Message& message, const Route& route, bool failed) noexcept {
    if (route.receive != nullptr) {
      slots_.receive(execution, message, *route.receive);
    } else if (route.send != nullptr) {
      slots_.send(execution, message, *route.send, failed);
    } else if (route.claim != nullptr) {
      slots_.arrive(execution, message, *route.claim, failed);
    } else {
      return false;
    }
    return true;
  }

  void set_looked(bool looked) noexcept { looked_.store(looked, std::memory_order_relaxed); }

  [[gnu::hot]] std::span<const Completion> poll_both() {
    const bool in_network = network_.in_flight() > 0;
    const bool overdue = ++passes_ >= (in_network ? kPassesWithNews : kPassesWithNews * passes_between_looks_);
    if (!in_network || !overdue) {
      const std::span<const Completion> completions = slots_.poll();
      if (!completions.empty()) {
        empty_passes_ = 0;
        if (overdue) look();
        return completions;
      }
    }
    const bool looks = in_network || overdue || ++empty_passes_ >= passes_between_looks_;
    set_looked(looks);
    if (looks && !in_network) look();
    if (!in_network) return {};
    passes_ = 0;
    return network_.poll();
  }

  void look() noexcept {
    network_.look();
    passes_ = 0;
    empty_passes_ = 0;
  }

  Network& network_;
  SlotTransport slots_;
  unsigned passes_between_looks_ = kPassesOnOwnCores;
  unsigned passes_ = 0;              ///< since the last look into the network
  unsigned empty_passes_ = 0;        ///< of these, in a row
  std::atomic<bool> looked_ = true;  ///< whether the last pass that found nothing looked into the network
};

}  // namespace rondo::internal

#endif
