/// @file
/// What halo exchanges are predicted to cost.
#ifndef RONDO_COLLECTIVES_HALO_COSTS_HPP
#define RONDO_COLLECTIVES_HALO_COSTS_HPP

#include "collectives/halo/expansion.hpp"
#include "collectives/halo/problem.hpp"
#include "collectives/selection/cost_model.hpp"

namespace rondo::internal::halo {

/// What the two ends of a round pay for data that do not lie in a row, in nanoseconds.
struct PieceCosts {
  double sending;
  double receiving;
};
[[nodiscard]] PieceCosts piece_costs(const Problem& problem, const Round& round);

/// What it costs a process that has all neighbors.
[[nodiscard]] Prediction predict(const Problem& problem, const Expansion& expansion);

}  // namespace rondo::internal::halo

#endif
