/// @file
/// Random: a generator of numbers that are the same for a seed on every machine and with every compiler.
#ifndef RONDO_RUNTIME_BASE_RANDOM_HPP
#define RONDO_RUNTIME_BASE_RANDOM_HPP

#include <cstdint>

namespace rondo::internal {

/// The generator SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). It takes a few lines and yields the same numbers
/// everywhere, which the standard's distributions and std::shuffle do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Returns a random number in [0, bound), all equally likely.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 modulo bound: this many numbers would count twice
    for (;;) {
      const std::uint64_t number = bits();
      if (number >= uneven) return number % bound;
    }
  }

  /// Returns 64 random bits, all values equally likely.
  [[nodiscard]] std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace rondo::internal

#endif
