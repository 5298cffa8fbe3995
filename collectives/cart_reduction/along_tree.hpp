/// @file
/// Functions that build and predict neighborhood reductions along a tree.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_ALONG_TREE_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_ALONG_TREE_HPP

#include "collectives/cart_reduction/hop.hpp"
#include "collectives/cart_reduction/problem.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// A walk along a problem's canonical tree: the hops that cross its stages, from boundary 0 to S. The same on all
/// ranks.
using Walk = std::vector<Hop>;

/// Returns the walk whose hops end at the boundaries `ends`, which are ascending and end with S.
[[nodiscard]] Walk walk_in_hops(const Canonical& canonical, const Grid& grid, std::span<const std::size_t> ends);

/// Builds a neighborhood reduction (EuroMPI 2015, section 4) by the allgather tree of ICPP 2019, section 3.2, run
/// backwards: hop by hop, the values that take the same step share a message, and each process combines what it
/// receives. All walks associate alike and give the same result to the last bit. `sharers`: number of ranks of a node
/// that share a message to another node through carriers, see visit_shipments_from(); 0: no carriers.
void build_along_tree(const Problem& problem, std::span<const Hop> walk, ScheduleBuilder& builder, int sharers = 0);

/// Adds to `prediction` what a hop of a reduction does and costs.
void predict_hop(const Problem& problem, const Hop& hop, Prediction& prediction);
/// Returns what a reduction in a single hop does and costs, without making the hop. O(terms of the tree).
[[nodiscard]] Prediction predict_single_hop(const Problem& problem);

}  // namespace rondo::internal::reduction

#endif
