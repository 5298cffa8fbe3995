/// @file
/// DenseContext: the state that Rondo keeps for the dense collectives of a communicator.
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_DENSE_CONTEXT_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_DENSE_CONTEXT_HPP

#include <mpi.h>

#include "collectives/blocks/block_pattern.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/settings/settings.hpp"
#include "collectives/tuning/measured_times.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace rondo::internal {

struct Offers;

/// The state for dense collectives. The first call on a communicator makes it, and the communicator keeps it as an
/// attribute; a duplicate of the communicator begins anew. The first blocking or `_init` call, or Rondo_Comm_prepare,
/// duplicates the communicator and lets the ranks agree on how many share a core. A nonblocking call before that begins
/// to duplicate it, without waiting, and knows nothing of the other ranks' cores.
class DenseContext {
 public:
  /// Makes the context of a valid intracommunicator, with the environment's settings. Local. Throws Error.
  explicit DenseContext(MPI_Comm comm);

  /// Returns the context of a communicator, made if there is none. Local. Throws Error: MPI_ERR_COMM unless it is an
  /// intracommunicator, MPI_ERR_INFO_VALUE if the environment has a bad value.
  [[nodiscard]] static std::shared_ptr<DenseContext> of(MPI_Comm comm);
  /// Returns the context of a communicator, ready for blocking and `_init` calls. Collective the first time, local
  /// afterwards. Throws on all ranks alike if it throws on one of them. `function`: name of the caller, for reports.
  [[nodiscard]] static std::shared_ptr<DenseContext> ready(MPI_Comm comm, const char* function) {
    const std::shared_ptr<DenseContext>* found = find(comm);
    return found != nullptr && (*found)->agreed_ ? *found : make_ready_now(comm, function);
  }
  /// Returns the context of a communicator that is ready, also for nonblocking calls, which then need not wait; nullptr
  /// for any other communicator. Local; the same on all ranks that have made the same calls.
  [[nodiscard]] static std::shared_ptr<DenseContext> find_ready(MPI_Comm comm);
  /// Makes the context ready, with settings from the environment and `asked`. Collective. Otherwise as ready().
  static void prepare(MPI_Comm comm, const Asked& asked);
  /// Returns a ready context with its own duplicate that is not attached to any communicator. Collective. `trouble`:
  /// why this rank cannot go on, of which the others are informed.
  [[nodiscard]] static std::shared_ptr<DenseContext> separate(MPI_Comm comm, const Asked& asked,
                                                              std::exception_ptr trouble);

  [[nodiscard]] int rank() const noexcept { return calls_.on()->rank(); }
  /// Returns p, the number of ranks.
  [[nodiscard]] int size() const noexcept { return calls_.on()->size(); }
  [[nodiscard]] CallState& calls() noexcept { return calls_; }
  [[nodiscard]] const CallState& calls() const noexcept { return calls_; }
  [[nodiscard]] const Settings& settings() const noexcept { return calls_.settings(); }
  /// Returns the times that the tuning file has for plans of a call with these settings and as many ranks; may be
  /// empty. On several nodes, only times over MPI count.
  [[nodiscard]] const MeasuredTimes& times(const Settings& settings) const noexcept {
    static const MeasuredTimes none;
    const Medium medium = calls_.medium(settings);
    return medium != Medium::mpi && calls_.on()->spans_nodes() ? none : times_[medium];
  }
  [[nodiscard]] BlockPattern pattern() const noexcept;
  /// Returns the user's own algorithms, the same on all ranks, or null if there are none.
  [[nodiscard]] const std::shared_ptr<const Offers>& offers() const noexcept { return offers_; }
  /// Replaces the user's own algorithms. Call with the context locked.
  void set_offers(std::shared_ptr<const Offers> offers) noexcept {
    offers_ = std::move(offers);
    calls_.forget();
  }

  /// Returns whether reductions whose results depend on the order of operands are not made here, because earlier ones
  /// on the communicator were MPI's: kept for the plug-in. Call leave_inexact() before the first call, on all ranks.
  [[nodiscard]] bool leaves_inexact() const noexcept { return leaves_inexact_; }
  void leave_inexact() noexcept { leaves_inexact_ = true; }

  /// Returns the number of an operation that finds out sizes while it is under way. Such operations use MPI collectives
  /// on the duplicate, which all ranks must begin in the order of the calls. Call take_number() with the context
  /// locked; may_begin() and begin_next() with the progress token held; wait_for_numbers(), which waits until all have
  /// begun, with the context locked, before any other collective on the duplicate.
  [[nodiscard]] std::uint64_t take_number() noexcept { return numbers_++; }
  /// Gives back the last number, whose operation has not begun.
  void give_number_back() noexcept { --numbers_; }
  [[nodiscard]] bool may_begin(std::uint64_t number) const noexcept { return begun_numbers_ == number; }
  void begin_next() noexcept { ++begun_numbers_; }
  void wait_for_numbers();

  /// Waits for the duplicate that begin() began, if there is one. Call before any other collective on `comm` that may
  /// wait, because Open MPI 4.1 mixes the two up. Collective: it waits for ranks whose own nonblocking call failed
  /// before begin().
  static void wait_for_duplicate_of(MPI_Comm comm);

  /// Begins to duplicate `comm`, whose context this is. Call before a nonblocking call, whatever is wrong with its
  /// arguments, so that ranks stay in step. Collective the first time, and nonblocking.
  void begin(MPI_Comm comm);
  /// Advances the duplicate and returns whether it is there. Call with the progress token held.
  [[nodiscard]] bool look_for_comm() { return calls_.on()->own()->advance_duplicate(); }

 private:
  struct Attribute;
  /// Returns the context of a communicator that has one, or nullptr.
  [[nodiscard]] static const std::shared_ptr<DenseContext>* find(MPI_Comm comm);
  [[nodiscard]] static std::shared_ptr<DenseContext> make_ready_now(MPI_Comm comm, const char* function);
  static void make_ready(DenseContext* context, MPI_Comm comm, const Settings* base, const Asked& asked,
                         const std::exception_ptr& trouble);
  void wait_for_comm(Patience patience);

  CallState calls_;
  ByMedium<MeasuredTimes> times_;
  std::shared_ptr<const Offers> offers_;
  BlockPair to_self_{};  ///< a rank's block for itself
  bool begun_ = false;   ///< a duplicate is there or on its way
  bool leaves_inexact_ = false;
  bool agreed_ = false;  ///< the ranks know of each other's settings and cores
  std::uint64_t numbers_ = 0;
  std::uint64_t begun_numbers_ = 0;
};

}  // namespace rondo::internal

#endif
