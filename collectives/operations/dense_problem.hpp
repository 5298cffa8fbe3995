/// @file
/// Functions that turn a dense call into the problem for which an algorithm is chosen.
#ifndef RONDO_COLLECTIVES_OPERATIONS_DENSE_PROBLEM_HPP
#define RONDO_COLLECTIVES_OPERATIONS_DENSE_PROBLEM_HPP

#include "collectives/agreement/dense_agreement.hpp"
#include "collectives/arguments/checked_call.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/dense_alltoall/problem.hpp"
#include "collectives/selection/cost_model.hpp"
#include "collectives/settings/settings.hpp"
#include "collectives/tuning/measured_times.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal {

/// Returns the seed for the random order of ranks in the next call.
[[nodiscard]] std::uint64_t seed_of(const DenseContext& context, const Settings& settings);

/// Returns the name of the algorithm that the settings ask for in a dense alltoall.
[[nodiscard]] inline std::string_view algorithm_of_alltoall(const Settings& settings) noexcept {
  return settings.algorithm_of(kind_of_dense(Collective::alltoall));
}

/// The facts about a communicator by which algorithms are chosen, the same on all ranks.
struct DenseKnowledge {
  const CostModel& costs;
  const MeasuredTimes& times;
  int fewest_near;
  const NodeMembers* nodes;
};
[[nodiscard]] inline DenseKnowledge knowledge_of(const DenseContext& context, const Settings& settings) {
  const CommState& state = *context.calls().on();
  return {context.calls().costs(settings), context.times(settings), state.fewest_near(), state.node_members()};
}

/// Returns the dense alltoall problem of a call's blocks. The result refers to `blocks` and to `known`.
[[nodiscard]] inline dense::Problem problem_of(const DenseContext& context, const CallShapes& blocks, bool in_place,
                                               const Settings& settings, const DenseSizes& sizes, std::uint64_t seed,
                                               const DenseKnowledge& known) {
  return {.rank = context.rank(),
          .size = context.size(),
          .send = blocks.send.blocks,
          .recv = blocks.recv.blocks,
          .uniform = sizes.known,
          .costs = known.costs,
          .largest = sizes.largest,
          .smallest = sizes.smallest,
          .in_place = in_place,
          .options = {settings.ports, settings.queue, settings.radix, settings.segment, seed, settings.regular_ratio},
          .measured = &known.times,
          .fewest_near = known.fewest_near,
          .nodes = known.nodes,
          .varies_ports = settings.learn != 0};
}

}  // namespace rondo::internal

#endif
