/// @file
/// DenseContext: what Rondo keeps for the dense collectives of a communicator.
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

/// Made by the first call on a communicator, which keeps it as an attribute (a duplicate of the communicator begins
/// anew). The first blocking or `_init` call, or Rondo_Comm_prepare, duplicates the communicator and lets the ranks
/// agree on how many share a core; a nonblocking call before that begins to duplicate it, without waiting, and knows
/// nothing of the others' cores.
class DenseContext {
 public:
  /// Of a valid intracommunicator, with the environment's settings. Local. Throws Error.
  explicit DenseContext(MPI_Comm comm);

  /// The context of a communicator, made if there is none. Local. Throws Error, MPI_ERR_COMM, unless it is an
  /// intracommunicator; MPI_ERR_INFO_VALUE for what the environment says.
  [[nodiscard]] static std::shared_ptr<DenseContext> of(MPI_Comm comm);
  /// The same, ready for blocking and `_init` calls. Collective the first time, local afterwards. Throws on all ranks
  /// alike when it throws on one of them. `function`: of the caller, for reports.
  [[nodiscard]] static std::shared_ptr<DenseContext> ready(MPI_Comm comm, const char* function) {
    const std::shared_ptr<DenseContext>* found = find(comm);
    return found != nullptr && (*found)->agreed_ ? *found : make_ready_now(comm, function);
  }
  /// The context of a communicator that is ready for nonblocking calls, too, which need not wait for anything; nullptr
  /// for any other communicator. Local; the same on all ranks that have made the same calls.
  [[nodiscard]] static std::shared_ptr<DenseContext> find_ready(MPI_Comm comm);
  /// As ready(), with other settings, from the environment and what is asked. Collective.
  static void prepare(MPI_Comm comm, const Asked& asked);
  /// One that is nobody's attribute: ready, of a duplicate of its own. Collective. `trouble`: why this rank cannot go
  /// on, which the others are to hear of.
  [[nodiscard]] static std::shared_ptr<DenseContext> separate(MPI_Comm comm, const Asked& asked,
                                                              std::exception_ptr trouble);

  [[nodiscard]] int rank() const noexcept { return calls_.on()->rank(); }
  /// p
  [[nodiscard]] int size() const noexcept { return calls_.on()->size(); }
  [[nodiscard]] CallState& calls() noexcept { return calls_; }
  [[nodiscard]] const CallState& calls() const noexcept { return calls_; }
  [[nodiscard]] const Settings& settings() const noexcept { return calls_.settings(); }
  /// What plans of a call with these settings took with as many ranks on this machine; may be empty. On several nodes
  /// nothing was measured but what went over MPI.
  [[nodiscard]] const MeasuredTimes& times(const Settings& settings) const noexcept {
    static const MeasuredTimes none;
    const Medium medium = calls_.medium(settings);
    return medium != Medium::mpi && calls_.on()->spans_nodes() ? none : times_[medium];
  }
  [[nodiscard]] BlockPattern pattern() const noexcept;
  /// Algorithms of the user's own, the same on all ranks; null where there are none.
  [[nodiscard]] const std::shared_ptr<const Offers>& offers() const noexcept { return offers_; }
  /// Takes others. With the context locked.
  void set_offers(std::shared_ptr<const Offers> offers) noexcept {
    offers_ = std::move(offers);
    calls_.forget();
  }

  /// Whether reductions whose results depend on the order of operands are not to be made here, as earlier ones on the
  /// communicator were MPI's: kept for the plug-in. Set before the first call, on all ranks.
  [[nodiscard]] bool leaves_inexact() const noexcept { return leaves_inexact_; }
  void leave_inexact() noexcept { leaves_inexact_ = true; }

  /// Operations that find out about sizes while they are under way do so by collectives of MPI on the duplicate, which
  /// all ranks must begin in one order: that of the calls. A number, with the context locked; whether it is its turn,
  /// and that it has begun, by the progress token's holder; and a wait until all have, before any other collective on
  /// the duplicate, with the context locked.
  [[nodiscard]] std::uint64_t take_number() noexcept { return numbers_++; }
  /// Gives the last number back, which has not begun.
  void give_number_back() noexcept { --numbers_; }
  [[nodiscard]] bool may_begin(std::uint64_t number) const noexcept { return begun_numbers_ == number; }
  void begin_next() noexcept { ++begun_numbers_; }
  void wait_for_numbers();

  /// Before any other collective on `comm` that may wait: waits for the duplicate that begin() began, if there is one.
  /// Open MPI 4.1 mixes the two up. Collective: it waits for ranks whose own nonblocking call failed before begin().
  static void wait_for_duplicate_of(MPI_Comm comm);

  /// Before a nonblocking call, whatever is wrong with its arguments, so that ranks stay in step: begins to duplicate
  /// `comm`, whose context this is. Collective the first time, and nonblocking.
  void begin(MPI_Comm comm);
  /// Whether the duplicate is there, after a look. By the progress token's holder.
  [[nodiscard]] bool look_for_comm() { return calls_.on()->own()->advance_duplicate(); }

 private:
  struct Attribute;
  /// That of a communicator which has one, or nullptr.
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
