#include "tile_halo.hpp"

namespace stencil {
namespace {

/// Where the rank is that the halo on `side` goes to: opposite to where it comes from.
std::array<int, 2> target_offset(Side side) {
  switch (side) {
    case Side::top:
      return {1, 0};
    case Side::left:
      return {0, 1};
    case Side::right:
      return {0, -1};
    case Side::bottom:
      return {-1, 0};
  }
  return {};
}

/// First cells of the halo on a side and of what is sent for it, as rows and columns of the rank's.
struct Ends {
  double* halo;
  double* sent;
};

Ends ends(const Tile<double>& rank, const Box& tile, Side side) {
  switch (side) {
    case Side::top:
      return {&rank.at(-1, tile.column_begin), &rank.at(rank.rows - 1, tile.column_begin)};
    case Side::left:
      return {&rank.at(tile.row_begin, -1), &rank.at(tile.row_begin, rank.columns - 1)};
    case Side::right:
      return {&rank.at(tile.row_begin, rank.columns), &rank.at(tile.row_begin, 0)};
    case Side::bottom:
      return {&rank.at(rank.rows, tile.column_begin), &rank.at(0, tile.column_begin)};
  }
  return {};
}

}  // namespace

TileHalo::TileHalo(const rondo::CartComm& torus, Domain& domain, const TileCells& tile, rondo::ProgressMode progress) {
  rondo::Neighborhood targets(2);
  for (const Side side : {Side::top, Side::left, Side::right, Side::bottom}) {
    if (!tile.sides.has(side)) continue;
    sides_.push_back(side);
    targets.add(target_offset(side));
  }
  if (sides_.empty()) return;

  rondo::Options options;
  options.algorithm = rondo::Algorithm::direct;
  options.progress = progress;
  rondo::CartComm neighbors = torus.with_neighborhood(targets);
  const int columns = tile.all.column_end - tile.all.column_begin;
  const ColumnType column(tile.all.row_end - tile.all.row_begin, domain.columns().size);
  for (int which = 0; which < 2; ++which) {
    std::vector<rondo::SendBlock> send;
    std::vector<rondo::RecvBlock> recv;
    for (const Side side : sides_) {
      const Ends at = ends(domain.tile(which), tile.all, side);
      const bool is_row = side == Side::top || side == Side::bottom;
      const int count = is_row ? columns : 1;
      const MPI_Datatype type = is_row ? MPI_DOUBLE : column.get();
      send.push_back({at.sent, count, type});
      recv.push_back({at.halo, count, type});
    }
    requests_[static_cast<std::size_t>(which)] = neighbors.alltoallw_init(send, recv, options);
  }
}

}  // namespace stencil
