#include "collectives/broadcast/algorithms.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include "collectives/blocks/message_cut.hpp"
#include "collectives/selection/radices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

namespace rondo::internal::broadcast {
namespace {

using Plans = std::vector<Plan>;

/// Share of the direct plan's time that another plan must be predicted to save. The direct plan has only one phase, and
/// the times of phases are predicted badly, worse if ranks share cores. The last share applies if messages between
/// nodes were timed.
constexpr double kDirectPreferred = 0.5;
constexpr double kDirectPreferredOnSharedCores = 0.6;
constexpr double kDirectPreferredOverNetwork = 0.2;

double preference_for_direct(const Problem& problem) {
  if (problem.costs.knows_network()) return kDirectPreferredOverNetwork;
  return problem.ranks_per_core > 1 ? kDirectPreferredOnSharedCores : kDirectPreferred;
}

/// Returns the prediction. If ranks share cores, raises its time to what messages on a core take one after the other:
/// each other rank on the core gets the block once, at least. If the block comes in parts, the rank waits for the core
/// once for each part but the first.
Prediction in_turns(const Problem& problem, Prediction prediction, std::int64_t parts = 1,
                    Nearness nearness = Nearness::far) {
  if (problem.bytes() == 0 || problem.ranks_per_core <= 1) return prediction;
  const double others_on_core = problem.ranks_per_core * (problem.size - 1) / problem.size;
  const double part = problem.costs.message(problem.bytes() / parts, 1, SentData::warm, nearness);
  const double turns = static_cast<double>(parts - 1) * problem.costs.parameters(nearness).phase;
  const double least = others_on_core * static_cast<double>(parts) * part + turns;
  prediction.nanoseconds = std::max(prediction.nanoseconds, least);
  return prediction;
}

Plan tree_of_radix(const Problem& problem, int radix, std::string name) {
  return {.name = std::move(name),
          .prediction = in_turns(problem, predict_tree(problem, radix)),
          .build = [radix](const Problem& it, ScheduleBuilder& builder) { build_tree(it, radix, builder); },
          .whole_blocks = true};
}

Plans direct(const Problem& problem) {
  Plan plan = tree_of_radix(problem, std::max(2, problem.size), "direct");
  plan.preferred = preference_for_direct(problem);
  return {std::move(plan)};
}

Plans tree(const Problem& problem) {
  Plans plans;
  for (const int radix : radices_to_offer(problem.radix, problem.size))
    plans.push_back(tree_of_radix(problem, radix, "tree, radix " + std::to_string(radix)));
  return plans;
}

Plans scatter_allgather(const Problem& problem) {
  return {{"scatter-allgather", in_turns(problem, predict_scatter_allgather(problem)), build_scatter_allgather}};
}

/// Returns the cuts of the block into parts for which plans are offered: the one that the user asked for, or several.
std::vector<Segments> cuts(const Problem& problem) {
  constexpr std::array<std::int64_t, 6> kSizes{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20};
  if (problem.segment < 0)
    throw Error(MPI_ERR_INFO_VALUE, "segment: is " + std::to_string(problem.segment) + ", must be at least 1 byte");
  if (problem.segment > 0) return {segments_of(problem.bytes(), problem.segment)};
  std::vector<Segments> found;
  for (const std::int64_t bytes : kSizes) {
    const Segments segments = segments_of(problem.bytes(), bytes);
    if (found.empty() || segments.count != found.back().count) found.push_back(segments);
  }
  return found;
}

std::string in_words(const Segments& segments) {
  return std::to_string(segments.count) + " times " + std::to_string(segments.bytes) + " bytes";
}

Plans in_parts(const Problem& problem, const std::string& algorithm,
               Prediction (*predict)(const Problem&, const Segments&),
               void (*build)(const Problem&, const Segments&, ScheduleBuilder&)) {
  Plans plans;
  for (const Segments& segments : cuts(problem)) {
    plans.push_back({algorithm + ", " + in_words(segments),
                     in_turns(problem, predict(problem, segments), segments.count),
                     [build, segments](const Problem& it, ScheduleBuilder& builder) { build(it, segments, builder); }});
  }
  return plans;
}

Plans chain(const Problem& problem) { return in_parts(problem, "chain", predict_chain, build_chain); }

Plans circulant(const Problem& problem) { return in_parts(problem, "circulant", predict_circulant, build_circulant); }

/// Returns a plan in which nearly all ranks get the block from their own node.
Plan node_aware_plan(const Problem& problem, int radix, const Segments& segments, std::string name) {
  return {std::move(name), in_turns(problem, predict_node_aware(problem, radix, segments), 1, Nearness::near),
          [radix, segments](const Problem& it, ScheduleBuilder& builder) {
            build_node_aware(it, radix, segments, builder);
          }};
}

/// Returns plans that send the whole block down trees of nodes, also a flat one, and parts along a chain of nodes.
Plans node_aware(const Problem& problem) {
  if (problem.nodes == nullptr) return {};
  Plans plans;
  for (const int radix : radices_and_direct(problem.radix, problem.nodes->nodes())) {
    plans.push_back(node_aware_plan(problem, radix, segments_of(problem.bytes(), problem.bytes(), 1),
                                    "node-aware, radix " + std::to_string(radix)));
  }
  for (const Segments& segments : cuts(problem)) {
    if (segments.count > 1)
      plans.push_back(node_aware_plan(problem, 1, segments, "node-aware, chain, " + in_words(segments)));
  }
  return plans;
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},         Algorithm{"tree", false, tree},
    Algorithm{"node-aware", false, node_aware}, Algorithm{"scatter-allgather", false, scatter_allgather},
    Algorithm{"chain", false, chain},           Algorithm{"circulant", false, circulant},
};

constexpr Registry<Problem> kRegistry{"broadcast", kAlgorithms, "direct"};

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

std::uint32_t most_tags(int size, std::int64_t bytes) {
  // Scatter-allgather: a round has at most one message for each share of the block, if shares are very long.
  const std::int64_t share = segments_of(bytes, 0, size).bytes;
  const std::int64_t rounds = 2 * std::bit_width(static_cast<unsigned>(size));
  const std::int64_t split = 2 * std::int64_t{size} / blocks_in_message(share);
  return static_cast<std::uint32_t>(std::max(rounds + split, kMostSegments) + 1);
}

}  // namespace rondo::internal::broadcast
