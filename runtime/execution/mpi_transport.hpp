/// @file
/// Messages over MPI.
#ifndef RONDO_RUNTIME_EXECUTION_MPI_TRANSPORT_HPP
#define RONDO_RUNTIME_EXECUTION_MPI_TRANSPORT_HPP

#include "runtime/base/scratch_memory.hpp"
#include "runtime/execution/transport.hpp"

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace rondo::internal {

/// Keeps all MPI requests in flight in one array, so that one MPI_Testsome looks at all of them.
class alignas(64) MpiTransport final : public Transport {
 public:
  void reserve(std::size_t messages) override;
  void release(std::size_t messages) noexcept override;
  MPI_Request prepare(const Message& message, MPI_Comm comm) override;
  void discard(MPI_Request prepared) noexcept override;
  Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) override;
  int post_in_failure(Execution& execution, const Message& message, const Route* route) override;
  std::span<const Completion> poll() override;
  /// Lets MPI do what it owes to other ranks. `execution`: some one that has partners.
  void look(const Execution& execution) noexcept;
  /// How many bytes a message has for a receive that is not posted, -1 where MPI cannot count them; nothing where there
  /// is none. Does what look() does.
  [[nodiscard]] std::optional<std::int64_t> find(const Execution& execution, const Message& message) noexcept;
  /// Whether poll() has something to report of which MPI knows nothing any more.
  [[nodiscard]] bool has_news() const noexcept { return !to_report_.empty(); }
  /// Takes back a receive in flight, for which MPI has no message, and has the next poll() report it with that code.
  /// False: MPI does not give it back, and it is in flight as before.
  [[nodiscard]] bool end_receive(std::size_t place, int code) noexcept;
  bool wait_all(bool report) override;
  void abandon(Execution& execution, ScratchMemory& scratch) override;
  [[nodiscard]] std::size_t in_flight() const noexcept override { return count_; }
  [[nodiscard]] InFlight in_flight_at(std::size_t place) const noexcept override {
    return {owners_[place].execution, owners_[place].task};
  }
  // relaxed: it tells a signal handler about the thread that it interrupts, and nothing about others.
  [[nodiscard]] bool at_rest() const noexcept override {
    return inside_mpi_.load(std::memory_order_relaxed) == pthread_self();
  }
  [[nodiscard]] std::size_t abandoned() const noexcept override { return abandoned_; }

 private:
  template <typename Start>
  Posted post_each(Execution& execution, std::span<const Message> messages, Start start);
  struct Owner {
    Execution* execution;  ///< null: the message was abandoned
    TaskId task;
    std::int32_t expected;  ///< bytes of a receive, or Message::kHuge; kSend
  };
  static constexpr std::int32_t kSend = -1;
  void enter_mpi() noexcept {
    std::atomic_signal_fence(std::memory_order_release);  // what was posted is in the list
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

  // Arrays as long as what is reserved, of which the first count_ slots are in use: a request is made in its place.
  std::size_t count_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Owner> owners_;  // with the table of functions one cache line: see Execution
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completion> completions_;
  std::vector<Completion> to_report_;    ///< known to be complete, for the next poll()
  std::atomic<pthread_t> inside_mpi_{};  ///< the thread that is in a call that looks at the requests
  std::size_t reserved_ = 0;
  unsigned failed_polls_ = 0;        ///< in a row
  std::size_t abandoned_ = 0;        ///< messages of abandoned executions that are not complete
  std::vector<ScratchMemory> kept_;  ///< what they may touch
  int unused_tag_ = -1;              ///< of no message of ours; -1: not asked for yet
};

}  // namespace rondo::internal

#endif
