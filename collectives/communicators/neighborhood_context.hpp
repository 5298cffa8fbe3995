/// @file
/// NeighborhoodContext: a neighborhood on a Cartesian communicator, and the state that Rondo keeps for it; the first
/// one is an attribute of the communicator.
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

/// The state of a Cartesian communicator, for all neighborhoods on it.
struct GridContext {
  /// `own`: a duplicate of the communicator whose context this will be. Local.
  GridContext(std::shared_ptr<PrivateComm> own, Grid of, double ranks_per_core, bool one_node, bool one_cache)
      : grid(std::move(of)),
        state(std::make_shared<CommState>(std::move(own), grid.rank(), grid.size(), ranks_per_core, one_node,
                                          one_cache)) {}
  /// `with`: the state of a communicator whose ranks are those of the grid; other calls use it, too. Local.
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

  /// Returns the context of a communicator, or nullptr if it has none. Local.
  [[nodiscard]] static const std::shared_ptr<NeighborhoodContext>* find(MPI_Comm comm);
  /// Returns the context of a communicator. Throws Error (MPI_ERR_COMM or MPI_ERR_TOPOLOGY) if it has none. Local.
  [[nodiscard]] static NeighborhoodContext& of(MPI_Comm comm) { return *shared(comm); }
  [[nodiscard]] static const std::shared_ptr<NeighborhoodContext>& shared(MPI_Comm comm);
  /// Returns the context as of() does, for calls that send messages: the first time on a duplicate, waits for its
  /// private communicator, which all ranks have begun to make. Throws TimedOut as well.
  [[nodiscard]] static NeighborhoodContext& ready(MPI_Comm comm) {
    NeighborhoodContext& context = of(comm);
    if (!context.calls().on()->own()->made()) [[unlikely]]
      context.wait_for_comm();
    return context;
  }
  /// Makes `context` the context of `comm`. Duplicating the communicator duplicates the context, without waiting for
  /// other ranks, as MPI_Comm_idup must not. Freeing the communicator releases the context.
  static void attach(MPI_Comm comm, std::shared_ptr<NeighborhoodContext> context);
  static void detach(MPI_Comm comm) noexcept { key().detach(comm); }
  /// A scope in which, on the calling thread, duplicates of communicators have no neighborhood and making them waits
  /// for no rank: for nonblocking calls that need their own duplicate.
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
  /// Makes the attribute's key if this is the first use, which attach() could otherwise fail to do.
  static void prepare() { static_cast<void>(key()); }

  [[nodiscard]] const std::shared_ptr<const GridContext>& on() const noexcept { return on_; }
  [[nodiscard]] const Grid& grid() const noexcept { return on_->grid; }
  [[nodiscard]] const Neighborhood& neighborhood() const noexcept { return neighborhood_; }
  [[nodiscard]] CallState& calls() noexcept { return calls_; }
  [[nodiscard]] const Settings& settings() const noexcept { return calls_.settings(); }
  /// Returns the facts. Use them with calls() locked.
  [[nodiscard]] const NeighborhoodFacts& facts() const noexcept { return facts_; }
  [[nodiscard]] BlockPattern pattern();
  /// Returns which messages stay on a node, or null unless ranks are on several nodes and know of it.
  [[nodiscard]] const NearOffsets* near();
  /// Returns the costs by which a call with these settings on the neighborhood chooses.
  [[nodiscard]] const CostModel& costs(const Settings& settings);

  /// Returns the order of the distributed graph in which the neighborhood was found. Throws Error (MPI_ERR_TOPOLOGY) if
  /// it was not found in a graph.
  [[nodiscard]] const GraphOrder& graph_order() const;
  void keep_graph_order(GraphOrder order) noexcept { graph_order_ = std::move(order); }

 private:
  static int copy_attribute(MPI_Comm comm, int keyval, void* extra, void* from, void* to, int* flag);
  static const AttributeKey<std::shared_ptr<NeighborhoodContext>>& key();
  void wait_for_comm();

  /// The original of this context's private communicator, if that is a duplicate: Open MPI 4.1 uses the original until
  /// the duplicate is made.
  std::shared_ptr<const PrivateComm> duplicated_from_;
  std::shared_ptr<const GridContext> on_;
  Neighborhood neighborhood_;
  NeighborhoodFacts facts_;
  NeighborMask existing_;
  CallState calls_;
  std::optional<std::vector<BlockPair>> to_self_;  ///< set by the first use
  std::optional<NearOffsets> near_;                ///< set by the first use
  std::optional<bool> stays_;                      ///< set by the first use: no message to a neighbor leaves its node
  std::optional<GraphOrder> graph_order_;
};

}  // namespace rondo::internal

#endif
