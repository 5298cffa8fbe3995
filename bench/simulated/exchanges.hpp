/// @file
/// Alltoalls on a simulated machine: the problems of all ranks, and what must arrive.
#ifndef RONDO_BENCH_SIMULATED_EXCHANGES_HPP
#define RONDO_BENCH_SIMULATED_EXCHANGES_HPP

#include <rondo/neighborhood.hpp>

#include "bench/machine/machine.hpp"
#include "collectives/blocks/block_shape.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/neighborhood_facts.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::simulated {

/// Blocks of one size, one after the other.
class EqualBlocks {
 public:
  EqualBlocks(int count, std::int64_t bytes) : layout_(Layout::contiguous(bytes)) {
    for (int i = 0; i < count; ++i) shapes_.push_back({i * bytes, &layout_});
  }
  EqualBlocks(const EqualBlocks&) = delete;
  EqualBlocks& operator=(const EqualBlocks&) = delete;
  [[nodiscard]] std::span<const BlockShape> shapes() const { return shapes_; }
  [[nodiscard]] std::int64_t block_bytes() const { return layout_.size(); }
  [[nodiscard]] std::size_t bytes() const { return shapes_.size() * static_cast<std::size_t>(layout_.size()); }

 private:
  Layout layout_;
  std::vector<BlockShape> shapes_;
};

/// What a communicator on the machine would know of its nodes.
struct KnownNodes {
  explicit KnownNodes(const machine::Machine& machine);
  /// For problems: null where each rank has a node of its own, or all have one.
  [[nodiscard]] const NodeMembers* members_if_any() const { return members.have_carriers() ? &members : nullptr; }

  std::vector<std::int64_t> numbers;  ///< one for each rank
  NodeMembers members;
  int fewest_near;  ///< others that each rank at least finds on its node
  CostModel costs;  ///< with what messages between nodes took when they were timed
};

/// A block by its sender and the number that it has there.
using BlockName = std::pair<int, int>;

/// On a torus of processes.
class CartExchange {
 public:
  using Problem = alltoall::Problem;

  CartExchange(const machine::Machine& machine, std::vector<int> sizes, rondo::Neighborhood neighborhood,
               std::string name, std::int64_t bytes);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] static const Registry<Problem>& registry() { return alltoall::registry(); }
  [[nodiscard]] const EqualBlocks& blocks() const { return blocks_; }
  /// What block i of a rank's receive buffer must be in the end.
  [[nodiscard]] BlockName arriving(int rank, int i) const {
    return {grid_.seen_from(rank).relative_rank(neighborhood_[i], -1), i};
  }
  /// Calls visit(problem) with that of a rank.
  template <typename Visit>
  auto with_problem(int rank, Visit visit) const {
    const Grid grid = grid_.seen_from(rank);
    return visit(Problem{.grid = grid,
                         .facts = facts_,
                         .send = blocks_.shapes(),
                         .recv = blocks_.shapes(),
                         .uniform = true,
                         .costs = nodes_.costs,
                         .sizes = sizes_,
                         .near = &near_,
                         .nodes = nodes_.members_if_any()});
  }

 private:
  std::string name_;
  Grid grid_;
  rondo::Neighborhood neighborhood_;
  NeighborhoodFacts facts_;
  EqualBlocks blocks_;
  std::vector<std::int64_t> sizes_;
  KnownNodes nodes_;
  NearOffsets near_;
};

/// Of all ranks.
class DenseExchange {
 public:
  using Problem = dense::Problem;

  DenseExchange(const machine::Machine& machine, std::int64_t bytes, const dense::Options& options = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] static const Registry<Problem>& registry() { return dense::registry(); }
  [[nodiscard]] const EqualBlocks& blocks() const { return blocks_; }
  [[nodiscard]] static BlockName arriving(int rank, int i) { return {i, rank}; }
  template <typename Visit>
  auto with_problem(int rank, Visit visit) const {
    return visit(Problem{.rank = rank,
                         .size = size_,
                         .send = blocks_.shapes(),
                         .recv = blocks_.shapes(),
                         .uniform = true,
                         .costs = nodes_.costs,
                         .largest = blocks_.block_bytes(),
                         .smallest = blocks_.block_bytes(),
                         .options = options_,
                         .fewest_near = nodes_.fewest_near,
                         .nodes = nodes_.members_if_any()});
  }

 private:
  std::string name_ = "dense alltoall";
  int size_;
  EqualBlocks blocks_;
  KnownNodes nodes_;
  dense::Options options_;
};

}  // namespace rondo::internal::simulated

#endif
