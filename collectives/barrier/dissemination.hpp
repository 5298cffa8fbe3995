/// @file
/// The rounds of a dissemination among some ranks.
#ifndef RONDO_COLLECTIVES_BARRIER_DISSEMINATION_HPP
#define RONDO_COLLECTIVES_BARRIER_DISSEMINATION_HPP

#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>

namespace rondo::internal::barrier {

/// Returns the number of rounds. Each round takes one tag.
[[nodiscard]] inline std::uint32_t rounds_of(int size, int radix) noexcept {
  std::uint32_t rounds = 0;
  for (std::int64_t power = 1; power < size; power *= radix) ++rounds;
  return rounds;
}

/// Adds a dissemination among `size` ranks. rank_at(steps) is the rank so many steps after this one, or before it if
/// negative. Each round begins a batch, which must have room for radix - 1 exchanges.
template <typename RankAt>
void disseminate(int size, int radix, BlockId token, RankAt rank_at, ScheduleBuilder& builder) {
  std::uint32_t tag = 0;
  for (std::int64_t power = 1; power < size; power *= radix, ++tag) {
    builder.end_batch();
    builder.begin_phase();
    for (int digit = 1; digit < radix && digit * power < size; ++digit) {
      const int steps = static_cast<int>(digit * power);
      const BlockId arrival = builder.transit(1);
      builder.exchange(rank_at(steps), rank_at(-steps), tag, {&token, 1}, {&arrival, 1});
    }
  }
}

}  // namespace rondo::internal::barrier

#endif
