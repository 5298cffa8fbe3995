/// @file
/// A rank's cells cut into tiles, and each tile into what needs no halo and what needs which sides of it.
#ifndef RONDO_EXAMPLES_STENCIL_OVERLAP_TILING_HPP
#define RONDO_EXAMPLES_STENCIL_OVERLAP_TILING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace stencil {

/// Where a halo lies.
enum class Side : std::uint8_t { top, left, right, bottom };

/// A set of sides.
class Sides {
 public:
  void add(Side side) { bits_ |= 1U << static_cast<unsigned>(side); }
  [[nodiscard]] bool has(Side side) const { return (bits_ >> static_cast<unsigned>(side) & 1U) != 0; }
  [[nodiscard]] bool has_all(Sides other) const { return (other.bits_ & ~bits_) == 0; }
  [[nodiscard]] bool empty() const { return bits_ == 0; }

 private:
  unsigned bits_ = 0;
};

/// Cells of rows [row_begin, row_end) and columns [column_begin, column_end) of a rank's.
struct Box {
  int row_begin;
  int row_end;
  int column_begin;
  int column_end;
};

/// Cells that all need the same sides of the rank's halo.
struct Part {
  Box cells;
  Sides needs;
};

/// What a oneTBB task computes.
struct TileCells {
  Box all;
  std::vector<Part> interior;  ///< needs no halo: one part, or none in a tile that is thin
  std::vector<Part> border;    ///< edges, which need one side, and corners, which need two
  Sides sides;                 ///< all that its border needs
};

/// `per_side` x `per_side` tiles of a rank's rows x columns cells, at least `per_side` of either.
[[nodiscard]] std::vector<TileCells> cut_into_tiles(int rows, int columns, int per_side);

/// The parts of a border that are still to be computed in a step.
class Border {
 public:
  explicit Border(std::vector<Part> parts) : parts_(std::move(parts)) {}

  void begin_step() {
    there_ = {};
    first_waiting_ = 0;
  }
  /// The halo on `side` is there: calls compute(box) for what lacks nothing any more. Does nothing when told again.
  template <typename Compute>
  void arrived(Side side, Compute compute) {
    there_.add(side);
    const auto begin = parts_.begin() + first_waiting_;
    const auto end = std::partition(begin, parts_.end(), [&](const Part& part) { return there_.has_all(part.needs); });
    std::for_each(begin, end, [&](const Part& part) { compute(part.cells); });
    first_waiting_ = end - parts_.begin();
  }

 private:
  std::vector<Part> parts_;
  Sides there_;
  std::ptrdiff_t first_waiting_ = 0;
};

}  // namespace stencil

#endif
