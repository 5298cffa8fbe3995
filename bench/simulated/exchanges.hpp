/// @file
/// Collectives on a simulated machine: the problems of all ranks, and what must arrive.
#ifndef RONDO_BENCH_SIMULATED_EXCHANGES_HPP
#define RONDO_BENCH_SIMULATED_EXCHANGES_HPP

#include <rondo/neighborhood.hpp>

#include "block_row.hpp"
#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/grid.hpp"
#include "collectives/topology/neighborhood_facts.hpp"
#include "collectives/topology/node_members.hpp"
#include "runtime/machine/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::simulated {

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

/// A neighborhood on a torus of processes, and what all know of it.
struct Torus {
  Torus(const machine::Machine& machine, std::span<const int> sizes, rondo::Neighborhood neighbors);
  Torus(const Torus&) = delete;
  Torus& operator=(const Torus&) = delete;
  ~Torus() = default;
  /// Whose block i comes to a rank.
  [[nodiscard]] int source(int rank, int i) const { return grid.seen_from(rank).relative_rank(neighborhood[i], -1); }

  Grid grid;
  rondo::Neighborhood neighborhood;
  NeighborhoodFacts facts;
  KnownNodes nodes;
  NearOffsets near;
};

/// An alltoall on a torus of processes.
class CartExchange {
 public:
  using Problem = alltoall::Problem;

  /// `bytes`: of block i, the same on all ranks. `ports`: exchanges that the direct algorithm has in flight; 0: all.
  CartExchange(const machine::Machine& machine, std::span<const int> sizes, const rondo::Neighborhood& neighborhood,
               std::string name, std::vector<std::int64_t> bytes, int ports = 0);
  CartExchange(const machine::Machine& machine, std::span<const int> sizes, const rondo::Neighborhood& neighborhood,
               std::string name, std::int64_t bytes, int ports = 0);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] static const Registry<Problem>& registry() { return alltoall::registry(); }
  [[nodiscard]] const BlockRow& sent() const { return blocks_; }
  [[nodiscard]] const BlockRow& received() const { return blocks_; }
  /// What block i of a rank's receive buffer must be in the end.
  [[nodiscard]] BlockName arriving(int rank, int i) const { return {torus_.source(rank, i), i}; }
  /// Calls visit(problem) with that of a rank.
  template <typename Visit>
  auto with_problem(int rank, Visit visit) const {
    const Grid grid = torus_.grid.seen_from(rank);
    return visit(Problem{.grid = grid,
                         .facts = torus_.facts,
                         .send = blocks_.shapes(),
                         .recv = blocks_.shapes(),
                         .uniform = true,
                         .costs = torus_.nodes.costs,
                         .sizes = sizes_,
                         .ports = ports_,
                         .near = &torus_.near,
                         .nodes = torus_.nodes.members_if_any()});
  }

 private:
  std::string name_;
  Torus torus_;
  std::vector<std::int64_t> sizes_;
  BlockRow blocks_;
  int ports_;
};

/// An allgather there: one block of each rank for all its neighbors.
class AllgatherExchange {
 public:
  using Problem = allgather::Problem;

  AllgatherExchange(const machine::Machine& machine, std::span<const int> sizes,
                    const rondo::Neighborhood& neighborhood, std::string name, std::int64_t bytes, int ports = 0);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] static const Registry<Problem>& registry() { return allgather::registry(); }
  [[nodiscard]] const BlockRow& sent() const { return sent_; }
  [[nodiscard]] const BlockRow& received() const { return received_; }
  [[nodiscard]] BlockName arriving(int rank, int i) const { return {torus_.source(rank, i), 0}; }
  template <typename Visit>
  auto with_problem(int rank, Visit visit) const {
    const Grid grid = torus_.grid.seen_from(rank);
    return visit(Problem{.grid = grid,
                         .facts = torus_.facts,
                         .send = sent_.shapes().front(),
                         .recv = received_.shapes(),
                         .sizes = {&bytes_, 1},
                         .costs = torus_.nodes.costs,
                         .ports = ports_,
                         .near = &torus_.near,
                         .nodes = torus_.nodes.members_if_any()});
  }

 private:
  std::string name_;
  Torus torus_;
  std::int64_t bytes_;  ///< of each block
  BlockRow sent_;
  BlockRow received_;
  int ports_;
};

/// An alltoall of all ranks.
class DenseExchange {
 public:
  using Problem = dense::Problem;

  DenseExchange(const machine::Machine& machine, std::int64_t bytes, const dense::Options& options = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] static const Registry<Problem>& registry() { return dense::registry(); }
  [[nodiscard]] const BlockRow& sent() const { return blocks_; }
  [[nodiscard]] const BlockRow& received() const { return blocks_; }
  [[nodiscard]] static BlockName arriving(int rank, int i) { return {i, rank}; }
  template <typename Visit>
  auto with_problem(int rank, Visit visit) const {
    return visit(Problem{.rank = rank,
                         .size = size_,
                         .send = blocks_.shapes(),
                         .recv = blocks_.shapes(),
                         .uniform = true,
                         .costs = nodes_.costs,
                         .largest = bytes_,
                         .smallest = bytes_,
                         .options = options_,
                         .fewest_near = nodes_.fewest_near,
                         .nodes = nodes_.members_if_any()});
  }

 private:
  std::string name_ = "dense alltoall";
  int size_;
  std::int64_t bytes_;  ///< of each block
  BlockRow blocks_;
  KnownNodes nodes_;
  dense::Options options_;
};

}  // namespace rondo::internal::simulated

#endif
