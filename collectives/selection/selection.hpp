/// @file
/// Selection: chooses one of a collective's algorithms, in the same way for every collective. An algorithm offers plans
/// for a problem, each with a prediction; the plan with the lowest one is built.
#ifndef RONDO_COLLECTIVES_SELECTION_SELECTION_HPP
#define RONDO_COLLECTIVES_SELECTION_SELECTION_HPP

#include "collectives/selection/cost_model.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal {

/// One way to do a collective for one problem.
template <typename Problem>
struct Plan {
  std::string name;  ///< for people, as precise as needed
  /// The predicted work and time. All ranks have the same prediction if the problem is uniform; ignored if not. An
  /// infinite time means that the plan runs only if it is requested by name.
  Prediction prediction;
  std::function<void(const Problem&, ScheduleBuilder&)> build;  ///< the lowering
  double preferred = 0;             ///< share of its time that another plan must save to run instead
  bool whole_blocks = false;        ///< sends and combines blocks one by one, in the same steps for all sizes
  std::string_view algorithm = {};  ///< algorithm that offers the plan; set by plans_for()

  /// Returns the time in nanoseconds by which plans are compared.
  [[nodiscard]] double compared_time() const { return prediction.nanoseconds * (1 - preferred); }
};

/// One row of a collective's registry: an algorithm and its plans.
template <typename Problem>
struct Algorithm {
  std::string_view name;  ///< one word: a value of rondo_algorithm, reported by requests
  bool needs_uniform;     ///< applies only if block sizes are known to agree
  /// Returns the plans that the algorithm offers, the same list on all ranks; empty if it does not apply to the
  /// problem.
  std::vector<Plan<Problem>> (*plans)(const Problem&);
};

/// A collective's algorithms. `Problem` has a flag `uniform`, which says that all ranks know the sizes of all blocks,
/// so that all make the same predictions.
template <typename Problem>
struct Registry {
  std::string_view collective;  ///< "alltoall"
  std::span<const Algorithm<Problem>> algorithms;
  std::string_view pairwise;  ///< the algorithm that runs if ranks do not know each other's sizes; always applies
  /// If not null: replaces a plan's predicted time by a better known one, and sets its preference if less is known.
  void (*correct)(const Problem&, Plan<Problem>&) = nullptr;
};

/// The value of Prediction::phases if only a time is known.
inline constexpr std::int64_t kNotCounted = -1;

/// A plan of an algorithm that the user offers, for one problem on one rank.
struct OfferedPlan {
  std::string_view algorithm;  ///< also the plan's name
  double nanoseconds;          ///< see Prediction
  std::function<void(ScheduleBuilder&)> build;
};

/// Prefix of the name of a user-defined algorithm in a request.
inline constexpr std::string_view kOwnPrefix = "own:";
[[nodiscard]] constexpr std::string_view without_own(std::string_view name) noexcept {
  return name.starts_with(kOwnPrefix) ? name.substr(kOwnPrefix.size()) : name;
}

/// The algorithms that the user offers to a collective besides its registry.
struct OfferedPlans {
  std::vector<OfferedPlan> plans;       ///< plans that apply to the problem: the same on all ranks
  std::vector<std::string_view> names;  ///< names of all offered algorithms, also of those that do not apply
};

/// Returns the plans that the user offers for a problem, or none if this kind of problem has none.
template <typename Problem>
[[nodiscard]] const OfferedPlans& offered_for(const Problem& problem) {
  static const OfferedPlans none;
  if constexpr (requires { problem.offered; }) {
    if (problem.offered != nullptr) return *problem.offered;
  }
  return none;
}

/// A plan that choose() compared with others.
struct Candidate {
  std::string name;  ///< Plan::name
  Prediction prediction;
  std::string_view algorithm =
      {};  ///< algorithm that offers it; its name is in a registry, which is never destroyed, or in Chosen::offers
  bool whole_blocks = false;  ///< see Plan
};

