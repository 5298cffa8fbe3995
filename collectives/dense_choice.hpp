/// @file
/// From a dense call to its problem, and to what was chosen for it.
#ifndef RONDO_COLLECTIVES_DENSE_CHOICE_HPP
#define RONDO_COLLECTIVES_DENSE_CHOICE_HPP

#include "collectives/dense_agreement.hpp"
#include "collectives/dense_algorithms.hpp"
#include "collectives/dense_call.hpp"

#include <cstdint>
#include <memory>

namespace rondo {

/// The seed of the next call's random order.
[[nodiscard]] std::uint64_t seed_of(const DenseContext& context, const Settings& settings);

/// The problem of a call's blocks, to which it refers, as to the context.
[[nodiscard]] DenseProblem problem_of(const DenseContext& context, const DenseShapes& blocks, bool in_place,
                                      const Settings& settings, const DenseSizes& sizes, std::uint64_t seed);

/// Chooses, and says in the log what was chosen, and, once for a communicator, what could not be had. `name`: of the
/// function.
[[nodiscard]] std::shared_ptr<const Chosen> choose_and_log(const char* name, DenseContext& context,
                                                           const DenseProblem& problem, const Settings& settings);

}  // namespace rondo

#endif
