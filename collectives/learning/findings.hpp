/// @file
/// Findings: what learning has found out so far, for people.
#ifndef RONDO_COLLECTIVES_LEARNING_FINDINGS_HPP
#define RONDO_COLLECTIVES_LEARNING_FINDINGS_HPP

#include "collectives/learning/contenders.hpp"
#include "collectives/learning/turns.hpp"

#include <span>
#include <string>
#include <string_view>

namespace rondo::internal::learning {

/// Its plan, without the name of the algorithm where that says it itself, and the form of its messages.
[[nodiscard]] std::string for_people(const Contender& contender);

/// What the ranks have agreed on: the sums of their times.
void take_sums(std::span<Contender> contenders, const Turns& turns, const Times& sums, int ranks) noexcept;

/// A line for the whole, and one for each plan. `begun`: "starts" or "calls".
[[nodiscard]] std::string tell(std::span<const Contender> contenders, const Turns& turns, std::string_view begun);

/// Keeps the best so far for later runs (keep_learned_plan), as a short run gets no further; not where `problem` is
/// empty. Without memory for it, a later run learns again.
void keep_best(std::span<const Contender> contenders, const Turns& turns, const std::string& problem) noexcept;

/// `literal` as a mark on the timeline, if there is one.
void mark_learning(const char* literal) noexcept;

}  // namespace rondo::internal::learning

#endif