/// A schedule, its name, and the candidates from which it was chosen, such as choose() returns.
struct Chosen {
  std::shared_ptr<const Schedule> schedule;
  std::string algorithm;
  std::string why{};                        ///< why it was chosen, for people
  std::string note;                         ///< what was asked for and is not available; empty otherwise
  std::vector<Candidate> candidates = {};   ///< the chosen one first; empty if sizes are not agreed on
  std::string plan = {};                    ///< Plan::name; empty if the schedule is not from choose()
  OtherForms other_forms = {};              ///< other forms of this rank's messages
  std::shared_ptr<const void> offers = {};  ///< user-defined algorithms to whose names the candidates refer
  std::string costs = {};                   ///< where the costs come from by which candidates were compared, for people
};

/// Returns a table of the candidates, a line each, the chosen one first, or a line that says that there was no
/// comparison. After it comes what this rank sends, which on a mesh differs from what candidates are predicted from,
/// and why the first was chosen.
[[nodiscard]] std::string explain(const Chosen& chosen);

/// Returns why a schedule was chosen, and by which costs, as a line after the name of what was chosen.
[[nodiscard]] std::string was_chosen(const Chosen& chosen);

/// Returns one line with what this rank sends, in the words of explain()'s table.
[[nodiscard]] std::string sent_by(const Schedule& schedule);

/// Returns the name of one plan of an algorithm, as choose() uses it; without an algorithm, the plan's name.
[[nodiscard]] std::string name_of_plan(std::string_view algorithm, std::string_view plan);
/// The result of asked_plan(): the two parts of a name of name_of_plan(). The name of an algorithm has an empty plan.
struct AskedPlan {
  std::string_view algorithm;
  std::string_view plan;
};
[[nodiscard]] AskedPlan asked_plan(std::string_view name) noexcept;

/// Return the notes of choose() that an algorithm is not available: because the ranks have not agreed on sizes, or
/// because the collective has no such algorithm.
[[nodiscard]] std::string note_on_sizes(std::string_view asked, std::string_view running);
[[nodiscard]] std::string note_on_missing(std::string_view collective, std::string_view asked,
                                          std::string_view running);
/// Returns the note that the algorithm offers no plans for this problem.
[[nodiscard]] std::string note_on_problem(std::string_view collective, std::string_view asked,
                                          std::string_view running);
/// Returns why a plan runs: because its algorithm was asked for, or because nothing is known to be faster. `plans`:
/// number of plans; `preferred`: see Plan, if another is predicted to be faster, otherwise 0.
[[nodiscard]] std::string reason(std::string_view asked, std::size_t plans, bool uniform, double preferred);

/// The result of plans_for(): the plans that choose() compares.
template <typename Problem>
struct Offered {
  std::vector<Plan<Problem>> plans;  ///< sorted by Plan::compared_time() if the problem is uniform
  bool by_the_asked = false;         ///< plans of the algorithm that was asked for; otherwise those of "auto"
};

/// Returns the plans that the user offers for a problem, as plans like any other.
template <typename Problem>
[[nodiscard]] std::vector<Plan<Problem>> offered_plans(const Problem& problem) {
  std::vector<Plan<Problem>> plans;
  for (const OfferedPlan& offered : offered_for(problem).plans) {
    Plan<Problem> plan{std::string(offered.algorithm),
                       {.phases = kNotCounted, .nanoseconds = offered.nanoseconds},
                       [&offered](const Problem&, ScheduleBuilder& builder) { offered.build(builder); }};
    plan.algorithm = offered.algorithm;
    plans.push_back(std::move(plan));
  }
  return plans;
}

