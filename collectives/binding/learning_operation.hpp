/// @file
/// learn_from(): a persistent operation that learns which of its candidates is the fastest; learning_of(): the learning
/// state of other calls.
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

/// A function that makes a persistent operation for the same call by other settings, ready to be started. Collective.
/// Called only when there is room for the operation's tags. Throws on all ranks alike.
using MakeCandidate = std::function<std::unique_ptr<Operation>(const Settings&)>;

/// A function that returns the algorithm and schedule that other settings choose for the same call. Local; throws.
using ChooseBy = std::function<std::shared_ptr<const Chosen>(const Settings&)>;

/// Returns the contenders among the candidates of `chosen`, the same on all ranks. See learning::contenders().
[[nodiscard]] std::vector<learning::Contender> contenders_of(const Chosen& chosen, const CallState& calls,
                                                             const learning::TimesOfForms& forms = {},
                                                             const Chosen* over_mpi = nullptr,
                                                             ProgressMode other_mode = ProgressMode::automatic);

/// Returns how many times as long as the best one a contender may be predicted to take, or 0 if nothing is learned. The
/// same on all ranks.
[[nodiscard]] double reach_of_contenders(const CallState& calls, const Settings& settings);

/// The kinds of explanations, for people, that learn_from() gives an operation of another candidate.
enum class Explanation : std::uint8_t {
  of_choice,  ///< like the first one: by the candidates and the reason for the choice
  its_own     ///< each keeps the explanation it was made with
};

/// Returns an operation that begins as `first`, which runs what was chosen by `settings`, and tries other candidates
/// that may be faster (LearnedChoice). If a candidate is known to be the fastest, returns its operation; if there is
/// nothing to learn, returns `first` itself. `most_tags`: upper bound of the tags of each candidate. `choose`: chooses
/// the schedule for messages over MPI; empty if that is not to be tried. Collective; throws Error and std::bad_alloc,
/// on all ranks alike, unless MPI fails.
[[nodiscard]] std::unique_ptr<Operation> learn_from(std::unique_ptr<Operation> first,
                                                    const std::shared_ptr<const Chosen>& chosen, CallState& calls,
                                                    const Settings& settings, std::uint32_t most_tags,
                                                    const MakeCandidate& make, const ChooseBy& choose,
                                                    Explanation explanation = Explanation::of_choice);

/// Whether the caller of a blocking call can run MPI's own function instead.
enum class MpisOwn : std::uint8_t { is_not_to_be_had, is_to_be_had };

/// Returns the learning state of the calls of a form that choose among the candidates of `chosen`, from the first such
/// call on. Returns null if there is nothing to learn, or too many problems are learned already. The same on all ranks.
/// `collective`: the name of the calls' collective. `mpis`: whether MPI's own function is a candidate, too. `here`:
/// what else this rank knows of the calls, for the file of RONDO_LEARNED on rank 0. Local; throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<learning::LearningCalls> learning_of(learning::FormOfCall form,
                                                                   std::string_view collective, const Chosen& chosen,
                                                                   CallState& calls, const Settings& settings,
                                                                   MpisOwn mpis = MpisOwn::is_not_to_be_had,
                                                                   const std::string& here = {});
/// Returns the plan of the next call of `learning`: see LearningCalls::next_plan(). Takes tags if it makes the sums of
/// times, so ranks must call this in the order of the calls.
[[nodiscard]] std::optional<std::size_t> next_plan(learning::LearningCalls& learning, CallState& calls,
                                                   const Settings& settings);

}  // namespace rondo::internal

#endif
