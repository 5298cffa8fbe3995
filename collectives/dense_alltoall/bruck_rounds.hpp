/// @file
/// BruckRounds: who sends which blocks when, in the alltoall of Bruck et al. in any radix.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_BRUCK_ROUNDS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_BRUCK_ROUNDS_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::dense {

/// One exchange. Block j is on its way to the rank j steps away on the ring of all ranks; it goes by the digits of j,
/// the lowest first, and so takes `steps` = v * r^d of its steps in the round of digit d and value v.
struct BruckRound {
  int digit;           ///< d
  int value;           ///< v, from 1 on
  std::int64_t steps;  ///< v * r^d
  std::int64_t width;  ///< r^d: blocks that travel come in runs of so many, from `steps` on
  std::int64_t cycle;  ///< r^(d+1): from run to run
  int blocks;          ///< that travel, at least 1
  int arriving;        ///< of them, whose last round it is: the first run

  /// Whether it is the last round of a block that travels in it.
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

/// The exchanges for p ranks, by digit and value: no phase of the algorithm needs what is sent in it. In radix p and
/// more it is the direct algorithm.
class BruckRounds {
 public:
  /// `radix`: at least 2.
  BruckRounds(int p, int radix);

  [[nodiscard]] std::span<const BruckRound> all() const& noexcept { return rounds_; }
  void all() const&& = delete;  // as a loop over them would outlive them
  [[nodiscard]] int digits() const noexcept { return rounds_.empty() ? 0 : rounds_.back().digit + 1; }
  /// Blocks sent by each process, each counted once for each hop.
  [[nodiscard]] std::int64_t volume() const noexcept;

 private:
  std::vector<BruckRound> rounds_;
};

/// Tells where phases of a schedule begin: with each digit, and in it after as many rounds as there are ports, 0 being
/// enough for all.
class BruckPhases {
 public:
  explicit BruckPhases(int ports) noexcept : ports_(ports) {}
  /// Whether this round begins one. To be asked about all rounds, in order.
  [[nodiscard]] bool begin_with(const BruckRound& round) noexcept {
    const bool begins = round.digit != digit_ || (ports_ > 0 && rounds_ == ports_);
    rounds_ = begins ? 1 : rounds_ + 1;
    digit_ = round.digit;
    return begins;
  }

 private:
  int ports_;
  int digit_ = -1;
  int rounds_ = 0;  ///< of this phase
};

/// For each number of phases from log2 p down to 2 the radix with the fewest rounds, ascending. Others trade rounds for
/// volume, and gain less than 3% on the best of these and direct (up to p = 200, latencies and bandwidth at will).
[[nodiscard]] std::vector<int> bruck_radices(int p);

}  // namespace rondo::internal::dense

#endif
