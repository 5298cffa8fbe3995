/// @file
/// The Cartesian alltoall algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_ALLTOALL_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_ALLTOALL_ALGORITHMS_HPP

#include "collectives/alltoall_problem.hpp"
#include "collectives/selection.hpp"

#include <string_view>

namespace rondo {

/// Which blocks for one process share a message.
enum class Coalescing : std::uint8_t {
  always,        ///< all of them
  where_it_pays  ///< as the cost model says: a message that grows past the eager limit costs more than it saves
};

void build_direct_alltoall(const AlltoallProblem& problem, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct_alltoall(const AlltoallProblem& problem);
void build_coalesced_alltoall(const AlltoallProblem& problem, ScheduleBuilder& builder, Coalescing coalescing);
[[nodiscard]] Prediction predict_coalesced_alltoall(const AlltoallProblem& problem, Coalescing coalescing);
// Along paths, through other processes: routed_alltoall.hpp.

using AlltoallAlgorithm = Algorithm<AlltoallProblem>;
using AlltoallPlan = Plan<AlltoallProblem>;

[[nodiscard]] const Registry<AlltoallProblem>& alltoall_registry();

/// choose() among the alltoall algorithms.
[[nodiscard]] Chosen choose_alltoall(const AlltoallProblem& problem, std::string_view algorithm, Ordering ordering,
                                     MessageForm form = MessageForm::automatic);

}  // namespace rondo

#endif
