#include "collectives/halo/algorithms.hpp"

#include "collectives/carriers/carried_plans.hpp"
#include "collectives/halo/costs.hpp"
#include "collectives/halo/lowering.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace rondo::internal::halo {
namespace {

using Plans = std::vector<Plan<Problem>>;

/// Maximum number of axes for which all divisions into stages are tried: 2^(axes-1) of them.
constexpr std::size_t kMostDivided = 5;

Plan<Problem> plan_of(const Problem& problem, Expansion expansion) {
  const auto kept = std::make_shared<const Expansion>(std::move(expansion));
  return {kept->name, predict(problem, *kept),
          [kept](const Problem& it, ScheduleBuilder& builder) { build(it, *kept, builder); }};
}

Plans direct(const Problem& problem) {
  Plan<Problem> plan = plan_of(problem, direct(problem.grid, problem.typical.hull(), Messages::apart));
  if (problem.ports == 0) return {std::move(plan)};
  problem.costs.add_windows(plan.prediction, problem.ports);
  plan.build = [unlimited = std::move(plan.build)](const Problem& it, ScheduleBuilder& builder) {
    builder.set_window(static_cast<std::uint32_t>(it.ports));
    unlimited(it, builder);
  };
  return {std::move(plan)};
}

Plans coalesced(const Problem& problem) {
  return {plan_of(problem, direct(problem.grid, problem.typical.hull(), Messages::coalesced))};
}

using ExpandStages = Expansion (*)(const Grid&, const Shape&, std::span<const std::vector<int>>);

template <ExpandStages expand>
Plans in_stages(const Problem& problem) {
  Plans plans;
  for (const auto& stages : divisions(exchanged_axes(problem.grid, problem.typical.hull())))
    plans.push_back(plan_of(problem, expand(problem.grid, problem.typical.hull(), stages)));
  return plans;
}

constexpr std::array kAlgorithms{
    Algorithm<Problem>{"direct", true, direct},
    Algorithm<Problem>{"coalesced", true, coalesced},
    Algorithm<Problem>{"combining", true, in_stages<dimension_wise>},
    Algorithm<Problem>{"joined", true, in_stages<joined>},
    Algorithm<Problem>{"node-aware", true, node_aware},
};

constexpr Registry<Problem> kRegistry{"halo", kAlgorithms, "direct", prefer_few_messages};

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
  // Bit i of `cuts` says whether a stage ends after axis i. With all bits each axis is alone; with none the exchange is
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

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo::internal::halo
