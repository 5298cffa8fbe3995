// Message-combining alltoall: ICPP 2019, section 3.1, algorithm 1. Beyond the paper, coordinates are folded onto the
// torus first: equal residues share a round and a zero residue is no hop.
#include "collectives/alltoall_algorithms.hpp"

#include <algorithm>
#include <map>

namespace rondo {
namespace {

/// Members of each bucket: the blocks with one non-zero residue along dimension k (line 7, BUCKETSORT).
std::map<int, std::vector<std::size_t>> buckets_along(const AlltoallProblem& problem, int k,
                                                      const ScheduleBuilder& builder, std::span<const BlockId> blocks) {
  std::map<int, std::vector<std::size_t>> buckets;
  for (int i = 0; i < problem.neighborhood.size(); ++i) {
    const int residue = problem.grid.residue(k, problem.neighborhood[i][static_cast<std::size_t>(k)]);
    const auto index = static_cast<std::size_t>(i);
    if (residue != 0 && builder.bytes(blocks[index]) > 0) buckets[residue].push_back(index);
  }
  return buckets;
}

int count_hops(const AlltoallProblem& problem, int i) {
  int hops = 0;
  for (int k = 0; k < problem.grid.dimensions(); ++k) {
    if (problem.grid.residue(k, problem.neighborhood[i][static_cast<std::size_t>(k)]) != 0) ++hops;
  }
  return hops;
}

}  // namespace

void build_combining_alltoall(const AlltoallProblem& problem, ScheduleBuilder& builder) {
  const AlltoallBlocks blocks(problem, builder);
  const Grid& grid = problem.grid;
  const int t = problem.neighborhood.size();
  std::vector<BlockId> where_it_is = blocks.send;
  std::vector<int> hops;  // lines 2-4
  std::vector<int> to_self;
  for (int i = 0; i < t; ++i) {
    hops.push_back(count_hops(problem, i));
    if (hops.back() == 0) to_self.push_back(i);
  }

  std::uint32_t round = 0;
  for (int k = 0; k < grid.dimensions(); ++k) {  // line 6
    builder.begin_phase();
    for (const auto& bucket : buckets_along(problem, k, builder, blocks.send)) {
      const int residue = bucket.first;  // no binding: clang 14 lets no lambda capture one
      std::vector<BlockId> outgoing;
      std::vector<BlockId> incoming;
      std::int64_t bytes = 0;
      const auto exchange = [&] {  // lines 20-22
        builder.exchange(grid.rank_along(k, residue), grid.rank_along(k, -residue), round++, outgoing, incoming);
        outgoing.clear();
        incoming.clear();
        bytes = 0;
      };
      for (const std::size_t i : bucket.second) {
        const std::int64_t added = builder.bytes(blocks.send[i]);
        if (bytes + added > kLongestMessage && !outgoing.empty()) exchange();
        outgoing.push_back(where_it_is[i]);  // lines 11-17; a block in transit stays where its message arrived
        where_it_is[i] = --hops[i] == 0 ? blocks.recv[i] : builder.transit(added);
        incoming.push_back(where_it_is[i]);
        bytes += added;
      }
      exchange();
    }
  }
  copy_to_self(blocks, to_self, builder);  // the last phase, which communicates nothing
  builder.reserve_tags(std::max(round, static_cast<std::uint32_t>(t)));
}

}  // namespace rondo
