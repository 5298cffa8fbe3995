#include "collectives/barrier/algorithms.hpp"

#include "collectives/selection/radices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

namespace rondo::internal::barrier {
namespace {

using Plans = std::vector<Plan>;

Plan in_radix(const Problem& problem, int radix, std::string name) {
  return {std::move(name), predict_dissemination(problem, radix),
          [radix](const Problem& it, ScheduleBuilder& builder) { build_dissemination(it, radix, builder); }};
}

Plans direct(const Problem& problem) { return {in_radix(problem, std::max(2, problem.size), "direct")}; }

Plans dissemination(const Problem& problem) {
  Plans plans;
  for (const int radix : radices_to_offer(problem.radix, problem.size))
    plans.push_back(in_radix(problem, radix, "dissemination, radix " + std::to_string(radix)));
  return plans;
}

Plans node_aware(const Problem& problem) {
  if (problem.nodes == nullptr) return {};
  Plans plans;
  for (const int radix : radices_and_direct(problem.radix, problem.nodes->nodes())) {
    plans.push_back({"node-aware, radix " + std::to_string(radix), predict_node_aware(problem, radix),
                     [radix](const Problem& it, ScheduleBuilder& builder) { build_node_aware(it, radix, builder); }});
  }
  return plans;
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},
    Algorithm{"dissemination", false, dissemination},
    Algorithm{"node-aware", false, node_aware},
};

constexpr Registry<Problem> kRegistry{"barrier", kAlgorithms, "direct"};

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

std::uint32_t most_tags(int size) {
  return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(size))) + 1;
}

}  // namespace rondo::internal::barrier
