#include "collectives/barrier/algorithms.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

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

/// Radix p and more is the direct algorithm, and left to that unless there is no other.
Plans dissemination(const Problem& problem) {
  constexpr std::array kRadices{2, 3, 4, 8};
  if (problem.radix < 0 || problem.radix == 1)
    throw Error(MPI_ERR_INFO_VALUE, "radix: is " + std::to_string(problem.radix) + ", must be 0 or at least 2");
  Plans plans;
  const auto offer = [&](int radix) {
    plans.push_back(in_radix(problem, radix, "dissemination, radix " + std::to_string(radix)));
  };
  if (problem.radix > 0) {
    offer(std::clamp(problem.radix, 2, std::max(2, problem.size)));
    return plans;
  }
  for (const int radix : kRadices) {
    if (radix < problem.size) offer(radix);
  }
  if (plans.empty()) offer(2);
  return plans;
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},
    Algorithm{"dissemination", false, dissemination},
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
