/// @file
/// Whether ranks agree on who is whose partner, found out by a sum.
#ifndef RONDO_COLLECTIVES_BINDING_PARTNER_BALANCE_HPP
#define RONDO_COLLECTIVES_BINDING_PARTNER_BALANCE_HPP

#include "runtime/base/mix.hpp"

#include <cstdint>

namespace rondo::internal {

/// Of two ranks in this order, and hardly ever the same in the other one, nor a sum of some others.
[[nodiscard]] constexpr std::uint64_t hash_of_pair(int first, int second) noexcept {
  // Mixed once more, as the last word has gone through one round only.
  return mix(mix(mix(1, static_cast<std::uint32_t>(first)), static_cast<std::uint32_t>(second)), 0);
}

/// What a rank adds to a sum over all ranks, modulo 2^64. If each partner of a rank has that rank as its partner, too,
/// the sum is 0, as the two add opposite numbers; otherwise it is not, as far as hashes can tell. `partners`: different
/// ones, each with a rank.
template <typename Partners>
[[nodiscard]] std::uint64_t partner_balance(int rank, const Partners& partners) noexcept {
  std::uint64_t balance = 0;
  for (const auto& partner : partners) balance += hash_of_pair(rank, partner.rank) - hash_of_pair(partner.rank, rank);
  return balance;
}

}  // namespace rondo::internal

#endif
