/// @file
/// Selection: how one of a collective's algorithms is chosen, the same way for every collective. An algorithm offers
/// plans for a problem; each plan comes with a prediction; the one with the lowest is built.
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

/// One way to do a collective on one problem.
template <typename Problem>
struct Plan {
  std::string name;  ///< for people: what it is, as precisely as needed
  /// The same on all ranks where the problem is uniform; ignored where it is not. Infinite time: runs only when
  /// requested by name.
  Prediction prediction;
  std::function<void(const Problem&, ScheduleBuilder&)> build;  ///< the lowering
  double preferred = 0;             ///< share of its time that another plan must save to run in its place
  bool whole_blocks = false;        ///< sends and combines blocks one by one, in the same steps whatever their size
  std::string_view algorithm = {};  ///< that offers it; plans_for() fills this in

  /// What plans are compared by.
  [[nodiscard]] double compared_time() const { return prediction.nanoseconds * (1 - preferred); }
};

/// One row of a collective's registry.
template <typename Problem>
struct Algorithm {
  std::string_view name;  ///< one word: rondo_algorithm takes it, and a request reports it
  bool needs_uniform;     ///< applies only where block sizes are known to agree
  /// The plans it offers, the same list on all ranks; none where it does not apply to the problem.
  std::vector<Plan<Problem>> (*plans)(const Problem&);
};

/// A collective's algorithms. `Problem` has a flag `uniform`: all ranks know the sizes of all blocks, so that all make
/// the same predictions.
template <typename Problem>
struct Registry {
  std::string_view collective;  ///< "alltoall"
  std::span<const Algorithm<Problem>> algorithms;
  std::string_view pairwise;  ///< the algorithm that runs where ranks do not know each other's sizes; always applies
  /// Where not null: replaces a plan's predicted time by what is known better, and prefers it by what is known less.
  void (*correct)(const Problem&, Plan<Problem>&) = nullptr;
};

/// For Prediction::phases, where only a time is known.
inline constexpr std::int64_t kNotCounted = -1;

/// A plan of an algorithm that the user offers, for one problem on one rank.
struct OfferedPlan {
  std::string_view algorithm;  ///< which is the plan's name as well
  double nanoseconds;          ///< as Prediction says
  std::function<void(ScheduleBuilder&)> build;
};

/// What stands before its name where it is asked for.
inline constexpr std::string_view kOwnPrefix = "own:";
[[nodiscard]] constexpr std::string_view without_own(std::string_view name) noexcept {
  return name.starts_with(kOwnPrefix) ? name.substr(kOwnPrefix.size()) : name;
}

/// What the user offers to a collective besides its registry.
struct OfferedPlans {
  std::vector<OfferedPlan> plans;       ///< that apply to the problem: the same ones on all ranks
  std::vector<std::string_view> names;  ///< of all algorithms, also of those that do not
};

/// Of a problem; none where there can be none.
template <typename Problem>
[[nodiscard]] const OfferedPlans& offered_for(const Problem& problem) {
  static const OfferedPlans none;
  if constexpr (requires { problem.offered; }) {
    if (problem.offered != nullptr) return *problem.offered;
  }
  return none;
}

/// A plan that was looked at.
struct Candidate {
  std::string name;  ///< Plan::name
  Prediction prediction;
  std::string_view algorithm = {};  ///< that offers it; of a registry, which is never destroyed, or see Chosen::offers
  bool whole_blocks = false;        ///< see Plan
};

/// A schedule, what it is called, and what it was chosen from.
struct Chosen {
  std::shared_ptr<const Schedule> schedule;
  std::string algorithm;
  std::string why{};                        ///< it was chosen, for people
  std::string note;                         ///< what was asked for and could not be had; empty otherwise
  std::vector<Candidate> candidates = {};   ///< the chosen one first; none where sizes are not agreed on
  std::string plan = {};                    ///< of the algorithm: Plan::name; empty where there is but one
  OtherForms other_forms = {};              ///< of this rank's messages
  std::shared_ptr<const void> offers = {};  ///< of the user's, whose names the candidates refer to
};

/// The candidates as a table, a line each, the chosen one first; then what this rank sends, which on a mesh is not what
/// the candidates are predicted from, and why the first was chosen.
[[nodiscard]] std::string explain(const Chosen& chosen);

/// What this rank sends, in the words of that table: one line.
[[nodiscard]] std::string sent_by(const Schedule& schedule);

/// What choose() calls one plan of an algorithm; of none, the plan.
[[nodiscard]] std::string name_of_plan(std::string_view algorithm, std::string_view plan);
/// The two of such a name; of the name of an algorithm, that and nothing.
struct AskedPlan {
  std::string_view algorithm;
  std::string_view plan;
};
[[nodiscard]] AskedPlan asked_plan(std::string_view name) noexcept;

/// Notes of choose().
[[nodiscard]] std::string note_on_sizes(std::string_view asked, std::string_view running);
[[nodiscard]] std::string note_on_missing(std::string_view collective, std::string_view asked,
                                          std::string_view running);
/// The algorithm offers no plans for this problem.
[[nodiscard]] std::string note_on_problem(std::string_view collective, std::string_view asked,
                                          std::string_view running);
/// Why a plan runs: as its algorithm was asked for, or as nothing is known to be faster. `plans`: how many there were;
/// `preferred`: see Plan, where another is predicted to be faster, and otherwise 0.
[[nodiscard]] std::string reason(std::string_view asked, std::size_t plans, bool uniform, std::string_view origin,
                                 double preferred);

/// What choose() compares.
template <typename Problem>
struct Offered {
  std::vector<Plan<Problem>> plans;  ///< where the problem is uniform, by Plan::compared_time()
  bool by_the_asked = false;         ///< by the algorithm that was asked for; otherwise, by those of "auto"
};

/// What the user offers, as plans like any other.
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

/// The plans for that name, of an algorithm or of one plan, which need not be one. At least one. Local.
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

/// Builds the cheapest plan of the algorithm of that name, or of all for "auto", or the one of that name. Decided from
/// what all ranks know, so that all choose alike: without uniform sizes nothing is compared, and `pairwise` stands in
/// for "auto". What cannot be had is said in the note, and "auto" runs instead. Local.
template <typename Problem>
[[nodiscard]] Chosen choose(const Registry<Problem>& registry, const Problem& problem, std::string_view name,
                            Ordering ordering, MessageForm form) {
  Offered<Problem> offered = plans_for(registry, problem, name);
  std::vector<Plan<Problem>>& plans = offered.plans;
  const auto is_faster = [&](const Plan<Problem>& plan) {
    return plan.prediction.nanoseconds < plans.front().prediction.nanoseconds;
  };
  const double preferred = std::ranges::any_of(plans, is_faster) ? plans.front().preferred : 0;
  const std::string why =
      reason(offered.by_the_asked ? name : "auto", plans.size(), problem.uniform, problem.costs.origin(), preferred);
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
  for (Plan<Problem>& plan : plans) {
    // One that cannot be predicted is shown only where it was asked for.
    if (&plan == plans.data() || std::isfinite(plan.prediction.nanoseconds))
      chosen.candidates.push_back({std::move(plan.name), plan.prediction, plan.algorithm, plan.whole_blocks});
  }
  return chosen;
}

}  // namespace rondo::internal

#endif
