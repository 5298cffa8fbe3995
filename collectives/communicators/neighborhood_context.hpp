/// @file
/// NeighborhoodContext: a neighborhood on a Cartesian communicator, and what Rondo keeps for it; the first one as an
/// attribute of the communicator.
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_NEIGHBORHOOD_CONTEXT_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_NEIGHBORHOOD_CONTEXT_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/blocks/block_pattern.hpp"
#include "collectives/comm_state/attribute_key.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/graph_lists.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/neighbor_mask.hpp"
#include "collectives/topology/neighborhood_facts.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A Cartesian communicator, for all neighborhoods on it.
struct GridContext {
  /// `own`: a duplicate of the communicator that this will be the context of. Local.
  GridContext(std::shared_ptr<PrivateComm> own, Grid of, double ranks_per_core, bool one_node)
      : grid(std::move(of)),
        state(std::make_shared<CommState>(std::move(own), grid.rank(), grid.size(), ranks_per_core, one_node)) {}
  /// `with`: the state of a communicator whose ranks are those of the grid, and which other calls use, too. Local.
  GridContext(std::shared_ptr<CommState> with, Grid of) : grid(std::move(of)), state(std::move(with)) {}

  const Grid grid;
  const std::shared_ptr<CommState> state;
};

class NeighborhoodContext {
 public:
  NeighborhoodContext(std::shared_ptr<const GridContext> on, Neighborhood neighborhood, const Settings& settings)
      : on_(std::move(on)),
        neighborhood_(std::move(neighborhood)),
        facts_(on_->grid, neighborhood_),
        existing_(on_->grid, neighborhood_),
        calls_(on_->state, settings) {}

  /// The context of a communicator, or nullptr when it has none. Local.
  [[nodiscard]] static const std::shared_ptr<NeighborhoodContext>* find(MPI_Comm comm);
  /// The same; throws Error, MPI_ERR_COMM or MPI_ERR_TOPOLOGY, when it has none. Local.
  [[nodiscard]] static NeighborhoodContext& of(MPI_Comm comm) { return *shared(comm); }
  [[nodiscard]] static const std::shared_ptr<NeighborhoodContext>& shared(MPI_Comm comm);
  /// As of(), for what sends messages: the first time on a duplicate, waits for its private communicator, which all
  /// ranks have begun to make. Throws TimedOut as well.
  [[nodiscard]] static NeighborhoodContext& ready(MPI_Comm comm) {
    NeighborhoodContext& context = of(comm);
    if (!context.calls().on()->own()->made()) [[unlikely]]
      context.wait_for_comm();
    return context;
  }
  /// Makes `context` the context of `comm`: duplicating the communicator duplicates it, which waits for nobody, as
  /// MPI_Comm_idup must not; freeing lets go of it.
  static void attach(MPI_Comm comm, std::shared_ptr<NeighborhoodContext> context);
  static void detach(MPI_Comm comm) noexcept { key().detach(comm); }
  /// For a scope, on the calling thread: duplicates of communicators have no neighborhood, and making them waits for
  /// nobody, as a nonblocking call that needs a duplicate of its own must not.
  class NotCopied {
   public:
    NotCopied() noexcept { now_ = true; }
    NotCopied(const NotCopied&) = delete;
    NotCopied& operator=(const NotCopied&) = delete;
    ~NotCopied() { now_ = false; }
    [[nodiscard]] static bool now() noexcept { return now_; }

   private:
    static inline constinit thread_local bool now_ = false;
  };
  /// Makes the attribute's key, if this is the first use: what attach() may fail of beforehand.
  static void prepare() { static_cast<void>(key()); }

  [[nodiscard]] const std::shared_ptr<const GridContext>& on() const noexcept { return on_; }
  [[nodiscard]] const Grid& grid() const noexcept { return on_->grid; }
  [[nodiscard]] const Neighborhood& neighborhood() const noexcept { return neighborhood_; }
  [[nodiscard]] CallState& calls() noexcept { return calls_; }
  [[nodiscard]] const Settings& settings() const noexcept { return calls_.settings(); }
  /// To be used with calls() locked.
  [[nodiscard]] const NeighborhoodFacts& facts() const noexcept { return facts_; }
  [[nodiscard]] BlockPattern pattern();
  /// Which messages stay on a node, where ranks are on several, and know of it; otherwise null.
  [[nodiscard]] const NearOffsets* near();
  /// By what a call with these settings on the neighborhood chooses.
  [[nodiscard]] const CostModel& costs(const Settings& settings);

  /// Of the distributed graph that the neighborhood was found in. Throws Error, MPI_ERR_TOPOLOGY, when it was not.
  [[nodiscard]] const GraphOrder& graph_order() const;
  void keep_graph_order(GraphOrder order) noexcept { graph_order_ = std::move(order); }

 private:
  static int copy_attribute(MPI_Comm comm, int keyval, void* extra, void* from, void* to, int* flag);
  static const AttributeKey<std::shared_ptr<NeighborhoodContext>>& key();
  void wait_for_comm();

  /// The private communicator that this context's own one is a duplicate of, if it is: Open MPI 4.1 looks at the
  /// original until the duplicate is made.
  std::shared_ptr<const PrivateComm> duplicated_from_;
  std::shared_ptr<const GridContext> on_;
  Neighborhood neighborhood_;
  NeighborhoodFacts facts_;
  NeighborMask existing_;
  CallState calls_;
  std::optional<std::vector<BlockPair>> to_self_;  ///< once somebody asked
  std::optional<NearOffsets> near_;                ///< the same
  std::optional<bool> stays_;                      ///< the same: whether no message to a neighbor leaves its node
  std::optional<GraphOrder> graph_order_;
};

}  // namespace rondo::internal

#endif
