/// @file
/// FoldedRanks: reduces the number of ranks to a power of two, for algorithms that need one.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_FOLDED_RANKS_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_FOLDED_RANKS_HPP

#include <bit>
#include <cstdint>

namespace rondo::internal::dense_reduction {

/// Folds p ranks (Thakur et al. 2005, section 4.5): the first 2(p - 2^k) ranks are pairs, in which the lower rank gives
/// its vector to the higher one. The 2^k ranks that are left have places 0 to 2^k - 1, in the order of the ranks.
class FoldedRanks {
 public:
  explicit FoldedRanks(int p) noexcept
      : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(p)))), pairs_(p - size_) {}

  /// Returns the number of places, 2^k.
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Returns k, the number of rounds in which that many places exchange data at distances 1, 2, 4, ...
  [[nodiscard]] std::uint32_t rounds() const noexcept {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(size_))) - 1;
  }
  [[nodiscard]] bool folds() const noexcept { return pairs_ > 0; }
  [[nodiscard]] bool gives(int rank) const noexcept { return rank < 2 * pairs_ && rank % 2 == 0; }
  [[nodiscard]] bool takes(int rank) const noexcept { return rank < 2 * pairs_ && rank % 2 == 1; }
  /// Returns the place of a rank. Call this only if gives(rank) is false.
  [[nodiscard]] int place_of(int rank) const noexcept { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  [[nodiscard]] int rank_at(int place) const noexcept { return place < pairs_ ? 2 * place + 1 : place + pairs_; }
  /// Returns the lowest rank whose vector is in a place, or p for the place after the last.
  [[nodiscard]] int first_rank_at(int place) const noexcept { return place < pairs_ ? 2 * place : place + pairs_; }

 private:
  int size_;
  int pairs_;
};

}  // namespace rondo::internal::dense_reduction

#endif
