/// @file
/// CommState and CallState: the state that Rondo keeps for a communicator, and for one kind of calls on it.
#ifndef RONDO_COLLECTIVES_COMM_STATE_COMM_STATE_HPP
#define RONDO_COLLECTIVES_COMM_STATE_COMM_STATE_HPP

#include <mpi.h>

#include "collectives/comm_state/tag_space.hpp"
#include "collectives/earlier_calls/placed_calls.hpp"
#include "collectives/earlier_calls/recent_calls.hpp"
#include "collectives/earlier_calls/recent_words.hpp"
#include "collectives/earlier_calls/scaled_calls.hpp"
#include "collectives/earlier_calls/schedule_cache.hpp"
#include "collectives/learning/learning_problems.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/once_log.hpp"
#include "collectives/settings/settings.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/base/private_comm.hpp"
#include "runtime/lanes/lane_table.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

/// The nodes of a communicator's ranks, as the ranks have exchanged them.
struct NodesOfRanks {
  std::vector<std::int64_t> numbers;         ///< each rank's node; 0 if it shares memory with no other rank
  NodeMembers members = {};                  ///< grouped by `numbers`
  int fewest_near = 0;                       ///< the fewest other ranks that any rank has on its node
  std::optional<NetworkTimes> network = {};  ///< set if messages between nodes were timed; the same on all ranks
  bool tell = false;  ///< whether any two ranks with one number may share memory, so that costs follow from `numbers`
};

/// The state that all calls on one communicator share, such as tags, which are handed out in the order of the calls.
class CommState {
 public:
  /// Local. Throws std::bad_alloc and Error. `own`: need not be made yet. `one_node`: see on_one_node(). `one_cache`:
  /// see shares_cache().
  CommState(std::shared_ptr<PrivateComm> own, int rank, int size, double ranks_per_core, bool one_node = false,
            bool one_cache = true)
      : own_(std::move(own)),
        rank_(rank),
        size_(size),
        ranks_per_core_(ranks_per_core),
        on_one_node_(one_node),
        shares_cache_(one_cache),
        costs_{CostModel(ranks_per_core), CostModel::through_slots(ranks_per_core, one_cache),
               CostModel::through_lanes(ranks_per_core, one_cache)},
        tags_(own_) {}
  CommState(const CommState&) = delete;
  CommState& operator=(const CommState&) = delete;
  ~CommState() { own_->note_history(tags_.fingerprint()); }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Returns the ranks per core of the machine on which they are highest, as far as the ranks have exchanged them.
  [[nodiscard]] double ranks_per_core() const noexcept { return ranks_per_core_; }
  /// Returns the costs if messages between ranks of a node go through `medium`. `stay`: no message leaves its node.
  [[nodiscard]] const CostModel& costs(Medium medium, bool stay = false) const noexcept {
    return spans_nodes() && !stay ? (*across_nodes_)[medium] : costs_[medium];
  }
  /// Returns whether the ranks have agreed that all of them want shared memory, have a budget for it and can have it on
  /// one node. An operation finds out when it connects whether it gets the memory: the budget may be used up.
  [[nodiscard]] bool on_one_node() const noexcept { return on_one_node_; }
  /// Returns whether the ranks have agreed that any two of them on a node share a cache, see OneNode::shares_cache().
  [[nodiscard]] bool shares_cache() const noexcept { return shares_cache_; }
  /// Returns whether messages over MPI cost what a tuning file says.
  [[nodiscard]] bool has_measured_costs() const noexcept { return costs_.mpi.is_measured(); }
  /// Replaces ranks per core, on_one_node(), shares_cache() and costs by those on which ranks have agreed since.
  void set_costs(double ranks_per_core, bool one_node, bool one_cache, ByMedium<CostModel> costs) noexcept {
    ranks_per_core_ = ranks_per_core;
    on_one_node_ = one_node;
    shares_cache_ = one_cache;
    costs_ = std::move(costs);
  }
  [[nodiscard]] TagSpace& tags() noexcept { return tags_; }
  /// Returns the lanes for nonblocking operations, or null if there are none. Lanes are set while ranks wait for each
  /// other and no earlier operation can be started again.
  [[nodiscard]] const std::shared_ptr<const LaneTable>& lanes() const noexcept { return lanes_; }
  /// Sets the lanes. Called by all ranks, whether they have lanes or not.
  void set_lanes(std::shared_ptr<const LaneTable> lanes) noexcept {
    lanes_ = std::move(lanes);
    lanes_are_made_ = true;
  }
  void forget_lanes() noexcept {
    lanes_ = nullptr;
    lanes_are_made_ = false;
    set_nodes({});
  }
  /// Returns the node number of each rank, as the ranks have exchanged them; 0 for a rank that wanted no shared memory.
  /// Empty if there was no exchange.
  [[nodiscard]] std::span<const std::int64_t> nodes() const noexcept { return nodes_.numbers; }
  [[nodiscard]] int fewest_near() const noexcept { return nodes_.fewest_near; }
  /// Returns the ranks of each node, or null unless there are several nodes, one of them with several ranks.
  [[nodiscard]] const NodeMembers* node_members() const noexcept {
    return spans_nodes() && nodes_.members.have_carriers() ? &nodes_.members : nullptr;
  }
  /// Sets the nodes. Call after set_costs().
  void set_nodes(NodesOfRanks nodes) noexcept {
    nodes_ = std::move(nodes);
    across_nodes_.reset();
    if (on_one_node_ || !nodes_.tell) return;
    const CostModel far = nodes_.network ? costs_.mpi.over_network(*nodes_.network) : costs_.mpi;
    across_nodes_.emplace(ByMedium<CostModel>{far, far.with_near(costs_.slots), far.with_near(costs_.lanes)});
  }
  /// Returns whether ranks are on several nodes and all ranks know which rank is where.
  [[nodiscard]] bool spans_nodes() const noexcept { return across_nodes_.has_value(); }
  /// Returns whether persistent operations choose by slot costs, for all or for near messages. The same on all ranks.
  [[nodiscard]] bool counts_on_slots() const noexcept { return on_one_node_ || spans_nodes(); }
  /// Returns whether nonblocking operations choose by lane costs, for all or for near messages. The same on all ranks.
  [[nodiscard]] bool counts_on_lanes() const noexcept { return lanes_are_made_ && counts_on_slots(); }
  /// Returns the mutex that serializes calls if several threads make them.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

