#include "collectives/dense_algorithms.hpp"

#include <array>

namespace rondo {
namespace {

using Plans = std::vector<DensePlan>;

/// Exchanges that `windowed` has in flight where nobody says: enough to hide a latency, few enough for a queue.
constexpr int kWindow = 4;

DensePlan direct_through(const DenseProblem& problem, int ports, std::string name) {
  return {std::move(name), problem.uniform ? predict_dense_direct(problem, ports) : Prediction{},
          [ports](const DenseProblem& it, ScheduleBuilder& builder) { build_dense_direct(it, ports, builder); }};
}

Plans direct(const DenseProblem& problem) { return {direct_through(problem, problem.options.ports, "direct")}; }

Plans pairwise(const DenseProblem& problem) { return {direct_through(problem, 1, "pairwise")}; }

Plans windowed(const DenseProblem& problem) {
  const int ports = problem.options.ports > 0 ? problem.options.ports : kWindow;
  return {direct_through(problem, ports, "windowed")};
}

constexpr std::array kAlgorithms{
    DenseAlgorithm{"direct", false, true, direct},
    DenseAlgorithm{"pairwise", false, true, pairwise},
    DenseAlgorithm{"windowed", false, true, windowed},
};

constexpr Registry<DenseProblem> kRegistry{"alltoall", kAlgorithms, "direct"};

}  // namespace

const Registry<DenseProblem>& dense_registry() { return kRegistry; }

Chosen choose_dense(const DenseProblem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo
