/// @file
/// NearOffsets: which messages stay on a node, whoever sends them.
#ifndef RONDO_COLLECTIVES_SELECTION_NEAR_OFFSETS_HPP
#define RONDO_COLLECTIVES_SELECTION_NEAR_OFFSETS_HPP

#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace rondo::internal {

/// Offsets on a grid whose ranks are on several nodes. Near is an offset at which every rank that has a rank there
/// finds one of its own node: an operation takes as long as on the slowest rank, and all ranks tell alike. For one
/// thread at a time.
class NearOffsets {
 public:
  /// `nodes`: a number for each rank's node; 0 for one that shares memory with nobody. Keeps references.
  NearOffsets(const Grid& grid, std::span<const std::int64_t> nodes) : grid_(grid), nodes_(nodes) {}

  /// Of a message to the rank at this offset. O(p*d) for an offset that nobody asked for, or less where it is far.
  [[nodiscard]] Nearness nearness(std::span<const int> offset) const { return facts(offset).nearness; }
  /// Of the messages that all ranks send to the ranks at this offset, the most that leave one node, over the ranks of
  /// the fullest node: what its port has to do, where 1 is that each of these ranks sends one to elsewhere. O(p*d) for
  /// an offset that nobody asked for.
  [[nodiscard]] double leaving(std::span<const int> offset) const;

 private:
  struct Facts {
    Nearness nearness;
    double leaving;  ///< below 0: not known yet
  };
  [[nodiscard]] std::vector<int> residues_of(std::span<const int> offset) const;
  [[nodiscard]] Facts& facts(std::span<const int> offset) const;
  /// Calls visit(rank, other) for each rank with that of another one at an offset, until it returns false.
  template <typename Visit>
  void visit_pairs(std::span<const int> residues, Visit visit) const;
  [[nodiscard]] bool leaves(std::size_t rank, std::size_t other) const {
    return nodes_[rank] == 0 || nodes_[rank] != nodes_[other];
  }

  const Grid& grid_;
  std::span<const std::int64_t> nodes_;
  mutable NodeMembers members_;                      ///< once somebody asked
  mutable std::map<std::vector<int>, Facts> known_;  ///< by residues
};

/// Where nobody knows, all is far.
[[nodiscard]] inline Nearness nearness_of(const NearOffsets* near, std::span<const int> offset) {
  return near == nullptr ? Nearness::far : near->nearness(offset);
}

[[nodiscard]] inline double leaving(const NearOffsets* near, std::span<const int> offset) {
  return near == nullptr ? 1 : near->leaving(offset);
}

/// Adds a message to the ranks at an offset, from all ranks. Of bytes that leave a node for some of its ranks only, its
/// port has less to do than when messages between nodes were timed.
void add_message(Prediction& prediction, const CostModel& costs, const NearOffsets* near, std::span<const int> offset,
                 std::int64_t blocks, std::int64_t bytes, SentData data = SentData::cold);

/// How many others each rank at least finds on its node. `nodes`: as above.
[[nodiscard]] int fewest_near(std::span<const std::int64_t> nodes);

}  // namespace rondo::internal

#endif
