/// @file
/// CommContext: what Rondo keeps on a Cartesian communicator, as an attribute of it.
#ifndef RONDO_COLLECTIVES_COMM_CONTEXT_HPP
#define RONDO_COLLECTIVES_COMM_CONTEXT_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/cost_model.hpp"
#include "collectives/grid.hpp"
#include "collectives/schedule_cache.hpp"
#include "collectives/settings.hpp"
#include "collectives/tag_space.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace rondo {

class CommContext {
 public:
  /// `own`: a duplicate of the communicator that this will be the context of. Local.
  CommContext(std::shared_ptr<const PrivateComm> own, Grid grid, Neighborhood neighborhood, Settings settings,
              double ranks_per_core);

  /// The context of a communicator; throws Error, MPI_ERR_COMM or MPI_ERR_TOPOLOGY, when it has none. Local.
  [[nodiscard]] static CommContext& of(MPI_Comm comm);
  /// Makes `context` the context of `comm`: duplicating the communicator duplicates it, freeing frees it.
  static void attach(MPI_Comm comm, std::unique_ptr<CommContext> context);

  /// Makes the attribute's key, if this is the first use: what attach() may fail of beforehand.
  static void prepare() { static_cast<void>(keyval()); }

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] const Neighborhood& neighborhood() const noexcept { return neighborhood_; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const CostModel& costs() const noexcept { return costs_; }
  [[nodiscard]] TagSpace& tags() noexcept { return tags_; }
  [[nodiscard]] ScheduleCache& cache() noexcept { return cache_; }
  /// Whether `note` was not said on this communicator before.
  [[nodiscard]] bool says_first(const std::string& note) { return said_.insert(note).second; }
  /// Serializes calls on this communicator, where several threads may make them.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  static int copy_attribute(MPI_Comm comm, int keyval, void* extra, void* from, void* to, int* flag);
  static int delete_attribute(MPI_Comm comm, int keyval, void* context, void* extra);
  static int keyval();

  Grid grid_;
  Neighborhood neighborhood_;
  Settings settings_;
  double ranks_per_core_;
  CostModel costs_;
  TagSpace tags_;
  ScheduleCache cache_;
  std::set<std::string> said_;
  std::mutex mutex_;
};

}  // namespace rondo

#endif
