/// @file
/// Findings: the results of learning so far, for people.
#ifndef RONDO_COLLECTIVES_LEARNING_FINDINGS_HPP
#define RONDO_COLLECTIVES_LEARNING_FINDINGS_HPP

#include "collectives/learning/contenders.hpp"
#include "collectives/learning/turns.hpp"

#include <span>
#include <string>
#include <string_view>

namespace rondo::internal::learning {

/// Returns a contender in words: its plan, without the algorithm if the plan names it, form, transport and progress
/// mode.
[[nodiscard]] std::string for_people(const Contender& contender);

/// Stores the mean times of the compared candidates, from the sums on which the ranks have agreed.
void take_sums(std::span<Contender> contenders, const Turns& turns, const Times& sums, int ranks) noexcept;

/// Returns a report, with a line for the whole and one for each plan. `begun`: "starts" or "calls".
[[nodiscard]] std::string tell(std::span<const Contender> contenders, const Turns& turns, std::string_view begun);

/// Keeps the best plan so far for later runs (keep_learned_plan), because a short run gets no further. Does nothing if
/// `problem` is empty. Without memory for the plan, a later run learns again.
void keep_best(std::span<const Contender> contenders, const Turns& turns, const std::string& problem) noexcept;

/// Adds `literal` as a mark to the timeline, if there is one.
void mark_learning(const char* literal) noexcept;

}  // namespace rondo::internal::learning

#endif
