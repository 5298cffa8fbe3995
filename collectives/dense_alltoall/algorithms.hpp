/// @file
/// The algorithms of the dense alltoall, and the functions that choose among them.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_ALGORITHMS_HPP

#include "collectives/dense_alltoall/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal::dense {

using Plan = Plan<Problem>;

/// Returns node-aware plans, which differ in how many ranks of a node share a message to another node, or none if no
/// node has several ranks, if blocks differ in size, or if messages between nodes would be too long.
[[nodiscard]] std::vector<Plan> node_aware(const Problem& problem);
using Algorithm = Algorithm<Problem>;

/// Returns the registry of all dense alltoall algorithms. A row that does not apply to a problem offers no plans.
[[nodiscard]] const Registry<Problem>& registry();

/// Returns whether the algorithm `name` exists and is available only if the ranks have agreed on sizes.
[[nodiscard]] bool needs_agreed_sizes(std::string_view name);

/// Builds the algorithm or plan `name`, or the cheapest plan of all for "auto"; see choose(). Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// Returns the maximum number of tags that any schedule for `size` ranks and blocks of at most `largest` bytes needs,
/// whatever the options.
[[nodiscard]] std::uint32_t most_tags(int size, std::int64_t largest);

// The lowerings and their predictions, one file each.

/// Builds the direct schedule: every block goes straight to its rank, all exchanges at once or `ports` at a time.
void build_direct(const Problem& problem, int ports, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct(const Problem& problem, int ports);

// The algorithms of Bruck et al. The problem must be regular. If a function says that it takes irregular problems, the
// sizes of passing blocks must be known in the radix; it throws Error (MPI_ERR_TRUNCATE) if a receive block has another
// size than is sent to it. Predictions take all blocks to be as long as the largest.

/// Returns the radix, at least 2, in which the ranks have to exchange sizes (RoundSizeExchange) before choose(), or 0
/// if they need not. They have to if choose() is going to choose a Bruck algorithm for an irregular problem once
/// Problem::passing is set, or if a Bruck algorithm is predicted to take at most `within` times as long as the best, so
/// that it is worth a try. The same on all ranks. Local.
[[nodiscard]] int radix_to_exchange(const Problem& problem, std::string_view name, double within = 0);

/// Builds the alltoall of Bruck et al. in a radix of at least 2. A phase is one digit; its exchanges are all in flight
/// at once, or `ports` of them at a time. Takes irregular problems.
void build_bruck(const Problem& problem, int radix, int ports, ScheduleBuilder& builder);
/// Builds the irregular alltoall of the zero-copy Bruck paper, section 3.5: radix 2, with two intermediate buffers of p
/// - 1 of the largest blocks each. Takes irregular problems, and regular ones for comparison.
void build_irregular_bruck(const Problem& problem, ScheduleBuilder& builder);
/// Builds zero-copy Bruck in any radix, for regular problems: blocks in transit wait in slots of the receive buffer and
/// of an intermediate buffer as small as can be. See docs/bruck-buffer.md.
void build_compact_bruck(const Problem& problem, int radix, int ports, ScheduleBuilder& builder);
/// The places at which blocks in transit arrive.
enum class Landing : std::uint8_t {
  anywhere,  ///< where their message arrives, without a copy out of it
  in_slots   ///< each in a separate place
};
[[nodiscard]] Prediction predict_bruck(const Problem& problem, int radix, int ports,
                                       Landing landing = Landing::anywhere);

/// Builds, for regular problems, an alltoall of the zero-copy Bruck paper as the paper describes it. `constructor`
/// makes its datatypes: bounded_vector or indexed for Basic Bruck, circular_vector or indexed_block for Modified Bruck,
/// struct_of_elements or struct_of_runs for Zero-copy Bruck. All messages are datatypes, whatever form was asked for.
/// Only Zero-copy Bruck with struct_of_runs has a predicted time, the others' is infinite; `copied_blocks` in
/// predictions are the copies, packs and unpacks of theorems 1 and 2.
void build_basic_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
void build_modified_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
void build_zero_copy_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_basic_bruck(const Problem& problem);
[[nodiscard]] Prediction predict_modified_bruck(const Problem& problem);
[[nodiscard]] Prediction predict_zero_copy_bruck(const Problem& problem, TypeConstructor constructor);

}  // namespace rondo::internal::dense

#endif
