/// @file
/// Functions that predict the costs of halo exchanges.
#ifndef RONDO_COLLECTIVES_HALO_COSTS_HPP
#define RONDO_COLLECTIVES_HALO_COSTS_HPP

#include "collectives/halo/expansion.hpp"
#include "collectives/halo/problem.hpp"
#include "collectives/selection/cost_model.hpp"

namespace rondo::internal::halo {

/// The result of piece_costs(): the costs at the two ends of a round for data that are not contiguous, in nanoseconds.
struct PieceCosts {
  double sending;
  double receiving;
};
[[nodiscard]] PieceCosts piece_costs(const Problem& problem, const Round& round);

/// Predicts the costs of an expansion for a process that has all neighbors.
[[nodiscard]] Prediction predict(const Problem& problem, const Expansion& expansion);

}  // namespace rondo::internal::halo

#endif
