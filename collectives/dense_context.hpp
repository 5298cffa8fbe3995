/// @file
/// DenseContext: what Rondo keeps for the dense collectives of a communicator.
#ifndef RONDO_COLLECTIVES_DENSE_CONTEXT_HPP
#define RONDO_COLLECTIVES_DENSE_CONTEXT_HPP

#include <mpi.h>

#include "collectives/cost_model.hpp"
#include "collectives/measured_times.hpp"
#include "collectives/said_notes.hpp"
#include "collectives/schedule_cache.hpp"
#include "collectives/settings.hpp"
#include "collectives/tag_space.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace rondo {

/// Completes the settings of a communicator. Called where a bad value can still be told to all ranks; to be passed by
/// std::ref.
using DenseSteps = std::function<void(Settings&)>;

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
  /// alike when it throws on one of them.
  [[nodiscard]] static std::shared_ptr<DenseContext> ready(MPI_Comm comm);
  /// The context of a communicator that is ready for nonblocking calls, too, which need not wait for anything; nullptr
  /// for any other communicator. Local; the same on all ranks that have made the same calls.
  [[nodiscard]] static std::shared_ptr<DenseContext> find_ready(MPI_Comm comm);
  /// As ready(), with other settings, from the environment and `steps`. Collective.
  static void prepare(MPI_Comm comm, const DenseSteps& steps);
  /// One that is nobody's attribute: ready, of a duplicate of its own. Collective.
  [[nodiscard]] static std::shared_ptr<DenseContext> separate(MPI_Comm comm, const DenseSteps& steps);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// p
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const CostModel& costs() const noexcept { return costs_; }
  /// Of the machine, where it is highest, once the context is ready.
  [[nodiscard]] double ranks_per_core() const noexcept { return ranks_per_core_; }
  /// What plans took with as many ranks on this machine; may be empty.
  [[nodiscard]] const MeasuredTimes& times() const noexcept { return times_; }
  [[nodiscard]] TagSpace& tags() noexcept { return *tags_; }
  [[nodiscard]] ScheduleCache& cache() noexcept { return cache_; }
  /// Serializes calls, where several threads may make them.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }
  /// Whether `note` was not said of this communicator before. Any thread may ask, whatever it holds.
  [[nodiscard]] bool says_first(const std::string& note) { return said_.first(note); }
  /// Calls before this one, the same on all ranks: those that failed here do not count.
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  void count_call() noexcept { ++calls_; }

  /// A communicator that returns errors, for layout_of(), whether the duplicate is there or not. Local.
  [[nodiscard]] static MPI_Comm probe();

  /// Operations that find out about sizes while they are under way do so by collectives of MPI on the duplicate, which
  /// all ranks must begin in one order: that of the calls. A number, with the context locked; whether it is its turn,
  /// and that it has begun, by the progress token's holder; and a wait until all have, before any other collective on
  /// the duplicate, with the context locked.
  [[nodiscard]] std::uint64_t take_turn() noexcept { return turns_++; }
  /// Gives the last number back, which has not begun.
  void give_turn_back() noexcept { --turns_; }
  [[nodiscard]] bool is_turn_of(std::uint64_t number) const noexcept { return begun_turns_ == number; }
  void begin_next_turn() noexcept { ++begun_turns_; }
  void wait_for_turns();

  /// Before a nonblocking call, whatever is wrong with its arguments, so that ranks stay in step: begins to duplicate
  /// `comm`, whose context this is. Collective the first time, and nonblocking.
  void begin(MPI_Comm comm);
  /// Whether the duplicate is there. Any thread may ask.
  [[nodiscard]] bool has_comm() const noexcept { return own_->made(); }
  /// The same after a look whether it has come. By the progress token's holder.
  [[nodiscard]] bool look_for_comm() { return own_->advance_duplicate(); }

 private:
  static void make_ready(DenseContext* context, MPI_Comm comm, const DenseSteps& steps,
                         const std::exception_ptr& trouble);
  void wait_for_comm();
  struct OfProcess;
  static OfProcess& of_process();
  static int delete_attribute(MPI_Comm comm, int keyval, void* context, void* extra);

  int rank_ = 0;
  int size_ = 1;
  Settings settings_;
  double ranks_per_core_ = 1;
  CostModel costs_;
  MeasuredTimes times_;
  std::shared_ptr<PrivateComm> own_;
  bool begun_ = false;   ///< a duplicate is there or on its way
  bool agreed_ = false;  ///< the ranks know of each other's settings and cores
  std::optional<TagSpace> tags_;
  ScheduleCache cache_;
  SaidNotes said_;
  std::uint64_t calls_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t begun_turns_ = 0;
  std::mutex mutex_;
};

}  // namespace rondo

#endif
