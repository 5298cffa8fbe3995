/// @file
/// A persistent operation that learns which of its candidates is the fastest.
#ifndef RONDO_COLLECTIVES_BINDING_LEARNING_OPERATION_HPP
#define RONDO_COLLECTIVES_BINDING_LEARNING_OPERATION_HPP

#include "collectives/comm_state/comm_state.hpp"
#include "collectives/learning/contenders.hpp"
#include "collectives/learning/learning_calls.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal {

/// Makes an operation of the same call by other settings, ready to be started. Collective: there is room for its tags.
/// Throws, on all ranks alike.
using MakeCandidate = std::function<std::unique_ptr<Operation>(const Settings&)>;

/// What is chosen for the same call by other settings. Local; throws.
using ChooseBy = std::function<std::shared_ptr<const Chosen>(const Settings&)>;

/// What there is to compare of what was chosen from. The same on all ranks. See learning::contenders().
[[nodiscard]] std::vector<learning::Contender> contenders_of(const Chosen& chosen, const CallState& calls,
                                                             const learning::TimesOfForms& forms = {},
                                                             const Chosen* over_mpi = nullptr,
                                                             ProgressMode other_mode = ProgressMode::automatic);

/// How many times as long as the best one a contender may be predicted to take; 0 where nothing is learned. The same on
/// all ranks.
[[nodiscard]] double reach_of_contenders(const CallState& calls, const Settings& settings);

/// Who says what an operation of another candidate is, for people.
enum class Explanation : std::uint8_t {
  of_choice,  ///< what was chosen from, and why, as of the first one
  its_own     ///< each as it was made
};

/// An operation that begins as `first`, which runs what was chosen by `settings`, and takes turns with others that may
/// be faster (LearnedChoice), or one that is known to be the fastest; `first` itself where nothing is to be learned.
/// `most_tags`: of each. `choose`: what would run over MPI; empty: that is not to be tried. Collective; throws Error,
/// and std::bad_alloc, on all ranks alike, unless MPI fails.
[[nodiscard]] std::unique_ptr<Operation> learn_from(std::unique_ptr<Operation> first,
                                                    const std::shared_ptr<const Chosen>& chosen, CallState& calls,
                                                    const Settings& settings, std::uint32_t most_tags,
                                                    const MakeCandidate& make, const ChooseBy& choose,
                                                    Explanation explanation = Explanation::of_choice);

/// Whether those who make calls can leave one to MPI's own function instead.
enum class MpisOwn : std::uint8_t { is_not_to_be_had, is_to_be_had };

/// What calls of a form learn that run what was `chosen`, from the first of them on; null where there is nothing to
/// learn, or too much. `collective`: theirs. `mpis`: whether MPI's own function takes turns as well. The same on all
/// ranks. `here`: what else this rank knows of them, for the file of RONDO_LEARNED on rank 0. Local; throws
/// std::bad_alloc.
[[nodiscard]] std::shared_ptr<learning::LearningCalls> learning_of(learning::FormOfCall form,
                                                                   std::string_view collective, const Chosen& chosen,
                                                                   CallState& calls, const Settings& settings,
                                                                   MpisOwn mpis = MpisOwn::is_not_to_be_had,
                                                                   const std::string& here = {});
/// The plan that the next of these calls is for: see LearningCalls::next_plan(). Takes tags, in the order of the calls.
[[nodiscard]] std::optional<std::size_t> next_plan(learning::LearningCalls& learning, CallState& calls,
                                                   const Settings& settings);

}  // namespace rondo::internal

#endif
