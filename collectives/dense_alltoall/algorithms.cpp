#include "collectives/dense_alltoall/algorithms.hpp"

#include <rondo/error.hpp>

#include "collectives/blocks/message_cut.hpp"
#include "collectives/dense_alltoall/bruck_rounds.hpp"
#include "collectives/dense_alltoall/randomized.hpp"
#include "collectives/dense_alltoall/round_sizes.hpp"
#include "collectives/tuning/measured_times.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string_view>

namespace rondo::internal::dense {
namespace {

using Plans = std::vector<Plan>;

/// Default number of exchanges that `windowed` has in flight: enough to hide a latency, few enough for a queue.
constexpr int kWindow = 4;

/// Predicts an alltoall in which each block goes straight to its rank, in any order.
Prediction straight(const Problem& problem, int ports) {
  return problem.uniform ? predict_direct(problem, ports) : Prediction{};
}

Plan direct_through(const Problem& problem, int ports, std::string name) {
  return {.name = std::move(name),
          .prediction = straight(problem, ports),
          .build = [ports](const Problem& it, ScheduleBuilder& builder) { build_direct(it, ports, builder); },
          .whole_blocks = true};
}

Plans direct(const Problem& problem) { return {direct_through(problem, problem.options.ports, "direct")}; }

Plans pairwise(const Problem& problem) { return {direct_through(problem, 1, "pairwise")}; }

/// Returns the numbers of exchanges in flight to offer besides an algorithm's default, as far as they are fewer than
/// all.
std::vector<int> further_ports(const Problem& problem, std::initializer_list<int> numbers) {
  std::vector<int> ports;
  if (!problem.varies_ports || problem.options.ports > 0) return ports;
  std::ranges::copy_if(numbers, std::back_inserter(ports), [&](int number) { return number < problem.size - 1; });
  return ports;
}

std::string name_by_ports(std::string_view algorithm, int ports) {
  return std::string(algorithm) + ", " + std::to_string(ports) + " at once";
}

Plans windowed(const Problem& problem) {
  const int ports = problem.options.ports > 0 ? problem.options.ports : kWindow;
  Plans plans{direct_through(problem, ports, "windowed")};
  for (const int further : further_ports(problem, {2, 16}))
    plans.push_back(direct_through(problem, further, name_by_ports("windowed", further)));
  return plans;
}

/// Returns the candidate radices of Bruck et al.: the radix that was asked for, or those that bruck_radices()
/// recommends. Radix p and more is the direct algorithm, and is no candidate unless there is no other.
std::vector<int> radices(const Problem& problem) {
  const int wanted = problem.options.radix;
  if (wanted < 0 || wanted == 1)
    throw Error(MPI_ERR_INFO_VALUE, "radix: is " + std::to_string(wanted) + ", must be 0 or at least 2");
  if (wanted > 0) return {std::clamp(wanted, 2, std::max(2, problem.size))};
  std::vector<int> found = bruck_radices(problem.size);
  if (found.empty()) found.push_back(2);
  return found;
}

/// A stand-in for the sizes of passing blocks while they are still to be exchanged, in whatever radix turns out best.
const RoundSizes kToCome;

/// Returns whether the alltoall of Bruck et al. is available for a problem in that radix.
bool knows_what_passes(const Problem& problem, int radix) {
  if (problem.regular()) return true;
  if (!problem.regular_enough() || problem.passing == nullptr) return false;
  return problem.passing == &kToCome || problem.passing->radix == radix;
}

std::string name_bruck(int radix) { return "bruck, radix " + std::to_string(radix); }

Plans bruck(const Problem& problem) {
  Plans plans;
  const int ports = problem.options.ports;  // 0, all at once: fewer of them never pay in the cost model
  for (const int radix : radices(problem)) {
    if (!knows_what_passes(problem, radix)) continue;
    plans.push_back(
        {name_bruck(radix), predict_bruck(problem, radix, ports),
         [radix, ports](const Problem& it, ScheduleBuilder& builder) { build_bruck(it, radix, ports, builder); }});
  }
  return plans;
}

Plans compact_bruck(const Problem& problem) {
  if (!problem.regular()) return {};
  const int ports = problem.options.ports;
  const int radix = problem.options.radix == 0 ? 2 : radices(problem).front();
  return {{radix == 2 ? "compact-bruck" : "compact-bruck, radix " + std::to_string(radix),
           predict_bruck(problem, radix, ports, Landing::in_slots),
           [radix, ports](const Problem& it, ScheduleBuilder& builder) {
             build_compact_bruck(it, radix, ports, builder);
           }}};
}

constexpr std::string_view kIrregularBruck = "irregular-bruck";

Plans irregular_bruck(const Problem& problem) {
  if (!knows_what_passes(problem, 2)) return {};
  return {{std::string(kIrregularBruck), predict_bruck(problem, 2, 0, Landing::in_slots), build_irregular_bruck}};
}

/// Default number of exchanges that the randomized algorithms have in flight. The paper does not give one.
constexpr int kQueue = 8;

int queue_of(const Problem& problem) { return problem.options.ports > 0 ? problem.options.ports : kQueue; }

Plan scatter_plan(const Problem& problem, std::string name) {
  return {std::move(name), straight(problem, 0), build_scatter};
}

Plan randomized_plan(const Problem& problem, Queue queue, int exchanges, std::string name) {
  return {std::move(name), straight(problem, exchanges),
          [queue, exchanges](const Problem& it, ScheduleBuilder& builder) {
            build_randomized(it, queue, exchanges, builder);
          }};
}

Plan segmented_plan(const Problem& problem, Queue queue, std::string name) {
  const int exchanges = queue_of(problem);
  return {std::move(name), predict_segmented(problem, queue, exchanges),
          [queue, exchanges](const Problem& it, ScheduleBuilder& builder) {
            build_segmented(it, queue, exchanges, builder);
          }};
}

Plans scatter(const Problem& problem) { return {scatter_plan(problem, "scatter")}; }

Plans randomized(const Problem& problem) {
  const Queue queue = problem.options.queue;
  Plans plans{randomized_plan(problem, queue, queue_of(problem), "randomized")};
  for (const int further : further_ports(problem, {2, 32}))
    plans.push_back(randomized_plan(problem, queue, further, name_by_ports("randomized", further)));
  return plans;
}

Plans segmented(const Problem& problem) {
  const Segments segments = segments_of(problem);
  return {segmented_plan(
      problem, problem.options.queue,
      "segmented, " + std::to_string(segments.count) + " times " + std::to_string(segments.bytes) + " bytes")};
}

/// Returns the plan of the randomized alltoall's dynamic selection, with the paper's queue.
Plans paper(const Problem& problem) {
  switch (paper_choice(problem.size, problem.largest)) {
    case PaperChoice::direct:
      break;
    case PaperChoice::scatter:
      return {scatter_plan(problem, "paper: scatter")};
    case PaperChoice::randomized:
      return {randomized_plan(problem, Queue::batches, queue_of(problem), "paper: randomized")};
    case PaperChoice::segmented:
      return {segmented_plan(problem, Queue::batches, "paper: segmented")};
  }
  return {direct_through(problem, problem.options.ports, "paper: direct")};
}

template <TypeConstructor constructor>
Plans basic_bruck(const Problem& problem) {
  if (!problem.regular()) return {};
  return {{constructor == TypeConstructor::indexed ? "basic-bruck-ix" : "basic-bruck", predict_basic_bruck(problem),
           [](const Problem& it, ScheduleBuilder& builder) { build_basic_bruck(it, constructor, builder); }}};
}

template <TypeConstructor constructor>
Plans modified_bruck(const Problem& problem) {
  if (!problem.regular()) return {};
  return {{constructor == TypeConstructor::indexed_block ? "modified-bruck-ix" : "modified-bruck",
           predict_modified_bruck(problem),
           [](const Problem& it, ScheduleBuilder& builder) { build_modified_bruck(it, constructor, builder); }}};
}

template <TypeConstructor constructor>
Plans zero_copy_bruck(const Problem& problem) {
  if (!problem.regular()) return {};
  return {{constructor == TypeConstructor::struct_of_runs ? "zero-copy-bruck-blocks" : "zero-copy-bruck",
           predict_zero_copy_bruck(problem, constructor),
           [](const Problem& it, ScheduleBuilder& builder) { build_zero_copy_bruck(it, constructor, builder); }}};
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},
    Algorithm{"pairwise", false, pairwise},
    Algorithm{"windowed", false, windowed},
    Algorithm{"bruck", true, bruck},
    Algorithm{"compact-bruck", true, compact_bruck},
    Algorithm{kIrregularBruck, true, irregular_bruck},
    Algorithm{"node-aware", true, node_aware},
    Algorithm{"scatter", false, scatter},
    Algorithm{"randomized", false, randomized},
    Algorithm{"segmented", true, segmented},
    Algorithm{"paper", true, paper},
    Algorithm{"basic-bruck", true, basic_bruck<TypeConstructor::bounded_vector>},
    Algorithm{"basic-bruck-ix", true, basic_bruck<TypeConstructor::indexed>},
    Algorithm{"modified-bruck", true, modified_bruck<TypeConstructor::circular_vector>},
    Algorithm{"modified-bruck-ix", true, modified_bruck<TypeConstructor::indexed_block>},
    Algorithm{"zero-copy-bruck", true, zero_copy_bruck<TypeConstructor::struct_of_elements>},
    Algorithm{"zero-copy-bruck-blocks", true, zero_copy_bruck<TypeConstructor::struct_of_runs>},
};

/// Share of the direct plan's measured time that another plan must save to be chosen: less is noise.
constexpr double kDirectPreferred = 0.1;
/// Share of the direct plan's predicted time that another plan must save to be chosen. From costs that were measured
/// elsewhere, or with another number of ranks, phases are guessed badly, and the direct plan has only one.
constexpr double kDirectPreferredUnmeasured = 0.5;
/// Share of the direct plan's predicted time that another plan must save if messages between nodes were timed.
constexpr double kDirectPreferredOverNetwork = 0.2;

/// Replaces a plan's predicted time by its measured one. If plans were measured, only these are compared. All were
/// measured without a limit to their ports and with blocks of one size: if sizes differ, the size in the middle counts.
void take_measured_time(const Problem& problem, Plan& plan) {
  if (plan.name == "direct")
    plan.preferred = problem.costs.knows_network() ? kDirectPreferredOverNetwork : kDirectPreferredUnmeasured;
  if (problem.measured == nullptr || problem.measured->empty() || problem.options.ports != 0) return;
  if (!problem.regular_enough() || problem.largest == 0) return;
  const std::int64_t bytes = problem.smallest + (problem.largest - problem.smallest + 1) / 2;
  plan.prediction.nanoseconds =
      problem.measured->nanoseconds(plan.name, bytes).value_or(std::numeric_limits<double>::infinity());
  if (plan.name == "direct") plan.preferred = kDirectPreferred;
}

constexpr Registry<Problem> kRegistry{"alltoall", kAlgorithms, "direct", take_measured_time};

std::string note_on_irregularity(const Problem& problem, std::string_view asked, std::string_view running) {
  return "algorithm " + std::string(asked) + " was requested but is not available: the largest block has " +
         std::to_string(problem.largest) + " bytes, the smallest " + std::to_string(problem.smallest) +
         ", too irregular (see rondo_regular_ratio); running \"" + std::string(running) + "\" instead";
}

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

bool needs_agreed_sizes(std::string_view name) {
  return std::ranges::any_of(kAlgorithms, [&](const Algorithm& row) { return row.name == name && row.needs_uniform; });
}

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  Problem varied = problem;
  varied.varies_ports = problem.varies_ports || !asked_plan(name).plan.empty();
  Chosen chosen = choose(kRegistry, varied, name, ordering, form);
  const bool for_irregular = name == "bruck" || name == kIrregularBruck;
  if (problem.uniform && !problem.regular_enough() && for_irregular)
    chosen.note = note_on_irregularity(problem, name, chosen.algorithm);
  if (!problem.uniform && needs_agreed_sizes(name)) {
    chosen.note =
        "algorithm " + std::string(name) +
        " was requested but is not available: with rondo_assert_uniform the ranks do not agree on the largest "
        "and the smallest block; running \"" +
        chosen.algorithm + "\" instead";
  }
  return chosen;
}

