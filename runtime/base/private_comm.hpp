/// @file
/// The communicator that Rondo's own messages travel on.
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

/// Thrown on all ranks of a communicator alike when no private communicator can be made for it.
class NoPrivateComm : public Error {
 public:
  using Error::Error;
};

/// A private communicator that nothing uses any more.
struct ReleasedComm {
  MPI_Comm comm = MPI_COMM_NULL;
  std::uint64_t name = 0;     ///< what it was given by leave_to()
  std::uint64_t history = 0;  ///< what PrivateComm::note_history() was told last
};

/// A communicator of the same processes as a user's that nobody else knows and that returns errors; nothing of what the
/// user attached to his is on it. Shared by the operations on it, freed with the last of them.
class PrivateComm : public std::enable_shared_from_this<PrivateComm> {
 public:
  /// Collective over `comm`, blocking. Throws Error with MPI's class, whatever the error handler of `comm` is.
  explicit PrivateComm(MPI_Comm comm);
  /// None yet: see duplicate().
  PrivateComm();
  PrivateComm(const PrivateComm&) = delete;
  PrivateComm& operator=(const PrivateComm&) = delete;
  ~PrivateComm();

  /// Duplicates `comm`: for where nothing but MPI may fail between ranks. Collective. Throws Error with MPI's class,
  /// whatever the error handler of `comm` is.
  void duplicate(MPI_Comm comm);
  /// The same without waiting, for which MPI has MPI_Comm_idup only, which copies the user's attributes: it is there
  /// when advance_duplicate() says so. Collective, nonblocking.
  void begin_duplicate(MPI_Comm comm);
  /// Whether the communicator is there. By one thread at a time; a call of MPI, until it is. Throws Error, also when it
  /// was given up.
  [[nodiscard]] bool advance_duplicate();
  /// Whether no duplicate of `comm` is under way that begin_duplicate() began. Until then there must be no collective
  /// on `comm`, which Open MPI 4.1 mixes up with it. By one thread at a time; calls of MPI while one is. Throws Error.
  [[nodiscard]] static bool advance_duplicates_of(MPI_Comm comm);
  /// Whether this process has begun any that are under way. Any thread.
  [[nodiscard]] static bool has_duplicates_under_way() noexcept {
    return under_way_.load(std::memory_order_relaxed) > 0;  // relaxed: who must know has begun it, or was told
  }
  /// Whether there is a communicator that was not given up. Any thread may ask.
  [[nodiscard]] bool made() const noexcept {
    return made_.load(std::memory_order_acquire);  // acquire: who sees it also sees comm_
  }
  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }
  /// What it is a duplicate of, for people (describe_comm); empty before it was begun.
  [[nodiscard]] std::string_view original() const noexcept { return original_.view(); }
  /// Leaves it to MPI_Finalize to free: a message on it was given up, which may still arrive, and must not meet the
  /// receives of a later communicator that got the same place in MPI. Enough if one rank does so. Any thread.
  void keep() const noexcept { kept_.store(true, std::memory_order_relaxed); }  // relaxed: read after the last release

  /// A wait for the other ranks was given up, here or in the call that makes it: from now on ranks do not know of each
  /// other which calls they have made, and nothing more may be begun on it. It is kept, and with it what MPI may still
  /// write. By one thread at a time, as advance_duplicate().
  void give_up() const noexcept;
  /// The same of the one that has this handle, if it is one of these.
  static void give_up(MPI_Comm comm) noexcept;
  /// Throws Error, MPI_ERR_OTHER, when it was given up. Any thread.
  void require_usable() const;
  /// Has `heir` take the communicator when nothing uses it any more, unless it is kept; one that returns false leaves
  /// it to be freed. `name`: to be known by. Before any other thread uses it.
  using Heir = bool (*)(const ReleasedComm&) noexcept;
  void leave_to(Heir heir, std::uint64_t name) noexcept {
    heir_ = heir;
    name_ = name;
  }
  /// What became of it that the heir should know: a number that is the same on all ranks if the same calls went well on
  /// all of them.
  void note_history(std::uint64_t history) const noexcept { history_ = history; }
  /// Takes one that was released, for `comm`, in place of duplicate(). Local.
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
  static inline std::atomic<int> under_way_ = 0;  ///< duplicates
  TextLine original_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm coming_ = MPI_COMM_NULL;  ///< MPI's to write until request_ is complete
  MPI_Comm from_ = MPI_COMM_NULL;    ///< what it will be a duplicate of, until then; under the list's lock
  MPI_Request request_ = MPI_REQUEST_NULL;
  mutable std::atomic<bool> made_ = false;
  mutable std::atomic<bool> kept_ = false;
  mutable std::atomic<bool> given_up_ = false;
  mutable std::shared_ptr<const PrivateComm> self_;  ///< once MPI may write it at any time
  PrivateComm* before_ = nullptr;                    ///< in the list of all of them
  PrivateComm* after_ = nullptr;
  Heir heir_ = nullptr;
  std::uint64_t name_ = 0;
  mutable std::uint64_t history_ = 0;
};

/// What is thrown where a communicator was given up.
[[noreturn]] void refuse_given_up_comm();

/// Highest tag that MPI allows.
[[nodiscard]] int highest_tag();

}  // namespace rondo::internal

#endif
