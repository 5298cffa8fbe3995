#include "collectives/dense_alltoall/transit_slots.hpp"

#include "collectives/dense_alltoall/bruck_rounds.hpp"

#include <algorithm>

namespace rondo::internal::dense {
namespace {

struct Wait {
  int j;
  int arrival;  ///< digit of the phase in which block j arrives
};

}  // namespace

TransitSlots::TransitSlots(int p, int radix, bool own_is_free) : p_(static_cast<std::size_t>(p)) {
  const BruckRounds rounds(p, radix);
  const auto digits = static_cast<std::size_t>(rounds.digits());
  slots_.assign(digits * p_, -1);

  // Waits are closed intervals of phases, in lists by their right ends.
  std::vector<std::vector<Wait>> leaving(digits);
  std::vector<std::vector<int>> freed(digits);  // slots that are free in the phases before this one
  std::vector<int> arrived(p_, -1);
  for (const BruckRound& round : rounds.all()) {
    round.for_each_block(p, [&](int j) {
      const auto block = static_cast<std::size_t>(j);
      const auto digit = static_cast<std::size_t>(round.digit);
      if (arrived[block] >= 0) leaving[digit].push_back({j, arrived[block]});
      arrived[block] = round.digit;
      if (!round.arrives(j)) return;
      slots_[digit * p_ + block] = j;
      freed[digit].push_back(j);
    });
  }

  // Greedily from right to left: a block cannot have the slots that others have in the phase in which it leaves.
  std::vector<int> free;
  if (own_is_free) free.push_back(0);
  for (std::size_t digit = digits; digit-- > 0;) {
    if (digit + 1 < digits) free.insert(free.end(), freed[digit + 1].begin(), freed[digit + 1].end());
    std::ranges::sort(free);  // neighbors in a message are to be neighbors in memory
    std::ranges::sort(leaving[digit], {}, [](const Wait& wait) { return std::pair(wait.arrival, wait.j); });
    std::size_t taken = 0;
    for (const Wait& wait : leaving[digit]) {
      const int slot = taken < free.size() ? free[taken++] : p + intermediate_++;
      const auto arrival = static_cast<std::size_t>(wait.arrival);
      slots_[arrival * p_ + static_cast<std::size_t>(wait.j)] = slot;
      freed[arrival].push_back(slot);
    }
    free.erase(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(taken));
  }
}

std::int64_t least_intermediate_slots(int p, int radix, bool own_is_free) {
  std::int64_t most = 0;
  std::int64_t travelling = 0;
  int digit = 0;
  const BruckRounds rounds(p, radix);
  for (const BruckRound& round : rounds.all()) {
    if (round.digit != digit) travelling = 0;
    digit = round.digit;
    travelling += round.blocks;
    const std::int64_t fresh = (p - 1) / round.width + 1;  // block 0 and blocks that have not traveled yet
    most = std::max(most, travelling - fresh + (own_is_free ? 0 : 1));
  }
  return most;
}

}  // namespace rondo::internal::dense
