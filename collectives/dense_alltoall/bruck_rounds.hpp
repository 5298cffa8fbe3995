/// @file
/// BruckRounds: the exchanges of blocks in the alltoall of Bruck et al. in any radix.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_BRUCK_ROUNDS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_BRUCK_ROUNDS_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::dense {

/// One exchange of blocks. Block j travels to the rank j steps away on the ring of all ranks. It goes by the digits of
/// j, the lowest first, and so takes `steps` = v * r^d of its steps in the round of digit d and value v.
struct BruckRound {
  int digit;           ///< d
  int value;           ///< v, from 1 on
  std::int64_t steps;  ///< v * r^d
  std::int64_t width;  ///< r^d: length of the runs of blocks that travel, the first from `steps` on
  std::int64_t cycle;  ///< r^(d+1): distance from run to run
  int blocks;          ///< number of blocks that travel, at least 1
  int arriving;        ///< number of blocks whose last round this is: the first run

  /// Returns whether this is the last round of block j, which travels in it.
  [[nodiscard]] bool arrives(int j) const noexcept { return j < steps + width; }
  /// Calls visit(j) for the blocks that travel, in ascending order.
  template <typename Visit>
  void for_each_block(int p, Visit visit) const {
    for (std::int64_t begin = steps; begin < p; begin += cycle) {
      const std::int64_t end = std::min<std::int64_t>(begin + width, p);
      for (std::int64_t j = begin; j < end; ++j) visit(static_cast<int>(j));
    }
  }
};

/// The exchanges for p ranks, by digit and value. No exchange needs a block that is sent in the same phase. In radix p
/// and more they are the direct algorithm.
class BruckRounds {
 public:
  /// Makes the rounds for p ranks. `radix`: at least 2.
  BruckRounds(int p, int radix);

  [[nodiscard]] std::span<const BruckRound> all() const& noexcept { return rounds_; }
  void all() const&& = delete;  // as a loop over them would outlive them
  [[nodiscard]] int digits() const noexcept { return rounds_.empty() ? 0 : rounds_.back().digit + 1; }
  /// Returns the number of blocks that each process sends in all rounds; a block counts once for each hop.
  [[nodiscard]] std::int64_t volume() const noexcept;

 private:
  std::vector<BruckRound> rounds_;
};

/// Tells which rounds begin a phase of a schedule: the first of each digit, and within a digit the first after as many
/// rounds as there are ports. 0 ports are enough for all rounds.
class BruckPhases {
 public:
  explicit BruckPhases(int ports) noexcept : ports_(ports) {}
  /// Returns whether this round begins a phase. Call this once for each round, in order.
  [[nodiscard]] bool begin_with(const BruckRound& round) noexcept {
    const bool begins = round.digit != digit_ || (ports_ > 0 && rounds_ == ports_);
    rounds_ = begins ? 1 : rounds_ + 1;
    digit_ = round.digit;
    return begins;
  }

 private:
  int ports_;
  int digit_ = -1;
  int rounds_ = 0;  ///< rounds of the current phase
};

/// Returns, for each number of phases from log2 p down to 2, the radix with the fewest rounds, ascending. Other radices
/// trade rounds for volume, and gain less than 3% on the best of these and direct (up to p = 200, for any latencies and
/// bandwidth).
[[nodiscard]] std::vector<int> bruck_radices(int p);

}  // namespace rondo::internal::dense

#endif
