/// @file
/// circulant_skips(): the edges of the circulant graph on which Träff's round-optimal collectives run.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_CIRCULANT_GRAPH_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_CIRCULANT_GRAPH_HPP

#include <algorithm>
#include <vector>

namespace rondo::internal {

/// Returns the skips of the graph of p ranks, at least 1 (arXiv 2312.11236, section 2.1): ascending, the last is p
/// itself, and each is half of the next one, rounded up. Rank r has edges to rank r + skip, modulo p, for all skips but
/// the last: log2(p) edges, rounded up.
[[nodiscard]] inline std::vector<int> circulant_skips(int p) {
  std::vector<int> skips{p};
  while (skips.back() > 1) skips.push_back(skips.back() - skips.back() / 2);
  std::ranges::reverse(skips);
  return skips;
}

}  // namespace rondo::internal

#endif
