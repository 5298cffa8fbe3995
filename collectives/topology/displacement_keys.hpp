/// @file
/// DisplacementKeys: one number for each displacement on a grid.
#ifndef RONDO_COLLECTIVES_TOPOLOGY_DISPLACEMENT_KEYS_HPP
#define RONDO_COLLECTIVES_TOPOLOGY_DISPLACEMENT_KEYS_HPP

#include "collectives/topology/grid.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal {

/// Encodes a displacement of d residues as one number, in which each residue is a digit; a residue of zero is a digit
/// of zero. On a mesh only displacements that lead from some process to another have keys.
class DisplacementKeys {
 public:
  explicit DisplacementKeys(const Grid& grid) {
    std::int64_t stride = 1;  // stays below p * 2^d; dimensions of size 1 do not count
    for (int k = 0; k < grid.dimensions(); ++k) {
      const std::int64_t size = grid.sizes()[static_cast<std::size_t>(k)];
      digits_.push_back({stride, grid.periodic(k) ? size : 2 * size - 1});
      stride *= digits_.back().values;
    }
  }

  [[nodiscard]] std::int64_t key(std::span<const int> residues) const {
    std::int64_t key = 0;
    for (std::size_t k = 0; k < residues.size(); ++k)
      key += (residues[k] < 0 ? residues[k] + digits_[k].values : residues[k]) * digits_[k].stride;
    return key;
  }
  /// Return digit k of a key, and the number of values that it can have.
  [[nodiscard]] std::int64_t digit(std::int64_t key, std::size_t k) const {
    return key / digits_[k].stride % digits_[k].values;
  }
  [[nodiscard]] std::int64_t values(std::size_t k) const { return digits_[k].values; }
  /// Returns what residue k adds to a key.
  [[nodiscard]] std::int64_t part(std::int64_t key, std::size_t k) const { return digit(key, k) * digits_[k].stride; }

 private:
  struct Digit {
    std::int64_t stride;
    std::int64_t values;
  };
  std::vector<Digit> digits_;
};

}  // namespace rondo::internal

#endif