std::uint32_t most_tags(int size, std::int64_t largest) {
  // Rounds and hops of Bruck et al. in any radix: no two rounds go as many steps, and no block has more hops than
  // digits in radix 2.
  const std::int64_t rounds = size - 1;
  const std::int64_t hops = rounds * std::bit_width(static_cast<unsigned>(rounds));
  // A round of b blocks is at most 1 + b / blocks_in_message(largest) messages.
  return static_cast<std::uint32_t>(std::max(rounds + hops / blocks_in_message(largest), kMostSegments + 1));
}

int radix_to_exchange(const Problem& problem, std::string_view name, double within) {
  if (problem.regular() || !problem.regular_enough()) return 0;
  Problem with_sizes = problem;
  with_sizes.passing = &kToCome;
  const Plans plans = plans_for(kRegistry, with_sizes, name).plans;
  double best = std::numeric_limits<double>::infinity();
  for (const Plan& plan : plans) best = std::min(best, plan.prediction.nanoseconds);
  const auto radix_of = [&](const Plan& plan) {
    if (plan.name == kIrregularBruck) return 2;
    const std::vector<int> all = radices(problem);
    const auto it = std::ranges::find_if(all, [&](int radix) { return plan.name == name_bruck(radix); });
    return it == all.end() ? 0 : *it;
  };
  for (const Plan& plan : plans) {
    const double time = plan.prediction.nanoseconds;
    const bool counts = &plan == plans.data() || (std::isfinite(time) && time <= within * best);
    if (const int radix = counts ? radix_of(plan) : 0; radix != 0) return radix;
  }
  return 0;
}

}  // namespace rondo::internal::dense
