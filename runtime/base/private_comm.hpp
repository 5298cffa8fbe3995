/// @file
/// PrivateComm: the communicator that Rondo's own messages travel on.
#ifndef RONDO_RUNTIME_BASE_PRIVATE_COMM_HPP
#define RONDO_RUNTIME_BASE_PRIVATE_COMM_HPP

#include <mpi.h>

#include <rondo/error.hpp>

#include "runtime/base/text_line.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace rondo::internal {

/// The error that is thrown on all ranks of a communicator alike when no private communicator can be made for it.
class NoPrivateComm : public Error {
 public:
  using Error::Error;
};

/// A private communicator that nothing uses any more.
struct ReleasedComm {
  MPI_Comm comm = MPI_COMM_NULL;
  std::uint64_t name = 0;     ///< the name that leave_to() gave it
  std::uint64_t history = 0;  ///< the number that PrivateComm::note_history() stored last
};

/// A communicator of the same processes as a user's communicator. No other code knows it, it returns errors, and it has
/// none of the user's attributes. The operations on it share it, and the last of them frees it.
class PrivateComm : public std::enable_shared_from_this<PrivateComm> {
 public:
  /// Makes a private communicator of `comm`, as duplicate() does. Collective over `comm`, blocking. Throws Error with
  /// MPI's class, whatever the error handler of `comm` is.
  explicit PrivateComm(MPI_Comm comm);
  /// Makes an object without a communicator yet: see duplicate().
  PrivateComm();
  PrivateComm(const PrivateComm&) = delete;
  PrivateComm& operator=(const PrivateComm&) = delete;
  ~PrivateComm();

  /// Duplicates `comm`, for places at which nothing but MPI may fail between ranks. Collective over `comm`. Throws
  /// Error with MPI's class, whatever the error handler of `comm` is.
  void duplicate(MPI_Comm comm);
  /// Begins to duplicate `comm`, without waiting. Uses MPI_Comm_idup, the only function of MPI for that, which copies
  /// the user's attributes. The communicator exists when advance_duplicate() returns true. Collective, nonblocking.
  void begin_duplicate(MPI_Comm comm);
  /// Advances the duplicate that begin_duplicate() began. Returns whether the private communicator exists. Calls MPI
  /// until it does. Call this from one thread at a time. Throws Error, also if the communicator was given up.
  [[nodiscard]] bool advance_duplicate();
  /// Advances a duplicate of `comm` that begin_duplicate() began. Returns whether none was under way. While a duplicate
  /// is under way, there must be no collective on `comm`, because Open MPI 4.1 mixes up the two. Call this from one
  /// thread at a time. Calls MPI while a duplicate is under way. Throws Error.
  [[nodiscard]] static bool advance_duplicates_of(MPI_Comm comm);
  /// Returns whether this process has begun duplicates that are under way. Any thread.
  [[nodiscard]] static bool has_duplicates_under_way() noexcept {
    // relaxed: a thread that relies on the answer has begun the duplicate, or knows of it by other means
    return under_way_.load(std::memory_order_relaxed) > 0;
  }
  /// Returns whether the private communicator exists and was not given up. Any thread.
  [[nodiscard]] bool made() const noexcept {
    return made_.load(std::memory_order_acquire);  // acquire: who sees true also sees comm_
  }
  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }
  /// Returns the description (describe_comm) of the original communicator, or an empty text before the duplicate was
  /// begun.
  [[nodiscard]] std::string_view original() const noexcept { return original_.view(); }
  /// Keeps the communicator until MPI_Finalize, because a message on it was given up. That message may still arrive,
  /// and must not match the receives of a later communicator with the same context in MPI. It is enough if one rank
  /// calls this. Any thread.
  void keep() const noexcept { kept_.store(true, std::memory_order_relaxed); }  // relaxed: read after the last release

  /// Gives this communicator up, because a wait for the other ranks was given up, on it or in the call that makes it.
  /// From then on ranks do not know of each other which calls they have made, so nothing more may be begun on it. It is
  /// kept (see keep()), and so is the memory that MPI may still write. Call this from one thread at a time, as
  /// advance_duplicate().
  void give_up() const noexcept;
  /// Gives up the private communicator whose handle is `comm`, if there is one.
  static void give_up(MPI_Comm comm) noexcept;
  /// Throws Error (MPI_ERR_OTHER) if this communicator was given up. Any thread.
  void require_usable() const;
  /// Has `heir` take the communicator when nothing uses it any more, unless it is kept. The communicator is freed if
  /// `heir` returns false. `name` identifies it to the heir. Call this before any other thread uses the communicator.
  using Heir = bool (*)(const ReleasedComm&) noexcept;
  void leave_to(Heir heir, std::uint64_t name) noexcept {
    heir_ = heir;
    name_ = name;
  }
  /// Stores a number for the heir that sums up the use of this communicator: it is the same on all ranks if the same
  /// calls went well on all of them.
  void note_history(std::uint64_t history) const noexcept { history_ = history; }
  /// Takes a released communicator as the private one of `comm`, in place of duplicate(). Local.
  void adopt(const ReleasedComm& released, MPI_Comm comm) noexcept;

  /// Returns how many private communicators this process has, released ones included. Any thread.
  [[nodiscard]] static int count() noexcept { return count_.load(std::memory_order_relaxed); }  // relaxed: a count
  /// Frees a communicator that was released.
  static void free(MPI_Comm comm) noexcept;

 private:
  [[nodiscard]] bool given_up() const noexcept {
    return given_up_.load(std::memory_order_relaxed);  // relaxed: nothing else is published with it
  }
  void set_original(MPI_Comm comm) noexcept;
  void end_duplicate() noexcept;
  static inline std::atomic<int> count_ = 0;
  static inline std::atomic<int> under_way_ = 0;  ///< duplicates that are under way
  TextLine original_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm coming_ = MPI_COMM_NULL;  ///< the duplicate; MPI may write it until request_ is complete
  MPI_Comm from_ = MPI_COMM_NULL;    ///< the communicator that is being duplicated, if any; under the list's lock
  MPI_Request request_ = MPI_REQUEST_NULL;
  mutable std::atomic<bool> made_ = false;
  mutable std::atomic<bool> kept_ = false;
  mutable std::atomic<bool> given_up_ = false;
  /// Set when this object is given up during a duplicate, because MPI may write the object later.
  mutable std::shared_ptr<const PrivateComm> self_;
  PrivateComm* before_ = nullptr;  ///< neighbors in the list of all private communicators
  PrivateComm* after_ = nullptr;
  Heir heir_ = nullptr;
  std::uint64_t name_ = 0;
  mutable std::uint64_t history_ = 0;
};

/// Throws the Error (MPI_ERR_OTHER) of a communicator that was given up.
[[noreturn]] void refuse_given_up_comm();

/// Returns the highest tag that MPI allows.
[[nodiscard]] int highest_tag();

}  // namespace rondo::internal

#endif
