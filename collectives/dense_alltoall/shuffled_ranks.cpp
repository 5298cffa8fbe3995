#include "collectives/dense_alltoall/shuffled_ranks.hpp"

#include "runtime/base/random.hpp"

#include <numeric>
#include <utility>

namespace rondo::internal::dense {

std::vector<int> get_shuffled_ranks(int size, std::uint64_t seed) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  Random random(seed);
  // Fisher and Yates: each place, from the last, takes one of the ranks that remain.
  for (std::size_t left = ranks.size(); left > 1; --left) std::swap(ranks[left - 1], ranks[random.below(left)]);
  return ranks;
}

}  // namespace rondo::internal::dense
