/// @file
/// MpiTransport: moves messages over MPI.
#ifndef RONDO_RUNTIME_EXECUTION_MPI_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_MPI_TRANSPORT_HPP

#include "runtime/base/scratch_memory.hpp"
#include "runtime/execution/transport.hpp"
#include "runtime/trace/trace_clock.hpp"

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace rondo::internal {

/// A transport that moves messages with MPI. Keeps all MPI requests in flight in one array, so that one MPI_Testsome
/// tests all of them.
class alignas(64) MpiTransport final : public Transport {
 public:
  void reserve(std::size_t messages) override;
  void release(std::size_t messages) noexcept override;
  MPI_Request prepare(const Message& message, MPI_Comm comm) override;
  void discard(MPI_Request prepared) noexcept override;
  Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) override;
  Posted post_copied(Execution& execution, const Message& message) override;
  int post_in_failure(Execution& execution, const Message& message, const Route* route) override;
  std::span<const Completion> poll() override;
  /// Lets MPI make progress on messages that other ranks wait for. `execution`: any execution that has partners.
  void look(const Execution& execution) noexcept;
  /// Returns the time of a clock that can be read in a few nanoseconds. A tick lasts between 0.2 and 1 ns.
  [[nodiscard]] std::uint64_t ticks() const noexcept { return clock_.ticks(); }
  /// Returns how many bytes the message has that MPI holds for `message`, a receive that is not posted: -1 if MPI
  /// cannot count them, nothing if MPI holds no message. Makes progress as look() does.
  [[nodiscard]] std::optional<std::int64_t> find(const Execution& execution, const Message& message) noexcept;
  /// Returns whether poll() has completions to report that MPI does not know any more.
  [[nodiscard]] bool has_news() const noexcept { return !to_report_.empty(); }
  /// Takes back a receive in flight for which MPI has no message, and makes the next poll() report it with `code`.
  /// Returns false if MPI does not give the receive back; it then stays in flight.
  [[nodiscard]] bool end_receive(std::size_t place, int code) noexcept;
  bool wait_all(bool report, const std::atomic<bool>& stop) override;
  void abandon(Execution& execution, ScratchMemory& scratch) override;
  [[nodiscard]] std::size_t in_flight() const noexcept override { return count_; }
  [[nodiscard]] InFlight in_flight_at(std::size_t place) const noexcept override {
    return {owners_[place].execution, owners_[place].task};
  }
  // relaxed: the value tells a signal handler about the thread that it interrupts, and nothing about other threads.
  [[nodiscard]] bool at_rest() const noexcept override {
    return inside_mpi_.load(std::memory_order_relaxed) == pthread_self();
  }
  [[nodiscard]] std::size_t abandoned() const noexcept override { return abandoned_; }

 private:
  template <typename Start>
  Posted post_each(Execution& execution, std::span<const Message> messages, Start start);
  struct Owner {
    Execution* execution;  ///< null: no execution waits for the message any more
    TaskId task;
    std::int32_t expected;  ///< bytes of a receive, or Message::kHuge; kSend, or code_of_copy()
  };
  static constexpr std::int32_t kSend = -1;
  /// The data of a send that was posted by post_copied(). The memory is kept for another send, because touching new
  /// memory costs more than copying into it.
  struct SentCopy {
    std::unique_ptr<std::byte[]> data;
    std::size_t room = 0;        ///< bytes of memory
    std::size_t bytes = 0;       ///< of the send that MPI still has; 0: there is none
    std::uint64_t deadline = 0;  ///< in ticks: a send that MPI has not completed by then is reported as complete
  };
  static constexpr std::size_t kMostKept = 16;  ///< number of copies that keep their memory, the first ones
  /// Owner::expected of a send from copies_ is kFirstCopy minus the place of the copy in copies_.
  static constexpr std::int32_t kFirstCopy = -3;
  static constexpr std::size_t kLeastCharge = std::size_t{32} << 10U;  ///< bytes that a copy counts for at least
  static_assert(kFirstCopy < kSend && kFirstCopy < Message::kHuge);
  static constexpr std::int32_t code_of_copy(std::size_t place) noexcept {
    return kFirstCopy - static_cast<std::int32_t>(place);
  }
  static constexpr bool is_copy(std::int32_t expected) noexcept { return expected <= kFirstCopy; }
  [[nodiscard]] std::size_t make_copy(const Execution& execution, const Message& message);
  void free_copy(std::int32_t code) noexcept;
  void report_late_copies() noexcept;
  void enter_mpi() noexcept {
    std::atomic_signal_fence(std::memory_order_release);  // all posted messages are in the list
    inside_mpi_.store(pthread_self(), std::memory_order_relaxed);
  }
  void leave_mpi() noexcept {
    inside_mpi_.store(pthread_t{}, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_acquire);
  }
  void close_hole(std::size_t slot);
  void report(std::vector<Completion>& to, std::size_t slot, int code);
  [[nodiscard]] int outcome(std::size_t slot, const MPI_Status& status, bool failed) const;
  void fail_all(int code);

  // Arrays as long as reserved, of which the first count_ slots are in use. MPI writes each new request into its slot.
  std::size_t count_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Owner> owners_;  // in one cache line with the table of functions: see Execution
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completion> completions_;
  std::vector<Completion> to_report_;    ///< known to be complete, for the next poll()
  std::atomic<pthread_t> inside_mpi_{};  ///< the thread that is in a call that looks at the requests
  std::size_t reserved_ = 0;
  unsigned failed_polls_ = 0;          ///< in a row
  std::size_t unreported_copies_ = 0;  ///< sends from copies_ that were not yet reported as complete
  std::size_t abandoned_ = 0;          ///< messages in flight that no execution waits for any more
  std::vector<ScratchMemory> kept_;    ///< scratch memory that abandoned messages may touch
  std::vector<SentCopy> copies_;
  std::size_t copied_bytes_ = 0;  ///< in all of copies_
  TraceClock clock_;
  int unused_tag_ = -1;  ///< a tag that no message of Rondo has; -1: not asked for yet
};

}  // namespace rondo::internal

#endif
