/// @file
/// Reductions over a tree.
#ifndef RONDO_COLLECTIVES_CART_REDUCTION_ALONG_TREE_HPP
#define RONDO_COLLECTIVES_CART_REDUCTION_ALONG_TREE_HPP

#include "collectives/cart_reduction/hop.hpp"
#include "collectives/cart_reduction/problem.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::internal::reduction {

/// A way to walk the canonical tree of a problem: its stages in hops, from boundary 0 to S. The same on all ranks.
using Walk = std::vector<Hop>;

/// `ends`: the boundaries at which the hops end, ascending, the last one S.
[[nodiscard]] Walk walk_in_hops(const Canonical& canonical, const Grid& grid, std::span<const std::size_t> ends);

/// Neighborhood reductions (EuroMPI 2015, section 4) by the allgather tree of ICPP 2019, section 3.2, run backwards:
/// hop by hop, the values that take the same step share a message, and each process combines what it receives. All
/// walks associate alike and give the same result to the last bit. `sharers`: what goes from node to node takes
/// carriers, see visit_shipments_from(); 0: it does not.
void build_along_tree(const Problem& problem, std::span<const Hop> walk, ScheduleBuilder& builder, int sharers = 0);

/// Adds what a hop does and costs.
void predict_hop(const Problem& problem, const Hop& hop, Prediction& prediction);
/// The same for a walk of a single hop, without making it. O(terms of the tree).
[[nodiscard]] Prediction predict_single_hop(const Problem& problem);

}  // namespace rondo::internal::reduction

#endif
