#include "mpi_exchange.hpp"

#include <cstddef>
#include <map>

namespace stencil {
namespace {

/// Where a range of rows or columns begins in a tile with its halo, and how long it is.
struct Range {
  int begin;
  int size;
};

/// What is sent towards `offset` (-1, 0 or 1) along a dimension of `cells`.
Range sent(int offset, int cells) {
  if (offset == 0) return {1, cells};
  return {offset < 0 ? 1 : cells, 1};
}

/// Where it arrives: in the halo on the side that it comes from.
Range received(int offset, int cells) {
  if (offset == 0) return {1, cells};
  return {offset < 0 ? cells + 1 : 0, 1};
}

Datatype part_of_tile(const Tile<double>& tile, Range rows, Range columns) {
  const int sizes[] = {tile.rows + 2, tile.columns + 2};
  const int subsizes[] = {rows.size, columns.size};
  const int starts[] = {rows.begin, columns.begin};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  return Datatype(type);
}

Datatype joined(const std::vector<Datatype>& parts) {
  std::vector<MPI_Datatype> types;
  for (const Datatype& part : parts) types.push_back(part.get());
  const std::vector<int> ones(parts.size(), 1);
  const std::vector<MPI_Aint> zeros(parts.size(), 0);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), zeros.data(), types.data(), &type);
  return Datatype(type);
}

MPI_Comm make_graph(MPI_Comm grid, const std::vector<int>& sources, const std::vector<int>& targets) {
  int rank = 0;
  MPI_Comm_rank(grid, &rank);
  MPI_Comm plain = MPI_COMM_NULL;
  MPI_Comm_split(grid, 0, rank, &plain);  // Open MPI 5.0 takes a graph that is made from a grid for a grid
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(plain, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  MPI_Comm_free(&plain);
  return graph;
}

}  // namespace

MpiExchange::Side MpiExchange::side(std::span<const int> neighbors, const Tile<double>& tile, Direction direction) {
  // Parts stand in the order of the offsets, for the sender as for the receiver, and so match.
  const auto range = direction == Direction::out ? sent : received;
  std::map<int, std::vector<Datatype>> parts;
  std::size_t i = 0;
  for (int a = -1; a <= 1; ++a) {
    for (int b = -1; b <= 1; ++b) {
      if (a == 0 && b == 0) continue;
      parts[neighbors[i++]].push_back(part_of_tile(tile, range(a, tile.rows), range(b, tile.columns)));
    }
  }
  Side side;
  for (const auto& [process, of_process] : parts) {
    side.processes.push_back(process);
    side.owned.push_back(joined(of_process));
    side.types.push_back(side.owned.back().get());
  }
  side.counts.assign(parts.size(), 1);
  side.displacements.assign(parts.size(), 0);
  return side;
}

MpiExchange::MpiExchange(MPI_Comm comm, std::span<const int> sources, std::span<const int> targets,
                         std::array<Tile<double>, 2> tiles)
    : tiles_(tiles),
      in_(side(sources, tiles[0], Direction::in)),
      out_(side(targets, tiles[0], Direction::out)),
      graph_(make_graph(comm, in_.processes, out_.processes)) {}

void MpiExchange::start(int which) {
  double* cells = tiles_[static_cast<std::size_t>(which)].cells;
  MPI_Neighbor_alltoallw(cells, out_.counts.data(), out_.displacements.data(), out_.types.data(), cells,
                         in_.counts.data(), in_.displacements.data(), in_.types.data(), graph_.get());
}

}  // namespace stencil
