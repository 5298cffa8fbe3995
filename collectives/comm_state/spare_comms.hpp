/// @file
/// SpareComms: private communicators that nothing uses any more, for later communicators of the same processes.
#ifndef RONDO_COLLECTIVES_COMM_STATE_SPARE_COMMS_HPP
#define RONDO_COLLECTIVES_COMM_STATE_SPARE_COMMS_HPP

#include <mpi.h>

#include "datatypes/reading/this_mpi.hpp"
#include "runtime/base/private_comm.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace rondo::internal {

/// The spare communicators of a process. MPI takes several rounds of messages to make a communicator. If communicators
/// are made again and again, a private one of the same processes in the same order can be reused instead, once all
/// ranks have done with it. Ranks find that out because each offers its own in the agreement that making a context
/// takes anyway. Thread-safe.
class SpareComms {
 public:
  /// Returns the spare communicators of this process, kept from keep_from_now_on() to MPI_Finalize.
  [[nodiscard]] static SpareComms& of_process() noexcept;

  /// Keeps spare communicators from now on. Only for programs whose processes need not disconnect from each other
  /// before MPI_Finalize, because a spare communicator keeps its processes connected. `ask`: called, on each rank by
  /// itself, whenever a private communicator is needed; returns why there should be none, or null. Ranks make none if
  /// one of them has a reason. Call on all ranks. Local. Throws Error.
  void keep_from_now_on(const char* (*ask)() noexcept = nullptr);
  [[nodiscard]] bool keeps() const noexcept {
    return keeps_.load(std::memory_order_relaxed);  // relaxed: set while MPI is being started
  }

  /// Returns the reason by `ask`, see keep_from_now_on(), to make no further private communicator, or null.
  [[nodiscard]] const char* why_refused() const noexcept {
    return keeps() && why_refused_ != nullptr ? why_refused_() : nullptr;
  }
  /// Returns whether the process has so many private communicators that it should make no more: an eighth of what MPI
  /// has at a time, which leaves the others to the application. Only for programs that keep spare ones.
  [[nodiscard]] bool has_enough() const noexcept {
    const int most = this_mpi().kind == MpiKind::open_mpi ? 4096 : 256;  // MPICH numbers communicators up to 2048
    return keeps() && PrivateComm::count() >= most;
  }

  /// A spare communicator that is kept again unless it is taken.
  class Offer {
   public:
    Offer() = default;
    Offer(const Offer&) = delete;
    Offer& operator=(const Offer&) = delete;
    Offer(Offer&& other) noexcept : comm_(other.release()) {}
    Offer& operator=(Offer&& other) noexcept {
      std::swap(comm_, other.comm_);
      return *this;
    }
    ~Offer();

    /// Returns a word that is the same on all ranks that offer the same communicator with the same history, or 0 if
    /// there is none.
    [[nodiscard]] std::uint64_t word() const noexcept;
    [[nodiscard]] ReleasedComm take() noexcept { return release().value_or(ReleasedComm{}); }

   private:
    friend SpareComms;
    [[nodiscard]] std::optional<ReleasedComm> release() noexcept { return std::exchange(comm_, std::nullopt); }
    std::optional<ReleasedComm> comm_;
  };
  /// Returns the latest spare communicator with the processes of `comm` in its order, if any. Local. Throws Error.
  [[nodiscard]] Offer offer(MPI_Comm comm);

  /// Returns another number each time. The number of rank 0 is a communicator's name.
  [[nodiscard]] std::uint64_t next_name() noexcept { return names_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Makes a private communicator a spare one when nothing uses it any more.
  static void inherit(PrivateComm& comm, std::uint64_t name) noexcept { comm.leave_to(take_over, name); }

 private:
  static constexpr std::size_t kMost = 16;
  static bool take_over(const ReleasedComm& released) noexcept;
  bool keep(const ReleasedComm& released) noexcept;
  void end() noexcept;

  std::atomic<bool> keeps_ = false;
  const char* (*why_refused_)() noexcept = nullptr;
  std::atomic<std::uint64_t> names_ = 0;
  std::mutex mutex_;
  std::array<ReleasedComm, kMost> comms_{};  ///< the latest last; nothing here may fail on one rank alone
  std::size_t count_ = 0;
};

}  // namespace rondo::internal

#endif
