/// @file
/// The dense alltoall's algorithms, and how one is chosen.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_ALGORITHMS_HPP

#include "collectives/dense_alltoall/problem.hpp"
#include "collectives/selection/selection.hpp"

#include <cstdint>
#include <string_view>

namespace rondo::internal::dense {

using Plan = Plan<Problem>;

/// Plans that differ in how many ranks of a node share a message to another one; none where there are no nodes of
/// several ranks, blocks differ in size, or messages between nodes would be too long.
[[nodiscard]] std::vector<Plan> node_aware(const Problem& problem);
using Algorithm = Algorithm<Problem>;

/// All of them. A row that does not apply to a problem offers no plans.
[[nodiscard]] const Registry<Problem>& registry();

/// Whether an algorithm of that name, which may not exist, is available only where the ranks have agreed on sizes.
[[nodiscard]] bool needs_agreed_sizes(std::string_view name);

/// Builds what the name says, or the cheapest plan of all for "auto"; see choose(). Local.
[[nodiscard]] Chosen choose(const Problem& problem, std::string_view name, Ordering ordering,
                            MessageForm form = MessageForm::automatic);

/// As many tags as any schedule for `size` ranks and blocks of at most `largest` bytes may need, whatever the options.
[[nodiscard]] std::uint32_t most_tags(int size, std::int64_t largest);

// The lowerings and their predictions, one file each.

/// Every block goes straight to its rank: all exchanges at once, or `ports` of them at a time.
void build_direct(const Problem& problem, int ports, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_direct(const Problem& problem, int ports);

// Bruck et al. The problem must be regular, or, where that is said, the sizes of what passes through must be known in
// the radix: Error, MPI_ERR_TRUNCATE, then for a receive block of another size than is sent to it. Predictions take all
// blocks to be as long as the largest.

/// The radix, at least 2, in which the ranks have to exchange sizes (RoundSizeExchange) before choose(), as a
/// Bruck algorithm is what it is going to choose for an irregular problem once `passing` is there, or what is predicted
/// to take at most `within` times as long as the best, so that it is worth a try. 0: none. The same on all ranks.
/// Local.
[[nodiscard]] int radix_to_exchange(const Problem& problem, std::string_view name, double within = 0);

/// In a radix of at least 2; of a phase, one digit, all exchanges at once, or `ports` of them at a time. Irregular
/// problems as well.
void build_bruck(const Problem& problem, int radix, int ports, ScheduleBuilder& builder);
/// Section 3.5: zero-copy in radix 2 with two intermediate buffers of p - 1 of the largest blocks each. Irregular
/// problems, and regular ones for comparison.
void build_irregular_bruck(const Problem& problem, ScheduleBuilder& builder);
/// Regular problems, zero-copy in any radix: blocks in transit wait in slots of the receive buffer and of an
/// intermediate buffer as small as can be. docs/bruck-buffer.md.
void build_compact_bruck(const Problem& problem, int radix, int ports, ScheduleBuilder& builder);
/// Where blocks in transit arrive.
enum class Landing : std::uint8_t {
  anywhere,  ///< where their message does: not taken out of it
  in_slots   ///< each in a place of its own
};
[[nodiscard]] Prediction predict_bruck(const Problem& problem, int radix, int ports,
                                       Landing landing = Landing::anywhere);

/// Regular problems: the alltoalls of the zero-copy Bruck paper in the paper's words, each with the constructor by
/// which it makes its datatypes; all messages are datatypes, whatever form was asked for. Basic Bruck takes
/// bounded_vector or indexed, Modified Bruck circular_vector or indexed_block, Zero-copy Bruck struct_of_elements or
/// struct_of_runs. Only the last has a time; in predictions `copied_blocks` are the copies, packs and unpacks of
/// theorems 1 and 2.
void build_basic_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
void build_modified_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
void build_zero_copy_bruck(const Problem& problem, TypeConstructor constructor, ScheduleBuilder& builder);
[[nodiscard]] Prediction predict_basic_bruck(const Problem& problem);
[[nodiscard]] Prediction predict_modified_bruck(const Problem& problem);
[[nodiscard]] Prediction predict_zero_copy_bruck(const Problem& problem, TypeConstructor constructor);

}  // namespace rondo::internal::dense

#endif