/// Returns the plans for the name of an algorithm or of a plan, or those of "auto" if there are none. Returns at least
/// one plan. Local.
template <typename Problem>
[[nodiscard]] Offered<Problem> plans_for(const Registry<Problem>& registry, const Problem& problem,
                                         std::string_view name) {
  const auto row_of = [&](std::string_view wanted) {
    return std::ranges::find_if(registry.algorithms, [&](const auto& row) { return row.name == wanted; });
  };
  Offered<Problem> offered;
  const auto take_plans_of = [&](const Algorithm<Problem>& row) {
    for (Plan<Problem>& plan : row.plans(problem)) {
      plan.algorithm = row.name;
      offered.plans.push_back(std::move(plan));
    }
  };
  const auto take_offered = [&](std::string_view wanted) {
    for (Plan<Problem>& plan : offered_plans(problem)) {
      if (wanted.empty() || plan.algorithm == wanted) offered.plans.push_back(std::move(plan));
    }
  };
  const AskedPlan wanted = asked_plan(name);
  const auto asked = row_of(wanted.algorithm);
  if (asked != registry.algorithms.end() && (problem.uniform || !asked->needs_uniform)) take_plans_of(*asked);
  if (asked == registry.algorithms.end() && !wanted.algorithm.empty()) take_offered(without_own(wanted.algorithm));
  if (!wanted.plan.empty())
    std::erase_if(offered.plans, [&](const Plan<Problem>& plan) { return plan.name != wanted.plan; });
  offered.by_the_asked = !offered.plans.empty();
  if (!offered.by_the_asked && !problem.uniform) {
    take_plans_of(*row_of(registry.pairwise));
  } else if (!offered.by_the_asked) {
    std::ranges::for_each(registry.algorithms, take_plans_of);
    take_offered({});
  }
  if (registry.correct != nullptr) {
    for (Plan<Problem>& plan : offered.plans) {
      if (plan.prediction.phases != kNotCounted) registry.correct(problem, plan);
    }
  }
  if (problem.uniform) {
    std::ranges::stable_sort(offered.plans, {}, &Plan<Problem>::compared_time);
  }
  return offered;
}

/// Builds the plan named `name`, or the cheapest plan of the algorithm named `name`, or of all algorithms for "auto".
/// Decided from facts that all ranks know, so that all choose alike: without uniform sizes nothing is compared, and
/// `pairwise` replaces "auto". If the name is not available, the note says so and "auto" runs instead. Local.
template <typename Problem>
[[nodiscard]] Chosen choose(const Registry<Problem>& registry, const Problem& problem, std::string_view name,
                            Ordering ordering, MessageForm form) {
  Offered<Problem> offered = plans_for(registry, problem, name);
  std::vector<Plan<Problem>>& plans = offered.plans;
  const auto is_faster = [&](const Plan<Problem>& plan) {
    return plan.prediction.nanoseconds < plans.front().prediction.nanoseconds;
  };
  const double preferred = std::ranges::any_of(plans, is_faster) ? plans.front().preferred : 0;
  const std::string why = reason(offered.by_the_asked ? name : "auto", plans.size(), problem.uniform, preferred);
  ScheduleBuilder builder(ordering, form, problem.costs.form_costs());
  plans.front().build(problem, builder);
  const OtherForms other_forms = builder.other_forms();
  Chosen chosen{
      std::make_shared<const Schedule>(std::move(builder).build()), std::string(plans.front().algorithm), why, {}};
  chosen.plan = plans.front().name;
  chosen.other_forms = other_forms;
  if (!offered.by_the_asked && name != "auto") {
    const auto asked = std::ranges::find_if(registry.algorithms, [&](const auto& row) { return row.name == name; });
    const auto& own = offered_for(problem).names;
    const bool is_own = std::ranges::find(own, without_own(name)) != own.end();
    const bool known = asked != registry.algorithms.end() || is_own;
    const bool sizes_suffice = known && (problem.uniform || (!is_own && !asked->needs_uniform));
    chosen.note = sizes_suffice ? note_on_problem(registry.collective, name, chosen.algorithm)
                  : known       ? note_on_sizes(name, chosen.algorithm)
                                : note_on_missing(registry.collective, name, chosen.algorithm);
  }
  if (!problem.uniform) return chosen;
  chosen.costs = problem.costs.origin();
  for (Plan<Problem>& plan : plans) {
    // A plan that cannot be predicted is shown only if it was asked for.
    if (&plan == plans.data() || std::isfinite(plan.prediction.nanoseconds))
      chosen.candidates.push_back({std::move(plan.name), plan.prediction, plan.algorithm, plan.whole_blocks});
  }
  return chosen;
}

}  // namespace rondo::internal

#endif
