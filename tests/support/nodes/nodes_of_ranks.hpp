/// @file
/// Ranks on several nodes, for tests without MPI.
#ifndef RONDO_TESTS_SUPPORT_NODES_OF_RANKS_HPP
#define RONDO_TESTS_SUPPORT_NODES_OF_RANKS_HPP

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::test {

/// Ranks that have the same coordinates along the dimensions of `mask` are on one node.
[[nodiscard]] inline std::vector<std::int64_t> nodes_by(std::span<const int> sizes, unsigned mask) {
  std::vector<std::int64_t> nodes{1};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    std::vector<std::int64_t> next;
    for (const std::int64_t node : nodes) {
      for (int at = 0; at < sizes[k]; ++at) next.push_back((mask >> k & 1U) != 0 ? node * sizes[k] + at : node);
    }
    nodes.swap(next);
  }
  return nodes;
}

/// A number for the node of each of `p` ranks: in blocks of some size, dealt out in turn, or anyhow; now and then one
/// shares memory with nobody.
[[nodiscard]] inline std::vector<std::int64_t> some_nodes(int p, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int nodes = 2 + static_cast<int>(random() % 4);
  const int in_a_row = 1 + static_cast<int>(random() % 5);
  std::vector<std::int64_t> numbers;
  for (int rank = 0; rank < p; ++rank) {
    const int node = seed % 3 == 0   ? rank / in_a_row
                     : seed % 3 == 1 ? rank % nodes
                                     : static_cast<int>(random() % static_cast<unsigned>(nodes));
    numbers.push_back(random() % 16 == 0 ? 0 : node + 1);
  }
  return numbers;
}

/// For names of cases.
[[nodiscard]] inline std::string describe_nodes(std::span<const std::int64_t> nodes) {
  std::string text = nodes.empty() ? "" : ", nodes";
  for (const std::int64_t node : nodes) text += " " + std::to_string(node);
  return text;
}

}  // namespace rondo::internal::test

#endif
