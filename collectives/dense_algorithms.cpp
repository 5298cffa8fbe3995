#include "collectives/dense_algorithms.hpp"

#include <rondo/error.hpp>

#include "collectives/bruck_rounds.hpp"
#include "collectives/dense_randomized.hpp"
#include "collectives/measured_times.hpp"
#include "collectives/round_sizes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string_view>

namespace rondo {
namespace {

using Plans = std::vector<DensePlan>;

/// Exchanges that `windowed` has in flight where nobody says: enough to hide a latency, few enough for a queue.
constexpr int kWindow = 4;

/// What each block costs that goes straight to its rank, in whatever order.
Prediction straight(const DenseProblem& problem, int ports) {
  return problem.uniform ? predict_dense_direct(problem, ports) : Prediction{};
}

DensePlan direct_through(const DenseProblem& problem, int ports, std::string name) {
  return {std::move(name), straight(problem, ports),
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

/// The sizes of what passes through are about to be exchanged, in whatever radix turns out best.
const RoundSizes kToCome;

/// Whether Bruck et al. can be had in that radix.
bool knows_what_passes(const DenseProblem& problem, int radix) {
  if (problem.regular()) return true;
  if (!problem.regular_enough() || problem.passing == nullptr) return false;
  return problem.passing == &kToCome || problem.passing->radix == radix;
}

std::string name_bruck(int radix) { return "bruck, radix " + std::to_string(radix); }

Plans bruck(const DenseProblem& problem) {
  Plans plans;
  const int ports = problem.options.ports;  // 0, all at once: fewer of them never pay in the cost model
  for (const int radix : radices(problem)) {
    if (!knows_what_passes(problem, radix)) continue;
    plans.push_back({name_bruck(radix), predict_dense_bruck(problem, radix, ports),
                     [radix, ports](const DenseProblem& it, ScheduleBuilder& builder) {
                       build_dense_bruck(it, radix, ports, builder);
                     }});
  }
  return plans;
}

Plans compact_bruck(const DenseProblem& problem) {
  if (!problem.regular()) return {};
  const int ports = problem.options.ports;
  const int radix = problem.options.radix == 0 ? 2 : radices(problem).front();
  return {{radix == 2 ? "compact-bruck" : "compact-bruck, radix " + std::to_string(radix),
           predict_dense_bruck(problem, radix, ports, Landing::in_slots),
           [radix, ports](const DenseProblem& it, ScheduleBuilder& builder) {
             build_compact_bruck(it, radix, ports, builder);
           }}};
}

constexpr std::string_view kIrregularBruck = "irregular-bruck";

Plans irregular_bruck(const DenseProblem& problem) {
  if (!knows_what_passes(problem, 2)) return {};
  return {{std::string(kIrregularBruck), predict_dense_bruck(problem, 2, 0, Landing::in_slots), build_irregular_bruck}};
}

/// Exchanges that the randomized algorithms have in flight where nobody says. The paper does not say either.
constexpr int kQueue = 8;

int queue_of(const DenseProblem& problem) { return problem.options.ports > 0 ? problem.options.ports : kQueue; }

DensePlan scatter_plan(const DenseProblem& problem, std::string name) {
  return {std::move(name), straight(problem, 0), build_dense_scatter};
}

DensePlan randomized_plan(const DenseProblem& problem, Queue queue, std::string name) {
  const int exchanges = queue_of(problem);
  return {std::move(name), straight(problem, exchanges),
          [queue, exchanges](const DenseProblem& it, ScheduleBuilder& builder) {
            build_dense_randomized(it, queue, exchanges, builder);
          }};
}

DensePlan segmented_plan(const DenseProblem& problem, Queue queue, std::string name) {
  const int exchanges = queue_of(problem);
  return {std::move(name), predict_dense_segmented(problem, queue, exchanges),
          [queue, exchanges](const DenseProblem& it, ScheduleBuilder& builder) {
            build_dense_segmented(it, queue, exchanges, builder);
          }};
}

Plans scatter(const DenseProblem& problem) { return {scatter_plan(problem, "scatter")}; }

Plans randomized(const DenseProblem& problem) {
  return {randomized_plan(problem, problem.options.queue, "randomized")};
}

Plans segmented(const DenseProblem& problem) {
  const Segments segments = segments_of(problem);
  return {segmented_plan(
      problem, problem.options.queue,
      "segmented, " + std::to_string(segments.count) + " times " + std::to_string(segments.bytes) + " bytes")};
}

/// The randomized alltoall's dynamic selection, with the queue that the paper has.
Plans paper(const DenseProblem& problem) {
  switch (paper_choice(problem.size, problem.largest)) {
    case PaperChoice::direct:
      break;
    case PaperChoice::scatter:
      return {scatter_plan(problem, "paper: scatter")};
    case PaperChoice::randomized:
      return {randomized_plan(problem, Queue::batches, "paper: randomized")};
    case PaperChoice::segmented:
      return {segmented_plan(problem, Queue::batches, "paper: segmented")};
  }
  return {direct_through(problem, problem.options.ports, "paper: direct")};
}

template <TypeConstructor constructor>
Plans basic_bruck(const DenseProblem& problem) {
  if (!problem.regular()) return {};
  return {{constructor == TypeConstructor::indexed ? "basic-bruck-ix" : "basic-bruck", predict_basic_bruck(problem),
           [](const DenseProblem& it, ScheduleBuilder& builder) { build_basic_bruck(it, constructor, builder); }}};
}

template <TypeConstructor constructor>
Plans modified_bruck(const DenseProblem& problem) {
  if (!problem.regular()) return {};
  return {{constructor == TypeConstructor::indexed_block ? "modified-bruck-ix" : "modified-bruck",
           predict_modified_bruck(problem),
           [](const DenseProblem& it, ScheduleBuilder& builder) { build_modified_bruck(it, constructor, builder); }}};
}

template <TypeConstructor constructor>
Plans zero_copy_bruck(const DenseProblem& problem) {
  if (!problem.regular()) return {};
  return {{constructor == TypeConstructor::struct_of_runs ? "zero-copy-bruck-blocks" : "zero-copy-bruck",
           predict_zero_copy_bruck(problem, constructor),
           [](const DenseProblem& it, ScheduleBuilder& builder) { build_zero_copy_bruck(it, constructor, builder); }}};
}

constexpr std::array kAlgorithms{
    DenseAlgorithm{"direct", false, true, direct},
    DenseAlgorithm{"pairwise", false, true, pairwise},
    DenseAlgorithm{"windowed", false, true, windowed},
    DenseAlgorithm{"bruck", true, true, bruck},
    DenseAlgorithm{"compact-bruck", true, true, compact_bruck},
    DenseAlgorithm{kIrregularBruck, true, true, irregular_bruck},
    DenseAlgorithm{"scatter", false, true, scatter},
    DenseAlgorithm{"randomized", false, true, randomized},
    DenseAlgorithm{"segmented", true, true, segmented},
    DenseAlgorithm{"paper", true, true, paper},
    DenseAlgorithm{"basic-bruck", true, true, basic_bruck<TypeConstructor::bounded_vector>},
    DenseAlgorithm{"basic-bruck-ix", true, true, basic_bruck<TypeConstructor::indexed>},
    DenseAlgorithm{"modified-bruck", true, true, modified_bruck<TypeConstructor::circular_vector>},
    DenseAlgorithm{"modified-bruck-ix", true, true, modified_bruck<TypeConstructor::indexed_block>},
    DenseAlgorithm{"zero-copy-bruck", true, true, zero_copy_bruck<TypeConstructor::struct_of_elements>},
    DenseAlgorithm{"zero-copy-bruck-blocks", true, true, zero_copy_bruck<TypeConstructor::struct_of_runs>},
};

/// How much less time another plan must have taken than the direct one to be chosen: where turns decide, less is noise.
constexpr double kDirectPreferred = 0.1;

/// Where plans were measured, only those that were are compared. All were without a limit to their ports, and with
/// blocks of one size: for blocks of several, the size in the middle stands.
void take_measured_time(const DenseProblem& problem, DensePlan& plan) {
  if (problem.measured == nullptr || problem.measured->empty() || problem.options.ports != 0) return;
  if (!problem.regular_enough() || problem.largest == 0) return;
  const std::int64_t bytes = problem.smallest + (problem.largest - problem.smallest + 1) / 2;
  plan.prediction.nanoseconds =
      problem.measured->nanoseconds(plan.name, bytes).value_or(std::numeric_limits<double>::infinity());
  if (plan.name == "direct") plan.preferred = kDirectPreferred;
}

constexpr Registry<DenseProblem> kRegistry{"alltoall", kAlgorithms, "direct", take_measured_time};

std::string note_on_irregularity(const DenseProblem& problem, std::string_view asked, std::string_view running) {
  return "algorithm " + std::string(asked) + " was asked for and is not to be had: the largest block has " +
         std::to_string(problem.largest) + " bytes, the smallest " + std::to_string(problem.smallest) +
         ", too irregular (see rondo_regular_ratio); running \"" + std::string(running) + "\" instead";
}

}  // namespace

const Registry<DenseProblem>& dense_registry() { return kRegistry; }

bool needs_agreed_sizes(std::string_view name) {
  return std::ranges::any_of(
      kAlgorithms, [&](const DenseAlgorithm& row) { return row.name == name && row.selectable && row.needs_uniform; });
}

Chosen choose_dense(const DenseProblem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  Chosen chosen = choose(kRegistry, problem, name, ordering, form);
  const bool for_irregular = name == "bruck" || name == kIrregularBruck;
  if (problem.uniform && !problem.regular_enough() && for_irregular)
    chosen.note = note_on_irregularity(problem, name, chosen.algorithm);
  if (!problem.uniform && needs_agreed_sizes(name)) {
    chosen.note =
        "algorithm " + std::string(name) +
        " was asked for and is not to be had: with rondo_assert_uniform the ranks do not agree on the largest "
        "and the smallest block; running \"" +
        chosen.algorithm + "\" instead";
  }
  return chosen;
}

std::uint32_t most_dense_tags(int size, std::int64_t largest) {
  // Of Bruck et al., in any radix: no two rounds go as many steps, and no block has more hops than digits in radix 2.
  const std::int64_t rounds = size - 1;
  const std::int64_t hops = rounds * std::bit_width(static_cast<unsigned>(rounds));
  const std::int64_t fill = std::max<std::int64_t>(1, kLongestMessage / std::max<std::int64_t>(1, largest));
  // A round of b blocks is at most 1 + b / fill messages.
  return static_cast<std::uint32_t>(std::max(rounds + hops / fill, kMostSegments + 1));
}

int radix_to_exchange(const DenseProblem& problem, std::string_view name) {
  if (problem.regular() || !problem.regular_enough()) return 0;
  DenseProblem with_sizes = problem;
  with_sizes.passing = &kToCome;
  const std::string chosen = plans_for(kRegistry, with_sizes, name).plans.front().name;
  if (chosen == kIrregularBruck) return 2;
  for (const int radix : radices(problem)) {
    if (chosen == name_bruck(radix)) return radix;
  }
  return 0;
}

}  // namespace rondo
