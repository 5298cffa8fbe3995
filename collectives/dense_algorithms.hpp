/// @file
/// The dense alltoall's algorithms, and how one is chosen.
#ifndef RONDO_COLLECTIVES_DENSE_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_DENSE_ALGORITHMS_HPP

#include "collectives/dense_problem.hpp"
#include "collectives/selection.hpp"

#include <string_view>

namespace rondo {

using DensePlan = Plan<DenseProblem>;
using DenseAlgorithm = Algorithm<DenseProblem>;

/// All of them. A row that does not apply to a problem offers no plans.
[[nodiscard]] const Registry<DenseProblem>& dense_registry();

/// Builds what the name says, or the cheapest plan of all for "auto"; see choose(). Local.
[[nodiscard]] Chosen choose_dense(const DenseProblem& problem, std::string_view name, Ordering ordering,
                                  MessageForm form = MessageForm::automatic);

// The lowerings and their predictions, one file each.

/// Every block goes straight to its rank: all exchanges at once, or `ports` of them at a time.
void build_dense_direct(const DenseProblem& problem, int ports, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_dense_direct(const DenseProblem& problem, int ports);

/// Regular problems: Bruck et al. in a radix of at least 2; of a phase, one digit, all exchanges at once, or `ports` of
/// them at a time.
void build_dense_bruck(const DenseProblem& problem, int radix, int ports, ScheduleBuilder& builder);
/// The same with blocks that wait in slots of the receive buffer and of an intermediate buffer as small as can be, and
/// without a copy but to self. docs/bruck-buffer.md.
void build_compact_bruck(const DenseProblem& problem, int radix, int ports, ScheduleBuilder& builder);
/// Where blocks in transit arrive.
enum class Landing : std::uint8_t {
  anywhere,  ///< where their message does: not taken out of it
  in_slots   ///< each in a place of its own
};
[[nodiscard]] Prediction predict_dense_bruck(const DenseProblem& problem, int radix, int ports,
                                             Landing landing = Landing::anywhere);

/// Regular problems: the alltoalls of the zero-copy Bruck paper in the paper's words, each with the constructor by
/// which it makes its datatypes; all messages are datatypes, whatever form was asked for. Basic Bruck takes
/// bounded_vector or indexed, Modified Bruck circular_vector or indexed_block, Zero-copy Bruck struct_of_elements or
/// struct_of_runs. Only the last has a time; in predictions `copied_blocks` are the copies, packs and unpacks of
/// theorems 1 and 2.
void build_basic_bruck(const DenseProblem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
void build_modified_bruck(const DenseProblem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
void build_zero_copy_bruck(const DenseProblem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_basic_bruck(const DenseProblem& problem);
[[nodiscard]] Prediction predict_modified_bruck(const DenseProblem& problem);
[[nodiscard]] Prediction predict_zero_copy_bruck(const DenseProblem& problem, TypeConstructor constructor);

}  // namespace rondo

#endif
