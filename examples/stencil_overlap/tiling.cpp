#include "tiling.hpp"

#include "../stencil/domain.hpp"

namespace stencil {
namespace {

struct Range {
  int begin;
  int end;
};

/// Cuts a tile's range off where it touches either end of the `cells` cells of its rank.
std::vector<Range> without_ends(Range range, int cells) {
  std::vector<int> cuts{range.begin};
  if (range.begin == 0) cuts.push_back(1);
  if (range.end == cells && cells - 1 > cuts.back()) cuts.push_back(cells - 1);
  if (range.end > cuts.back()) cuts.push_back(range.end);
  std::vector<Range> ranges;
  for (std::size_t k = 1; k < cuts.size(); ++k) ranges.push_back({cuts[k - 1], cuts[k]});
  return ranges;
}

TileCells tile_of(Range of_rows, Range of_columns, int rows, int columns) {
  TileCells tile{{of_rows.begin, of_rows.end, of_columns.begin, of_columns.end}, {}, {}, {}};
  const auto note = [&](bool touches, Side side, Part& part) {
    if (!touches) return;
    part.needs.add(side);
    tile.sides.add(side);
  };
  for (const Range i : without_ends(of_rows, rows)) {
    for (const Range j : without_ends(of_columns, columns)) {
      Part part{{i.begin, i.end, j.begin, j.end}, {}};
      note(i.begin == 0, Side::top, part);
      note(i.end == rows, Side::bottom, part);
      note(j.begin == 0, Side::left, part);
      note(j.end == columns, Side::right, part);
      (part.needs.empty() ? tile.interior : tile.border).push_back(part);
    }
  }
  return tile;
}

}  // namespace

std::vector<TileCells> cut_into_tiles(int rows, int columns, int per_side) {
  std::vector<TileCells> tiles;
  const auto range = [&](int cells, int part) {
    const Extent extent = part_of(cells, per_side, part);
    return Range{extent.begin, extent.begin + extent.size};
  };
  for (int a = 0; a < per_side; ++a) {
    for (int b = 0; b < per_side; ++b) tiles.push_back(tile_of(range(rows, a), range(columns, b), rows, columns));
  }
  return tiles;
}

}  // namespace stencil
