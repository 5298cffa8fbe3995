/// @file
/// NearOffsets: knows which offsets on a grid lead to ranks on the same node, whichever rank sends.
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

/// The nearness of offsets on a grid whose ranks are on several nodes. An offset is near if every rank that has a rank
/// there finds one on its own node, because an operation takes as long as on the slowest rank. The same on all ranks.
/// For one thread at a time.
class NearOffsets {
 public:
  /// Keeps references to both. `nodes`: a number for each rank's node, 0 for a rank that shares memory with no other.
  NearOffsets(const Grid& grid, std::span<const std::int64_t> nodes) : grid_(grid), nodes_(nodes) {}

  /// Returns the nearness of a message to the rank at this offset. O(p*d) for a new offset, or less if it is far.
  [[nodiscard]] Nearness nearness(std::span<const int> offset) const { return facts(offset).nearness; }
  /// Returns the load of a port by the messages that all ranks send to the ranks at this offset: the largest number of
  /// messages that leave one node, divided by the number of ranks on the fullest node. 1 means that each of these ranks
  /// sends one to another node. O(p*d) for a new offset.
  [[nodiscard]] double leaving(std::span<const int> offset) const;

 private:
  struct Facts {
    Nearness nearness;
    double leaving;  ///< negative: not known yet
  };
  [[nodiscard]] std::vector<int> residues_of(std::span<const int> offset) const;
  [[nodiscard]] Facts& facts(std::span<const int> offset) const;
  /// Calls visit(rank, other) for each rank that has another rank at an offset from it, until visit returns false.
  template <typename Visit>
  void visit_pairs(std::span<const int> residues, Visit visit) const;
  [[nodiscard]] bool leaves(std::size_t rank, std::size_t other) const {
    return nodes_[rank] == 0 || nodes_[rank] != nodes_[other];
  }

  const Grid& grid_;
  std::span<const std::int64_t> nodes_;
  mutable NodeMembers members_;                      ///< made when it is first needed
  mutable std::map<std::vector<int>, Facts> known_;  ///< by residues
};

/// Returns the nearness of an offset, or far if `near` is null.
[[nodiscard]] inline Nearness nearness_of(const NearOffsets* near, std::span<const int> offset) {
  return near == nullptr ? Nearness::far : near->nearness(offset);
}

[[nodiscard]] inline double leaving(const NearOffsets* near, std::span<const int> offset) {
  return near == nullptr ? 1 : near->leaving(offset);
}

/// Adds to a prediction the message that each rank sends to the rank at an offset. If bytes leave a node for some of
/// its ranks only, its port has less to do than when messages between nodes were timed.
void add_message(Prediction& prediction, const CostModel& costs, const NearOffsets* near, std::span<const int> offset,
                 std::int64_t blocks, std::int64_t bytes, SentData data = SentData::cold);

/// Returns the least number of other ranks that any rank finds on its node. `nodes`: see NearOffsets.
[[nodiscard]] int fewest_near(std::span<const std::int64_t> nodes);

}  // namespace rondo::internal

#endif
