#include "collectives/dense_algorithms.hpp"

#include <rondo/error.hpp>

#include "collectives/bruck_rounds.hpp"

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

/// The radices to look at: what was asked for, or those that bruck_radices() recommends. Radix p and more is the direct
/// algorithm, and left to that unless there is no other.
std::vector<int> radices(const DenseProblem& problem) {
  const int wanted = problem.options.radix;
  if (wanted < 0 || wanted == 1)
    throw Error(MPI_ERR_INFO_VALUE, "radix: is " + std::to_string(wanted) + ", must be 0 or at least 2");
  if (wanted > 0) return {std::clamp(wanted, 2, std::max(2, problem.size))};
  std::vector<int> found = bruck_radices(problem.size);
  if (found.empty()) found.push_back(2);
  return found;
}

Plans bruck(const DenseProblem& problem) {
  Plans plans;
  if (!problem.regular()) return plans;
  const int ports = problem.options.ports;  // 0, all at once: fewer of them never pay in the cost model
  for (const int radix : radices(problem)) {
    plans.push_back({"bruck, radix " + std::to_string(radix), predict_dense_bruck(problem, radix, ports),
                     [radix, ports](const DenseProblem& it, ScheduleBuilder& builder) {
                       build_dense_bruck(it, radix, ports, builder);
                     }});
  }
  return plans;
}

constexpr std::array kAlgorithms{
    DenseAlgorithm{"direct", false, true, direct},
    DenseAlgorithm{"pairwise", false, true, pairwise},
    DenseAlgorithm{"windowed", false, true, windowed},
    DenseAlgorithm{"bruck", true, true, bruck},
};

constexpr Registry<DenseProblem> kRegistry{"alltoall", kAlgorithms, "direct"};

}  // namespace

const Registry<DenseProblem>& dense_registry() { return kRegistry; }

Chosen choose_dense(const DenseProblem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

}  // namespace rondo
