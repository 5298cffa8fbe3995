#include "collectives/dense_allgather/algorithms.hpp"

#include "collectives/blocks/message_cut.hpp"
#include "collectives/topology/circulant_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace rondo::internal::dense_allgather {
namespace {

using Plans = std::vector<Plan>;

Plans direct(const Problem& problem) {
  const int ports = problem.ports;
  return {{"direct", predict_direct(problem, ports),
           [ports](const Problem& it, ScheduleBuilder& builder) { build_direct(it, ports, builder); }, 0, true}};
}

Plans ring(const Problem& problem) { return {{"ring", predict_ring(problem), build_ring, 0, true}}; }

Plans concatenation(const Problem& problem, std::string name, std::vector<int> skips) {
  const Prediction prediction = predict_concatenation(problem, skips);
  return {{std::move(name), prediction, [skips = std::move(skips)](const Problem& it, ScheduleBuilder& builder) {
             build_concatenation(it, skips, builder);
           }}};
}

Plans bruck(const Problem& problem) { return concatenation(problem, "bruck", doubling_skips(problem.size)); }

Plans circulant(const Problem& problem) { return concatenation(problem, "circulant", circulant_skips(problem.size)); }

Plans recursive_doubling(const Problem& problem) {
  if (!std::has_single_bit(static_cast<unsigned>(problem.size))) return {};
  return {{"recursive-doubling", predict_recursive_doubling(problem), build_recursive_doubling, 0, true}};
}

Plans node_aware(const Problem& problem) {
  if (problem.nodes == nullptr) return {};
  return {{"node-aware", predict_node_aware(problem), build_node_aware}};
}

constexpr std::array kAlgorithms{
    Algorithm{"direct", false, direct},
    Algorithm{"ring", false, ring},
    Algorithm{"bruck", false, bruck},
    Algorithm{"circulant", false, circulant},
    Algorithm{"recursive-doubling", false, recursive_doubling},
    Algorithm{"node-aware", false, node_aware},
};

constexpr Registry<Problem> kRegistry{"allgather", kAlgorithms, "direct"};

}  // namespace

const Registry<Problem>& registry() { return kRegistry; }

Chosen choose(const Problem& problem, std::string_view name, Ordering ordering, MessageForm form) {
  return choose(kRegistry, problem, name, ordering, form);
}

std::uint32_t most_tags(int size, std::int64_t largest) {
  // A rank receives each block but its own once: at most as many messages, and as many rounds, as other ranks' blocks.
  const auto others = static_cast<std::uint32_t>(size - 1);
  return std::max(others, messages_of(size, largest) + static_cast<std::uint32_t>(std::bit_width(others))) + 1;
}

}  // namespace rondo::internal::dense_allgather