  /// Returns the private communicator, once it is made.
  [[nodiscard]] MPI_Comm comm() const noexcept { return own_->get(); }
  [[nodiscard]] const std::shared_ptr<PrivateComm>& own() const noexcept { return own_; }

 private:
  std::shared_ptr<PrivateComm> own_;
  int rank_;
  int size_;
  double ranks_per_core_;
  bool on_one_node_;
  bool shares_cache_;
  ByMedium<CostModel> costs_;
  std::optional<ByMedium<CostModel>> across_nodes_;
  TagSpace tags_;
  std::shared_ptr<const LaneTable> lanes_;
  bool lanes_are_made_ = false;
  NodesOfRanks nodes_;
  std::mutex mutex_;
};

/// The state that all calls on one neighborhood share, or all dense calls on a communicator, or all along its edges.
class CallState {
 public:
  /// Local. Call while MPI runs. Throws std::bad_alloc and Error.
  CallState(std::shared_ptr<CommState> on, const Settings& settings);
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;
  ~CallState();

  [[nodiscard]] const std::shared_ptr<CommState>& on() const noexcept { return on_; }
  [[nodiscard]] TagSpace& tags() const noexcept { return on_->tags(); }
  /// Returns the medium by whose costs a call with these settings chooses.
  [[nodiscard]] Medium medium(const Settings& settings) const noexcept {
    if (settings.through_slots) return Medium::slots;
    return on_->counts_on_lanes() && !settings.through_mpi ? Medium::lanes : Medium::mpi;
  }
  /// Returns the costs of the messages of a call with these settings. `stay`: no message leaves its node.
  [[nodiscard]] const CostModel& costs(const Settings& settings, bool stay = false) const noexcept {
    return on_->costs(medium(settings), stay);
  }
  [[nodiscard]] std::mutex& mutex() const noexcept { return on_->mutex(); }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] ScheduleCache& cache() noexcept { return cache_; }
  [[nodiscard]] RecentCalls& recent() noexcept { return recent_; }
  /// The operations for calls that differ from earlier ones in the sizes or places of their blocks.
  struct ChangingCalls {
    ScaledCalls scaled;
    PlacedCalls placed;
  };
  /// Returns such operations for calls with these settings, or nullptr if the settings are neither settings() nor
  /// other_settings().
  [[nodiscard]] ChangingCalls* changing(const Settings& settings) noexcept {
    if (&settings == &settings_) return &changing_;
    return other_settings_ && &settings == &*other_settings_ ? &changing_by_others_ : nullptr;
  }
  /// Returns settings for some calls that may do less than others, such as nonblocking ones of the plug-in. `make`
  /// makes them the first time; the reference holds until forget(). Throws what `make` throws.
  template <typename Make>
  [[nodiscard]] const Settings& other_settings(Make make) {
    const std::scoped_lock lock(mutex());
    if (!other_settings_) {
      other_settings_.emplace(make());
      changing_by_others_.placed.expect_no_recent_calls();
    }
    return *other_settings_;
  }
  /// Returns the list of the most recent halo exchanges, in which a call with equal arguments is found again.
  [[nodiscard]] RecentWords& recent_halos() noexcept { return recent_halos_; }
  [[nodiscard]] learning::LearningProblems& learning() noexcept { return learning_; }
  /// Replaces the settings; forgets what was learned and the schedules that were chosen by the old settings.
  void set_settings(Settings settings) noexcept {
    settings_ = std::move(settings);
    forget();
  }
  /// Forgets schedules that were chosen, and what was learned.
  void forget() noexcept {
    learning_ = {};
    cache_ = {};
    recent_ = {};
    changing_ = {};
    changing_by_others_ = {};
    other_settings_.reset();
    recent_halos_ = {};
  }
  /// Returns whether `note` was not said before. Thread-safe, whatever locks the caller holds.
  [[nodiscard]] bool says_first(const std::string& note) { return said_.first(note); }
  /// Returns the number of earlier calls, the same on all ranks: calls that failed on this rank do not count.
  [[nodiscard]] std::uint64_t made() const noexcept { return calls_; }
  void count_call() noexcept { ++calls_; }

 private:
  /// All CallStates of this process. MPI_Finalize makes them forget, as MPI frees no communicators of the application.
  struct All;

  std::shared_ptr<CommState> on_;
  Settings settings_;
  ScheduleCache cache_;
  RecentCalls recent_;
  ChangingCalls changing_;
  ChangingCalls changing_by_others_;
  std::optional<Settings> other_settings_;
  RecentWords recent_halos_;
  learning::LearningProblems learning_;
  OnceLog said_;
  std::uint64_t calls_ = 0;
  CallState* before_ = nullptr;  ///< in the list of all CallStates
  CallState* after_ = nullptr;
};

}  // namespace rondo::internal

#endif
