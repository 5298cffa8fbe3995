/// @file
/// CommContext: a neighborhood on a Cartesian communicator, and what Rondo keeps for it; the first one as an attribute
/// of the communicator.
#ifndef RONDO_COLLECTIVES_COMM_CONTEXT_HPP
#define RONDO_COLLECTIVES_COMM_CONTEXT_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/canonical_reduction.hpp"
#include "collectives/cost_model.hpp"
#include "collectives/existing_neighbors.hpp"
#include "collectives/graph_lists.hpp"
#include "collectives/grid.hpp"
#include "collectives/schedule_cache.hpp"
#include "collectives/settings.hpp"
#include "collectives/tag_space.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace rondo {

/// What all neighborhoods on one communicator share: tags, for one, are handed out in the order of the calls on any of
/// them.
class GridContext {
 public:
  /// `own`: a duplicate of the communicator that this will be the context of. Local.
  GridContext(std::shared_ptr<const PrivateComm> own, Grid grid, double ranks_per_core)
      : grid_(std::move(grid)), ranks_per_core_(ranks_per_core), costs_(ranks_per_core), tags_(std::move(own)) {}

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] double ranks_per_core() const noexcept { return ranks_per_core_; }
  [[nodiscard]] const CostModel& costs() const noexcept { return costs_; }
  [[nodiscard]] TagSpace& tags() noexcept { return tags_; }
  /// Serializes calls on this communicator, where several threads may make them.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  Grid grid_;
  double ranks_per_core_;
  CostModel costs_;
  TagSpace tags_;
  std::mutex mutex_;
};

class CommContext {
 public:
  CommContext(std::shared_ptr<GridContext> on, Neighborhood neighborhood, Settings settings)
      : on_(std::move(on)),
        neighborhood_(std::move(neighborhood)),
        existing_(on_->grid(), neighborhood_),
        settings_(std::move(settings)) {}

  /// The context of a communicator, or nullptr when it has none. Local.
  [[nodiscard]] static const std::shared_ptr<CommContext>* find(MPI_Comm comm);
  /// The same; throws Error, MPI_ERR_COMM or MPI_ERR_TOPOLOGY, when it has none. Local.
  [[nodiscard]] static CommContext& of(MPI_Comm comm) { return *shared(comm); }
  [[nodiscard]] static const std::shared_ptr<CommContext>& shared(MPI_Comm comm);
  /// Makes `context` the context of `comm`: duplicating the communicator duplicates it, freeing lets go of it.
  static void attach(MPI_Comm comm, std::shared_ptr<CommContext> context);
  static void detach(MPI_Comm comm) noexcept { MPI_Comm_delete_attr(comm, keyval()); }

  /// Makes the attribute's key, if this is the first use: what attach() may fail of beforehand.
  static void prepare() { static_cast<void>(keyval()); }

  [[nodiscard]] const std::shared_ptr<GridContext>& on() const noexcept { return on_; }
  [[nodiscard]] const Grid& grid() const noexcept { return on_->grid(); }
  [[nodiscard]] const Neighborhood& neighborhood() const noexcept { return neighborhood_; }
  /// Which of its neighbors the process has.
  [[nodiscard]] const ExistingNeighbors& existing() const noexcept { return existing_; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  /// Of the distributed graph that the neighborhood was found in. Throws Error, MPI_ERR_TOPOLOGY, when it was not.
  [[nodiscard]] const GraphOrder& graph_order() const;
  void keep_graph_order(GraphOrder order) noexcept { graph_order_ = std::move(order); }
  [[nodiscard]] const CostModel& costs() const noexcept { return on_->costs(); }
  [[nodiscard]] TagSpace& tags() noexcept { return on_->tags(); }
  [[nodiscard]] ScheduleCache& cache() noexcept { return cache_; }
  /// Made by the first reduction of its kind.
  [[nodiscard]] const std::shared_ptr<const CanonicalReduction>& canonical_reduction(ReductionKind kind);
  /// Whether `note` was not said of this neighborhood before.
  [[nodiscard]] bool says_first(const std::string& note) { return said_.insert(note).second; }
  [[nodiscard]] std::mutex& mutex() noexcept { return on_->mutex(); }

 private:
  static int copy_attribute(MPI_Comm comm, int keyval, void* extra, void* from, void* to, int* flag);
  static int delete_attribute(MPI_Comm comm, int keyval, void* context, void* extra);
  static int keyval();

  std::shared_ptr<GridContext> on_;
  Neighborhood neighborhood_;
  ExistingNeighbors existing_;
  Settings settings_;
  std::optional<GraphOrder> graph_order_;
  ScheduleCache cache_;
  std::array<std::shared_ptr<const CanonicalReduction>, 2> canonical_reductions_;  ///< by kind
  std::set<std::string> said_;
};

}  // namespace rondo

#endif
