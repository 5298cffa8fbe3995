/// @file
/// FoldedRanks: a power of two of the ranks, for algorithms that need one.
#ifndef RONDO_COLLECTIVES_DENSE_REDUCTION_FOLDED_RANKS_HPP
#define RONDO_COLLECTIVES_DENSE_REDUCTION_FOLDED_RANKS_HPP

#include <bit>
#include <cstdint>

namespace rondo::internal::dense_reduction {

/// Of p ranks the first 2(p - 2^k) are pairs, of which the lower gives what it has to the higher (Thakur et al. 2005,
/// section 4.5): 2^k are left, in places 0 to 2^k - 1, in the order of the ranks.
class FoldedRanks {
 public:
  explicit FoldedRanks(int p) noexcept
      : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(p)))), pairs_(p - size_) {}

  /// 2^k
  [[nodiscard]] int size() const noexcept { return size_; }
  /// k
  [[nodiscard]] std::uint32_t rounds() const noexcept {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(size_))) - 1;
  }
  [[nodiscard]] bool folds() const noexcept { return pairs_ > 0; }
  [[nodiscard]] bool gives(int rank) const noexcept { return rank < 2 * pairs_ && rank % 2 == 0; }
  [[nodiscard]] bool takes(int rank) const noexcept { return rank < 2 * pairs_ && rank % 2 == 1; }
  /// Of a rank that does not give.
  [[nodiscard]] int place_of(int rank) const noexcept { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  [[nodiscard]] int rank_at(int place) const noexcept { return place < pairs_ ? 2 * place + 1 : place + pairs_; }
  /// The lowest rank whose vector is in a place, p for the place after the last.
  [[nodiscard]] int first_rank_at(int place) const noexcept { return place < pairs_ ? 2 * place : place + pairs_; }

 private:
  int size_;
  int pairs_;
};

}  // namespace rondo::internal::dense_reduction

#endif
