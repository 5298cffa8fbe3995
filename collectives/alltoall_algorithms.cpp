#include "collectives/alltoall_algorithms.hpp"

#include <rondo/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>

namespace rondo {
namespace {

constexpr std::array kAlgorithms{
    AlltoallAlgorithm{"direct", false, true, build_direct_alltoall},
    AlltoallAlgorithm{"coalesced", false, true,
                      [](const AlltoallProblem& problem, ScheduleBuilder& builder) {
                        build_coalesced_alltoall(problem, builder, Coalescing::always);
                      }},
    AlltoallAlgorithm{"coalesced where it pays", false, false,
                      [](const AlltoallProblem& problem, ScheduleBuilder& builder) {
                        build_coalesced_alltoall(problem, builder, Coalescing::where_it_pays);
                      }},
    AlltoallAlgorithm{"combining", true, true, build_combining_alltoall},
};

ChosenAlltoall build(const AlltoallProblem& problem, const AlltoallAlgorithm& algorithm, Ordering ordering,
                     MessageForm form) {
  ScheduleBuilder builder(ordering, form);
  algorithm.build(problem, builder);
  return {std::make_shared<const Schedule>(std::move(builder).build()), std::string(algorithm.name), {}};
}

const AlltoallAlgorithm& find(std::string_view name) {
  const auto found = std::ranges::find(kAlgorithms, name, &AlltoallAlgorithm::name);
  if (found == kAlgorithms.end()) {
    throw Error(MPI_ERR_INFO_VALUE,
                "rondo_algorithm: is \"" + std::string(name) + "\", must be auto, direct, coalesced or combining");
  }
  return *found;
}

/// Sizes that differ from rank to rank allow only decisions between the two ends of a message.
constexpr std::string_view kPairwise = "coalesced where it pays";

ChosenAlltoall cheapest(const AlltoallProblem& problem, Ordering ordering, MessageForm form) {
  if (!problem.uniform) return build(problem, find(kPairwise), ordering, form);
  ChosenAlltoall best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (const AlltoallAlgorithm& algorithm : kAlgorithms) {
    ChosenAlltoall candidate = build(problem, algorithm, ordering, form);
    const double cost = problem.costs.schedule(*candidate.schedule);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = std::move(candidate);
  }
  return best;
}

}  // namespace

std::span<const AlltoallAlgorithm> alltoall_algorithms() { return kAlgorithms; }

bool is_alltoall_algorithm(std::string_view name) {
  return name == "auto" || std::ranges::any_of(kAlgorithms, [&](const AlltoallAlgorithm& algorithm) {
           return algorithm.selectable && algorithm.name == name;
         });
}

ChosenAlltoall choose_alltoall(const AlltoallProblem& problem, std::string_view name, Ordering ordering,
                               MessageForm form) {
  if (name == "auto") return cheapest(problem, ordering, form);
  const AlltoallAlgorithm& algorithm = find(name);
  if (!algorithm.needs_uniform || problem.uniform) return build(problem, algorithm, ordering, form);
  ChosenAlltoall instead = build(problem, find(kPairwise), ordering, form);
  instead.note =
      "algorithm " + std::string(name) +
      " was asked for and is not to be had: the ranks have not agreed that block i has the same size on all of "
      "them (use an _init call, or rondo_assert_uniform); running \"" +
      instead.algorithm + "\" instead";
  return instead;
}

}  // namespace rondo
