#include "collectives/halo_algorithms.hpp"

#include "collectives/halo_lowering.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace rondo {
namespace {

using Plans = std::vector<Plan<HaloProblem>>;

/// Most axes for which all divisions into stages are tried: 2^(axes-1) of them.
constexpr std::size_t kMostDivided = 5;

Plan<HaloProblem> plan_of(const HaloProblem& problem, HaloExpansion expansion) {
  const auto kept = std::make_shared<const HaloExpansion>(std::move(expansion));
  return {kept->name, predict_halo(problem, *kept),
          [kept](const HaloProblem& it, ScheduleBuilder& builder) { build_halo(it, *kept, builder); }};
}

Plans direct(const HaloProblem& problem) {
  Plan<HaloProblem> plan = plan_of(problem, direct_halo(problem.grid, problem.typical, HaloMessages::apart));
  if (problem.ports == 0) return {std::move(plan)};
  problem.costs.add_windows(plan.prediction, problem.ports);
  plan.build = [unlimited = std::move(plan.build)](const HaloProblem& it, ScheduleBuilder& builder) {
    builder.set_window(static_cast<std::uint32_t>(it.ports));
    unlimited(it, builder);
  };
  return {std::move(plan)};
}

Plans coalesced(const HaloProblem& problem) {
  return {plan_of(problem, direct_halo(problem.grid, problem.typical, HaloMessages::coalesced))};
}

using ExpandStages = HaloExpansion (*)(const Grid&, const HaloShape&, std::span<const std::vector<int>>);

template <ExpandStages expand>
Plans in_stages(const HaloProblem& problem) {
  Plans plans;
  for (const auto& stages : divisions(exchanged_axes(problem.grid, problem.typical)))
    plans.push_back(plan_of(problem, expand(problem.grid, problem.typical, stages)));
  return plans;
}

constexpr std::array kAlgorithms{
    Algorithm<HaloProblem>{"direct", true, true, direct},
    Algorithm<HaloProblem>{"coalesced", true, true, coalesced},
    Algorithm<HaloProblem>{"combining", true, true, in_stages<dimension_wise_halo>},
    Algorithm<HaloProblem>{"joined", true, true, in_stages<joined_halo>},
};

constexpr Registry<HaloProblem> kRegistry{"halo", kAlgorithms, "direct"};

}  // namespace

std::string stage_name(std::string_view algorithm, std::span<const std::vector<int>> stages) {
  std::string name(algorithm);
  if (std::ranges::all_of(stages, [](const std::vector<int>& stage) { return stage.size() == 1; })) return name;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    name += i == 0 ? ' ' : ',';
    for (std::size_t j = 0; j < stages[i].size(); ++j) name += (j == 0 ? "" : "+") + std::to_string(stages[i][j]);
  }
  return name;
}

std::vector<std::vector<std::vector<int>>> divisions(std::span<const int> axes) {
  std::vector<std::vector<std::vector<int>>> all{{}};
  for (const int axis : axes) all.front().push_back({axis});
  if (axes.size() < 3 || axes.size() > kMostDivided) return all;
  // Bit i of `cuts` says whether a stage ends after axis i. With all of them each axis is alone, with none it is
  // direct.
  const unsigned all_cuts = (1U << (axes.size() - 1)) - 1;
  for (unsigned cuts = 1; cuts < all_cuts; ++cuts) {
    std::vector<std::vector<int>> stages{{}};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      stages.back().push_back(axes[i]);
      if (i + 1 < axes.size() && (cuts >> i & 1U) != 0) stages.emplace_back();
    }
    all.push_back(std::move(stages));
  }
  return all;
}

const Registry<HaloProblem>& halo_registry() { return kRegistry; }

Chosen choose_halo(const HaloProblem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo
