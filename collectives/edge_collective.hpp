/// @file
/// Neighborhood collectives along the edges of any topology of MPI's, in three forms.
#ifndef RONDO_COLLECTIVES_EDGE_COLLECTIVE_HPP
#define RONDO_COLLECTIVES_EDGE_COLLECTIVE_HPP

#include <mpi.h>

#include "collectives/cart_call.hpp"
#include "collectives/cost_model.hpp"
#include "collectives/edge_lists.hpp"
#include "collectives/schedule_cache.hpp"
#include "collectives/settings.hpp"
#include "collectives/tag_space.hpp"
#include "runtime/operation.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace rondo {

/// What Rondo keeps for the edges of a communicator.
class EdgeContext {
 public:
  /// Of an intracommunicator with a topology, by the environment's settings. Collective, blocking: a duplicate and two
  /// small allreduces. Throws Error on all ranks alike.
  explicit EdgeContext(MPI_Comm comm);

  [[nodiscard]] const EdgeLists& lists() const noexcept { return lists_; }
  /// Of the machine, where it is highest.
  [[nodiscard]] double ranks_per_core() const noexcept { return ranks_per_core_; }
  /// Whether some process has two edges that lead to one process.
  [[nodiscard]] bool has_parallel_edges() const noexcept { return parallel_edges_; }
  /// The most edges, in or out, that any rank has.
  [[nodiscard]] std::size_t most_edges() const noexcept { return most_edges_; }
  /// The most tags that an operation needs on any rank.
  [[nodiscard]] std::uint32_t most_tags() const noexcept { return most_tags_; }
  [[nodiscard]] const std::vector<char>& existing_targets() const noexcept { return existing_targets_; }
  [[nodiscard]] const std::vector<char>& existing_sources() const noexcept { return existing_sources_; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const CostModel& costs() const noexcept { return costs_; }
  [[nodiscard]] TagSpace& tags() noexcept { return *tags_; }
  [[nodiscard]] ScheduleCache& cache() noexcept { return cache_; }
  /// Serializes calls on this communicator, where several threads may make them.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  EdgeLists lists_;
  double ranks_per_core_ = 1;
  std::size_t most_edges_ = 0;
  bool parallel_edges_ = false;
  std::uint32_t most_tags_ = 0;
  std::vector<char> existing_targets_;  ///< a flag for each, as in ExistingBlocks
  std::vector<char> existing_sources_;
  Settings settings_;
  CostModel costs_;
  std::optional<TagSpace> tags_;
  ScheduleCache cache_;
  std::mutex mutex_;
};

struct EdgeCall {
  const char* name;  ///< of the function, for messages
  bool gathers;      ///< one block goes to all targets
  CallSide send;
  CallSide recv;
};

/// Nonblocking: a started operation, all messages of which are under way. Collective; waits for nobody.
[[nodiscard]] std::unique_ptr<Operation> start_edges(const EdgeCall& call, EdgeContext& context);
/// Persistent: an operation ready to be started, whose starts are as above. Collective; waits for the other ranks.
/// Throws on all ranks alike when it throws on one.
[[nodiscard]] std::unique_ptr<Operation> init_edges(const EdgeCall& call, EdgeContext& context);

}  // namespace rondo

#endif
