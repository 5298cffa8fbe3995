#include "collectives/alltoall_definition.hpp"

#include <rondo/error.hpp>

#include <algorithm>
#include <string>

namespace rondo {
namespace {

struct Piece {
  std::int64_t offset;
  std::int64_t bytes;
};

std::vector<Piece> pieces_of(const BlockShape& block) {
  std::vector<Piece> pieces;
  block.layout->for_each_piece(
      [&](std::int64_t offset, std::int64_t bytes) {
        pieces.push_back({offset, bytes});
      },
      block.offset);
  return pieces;
}

}  // namespace

std::vector<Placement> alltoall_definition(const Grid& grid, const Neighborhood& neighborhood,
                                           std::span<const BlocksOfRank> blocks) {
  std::vector<Placement> definition;
  for (int rank = 0; rank < grid.size(); ++rank) {
    const Grid seen_from = grid.seen_from(rank);
    for (int i = 0; i < neighborhood.size(); ++i) {
      const int source = seen_from.relative_rank(neighborhood[i], -1);
      if (source == kNoRank) continue;  // beyond the edge of a mesh: nothing comes, and nothing is touched
      const BlockShape& from = blocks[static_cast<std::size_t>(source)].send[static_cast<std::size_t>(i)];
      const BlockShape& to = blocks[static_cast<std::size_t>(rank)].recv[static_cast<std::size_t>(i)];
      if (from.layout->size() != to.layout->size()) {
        throw Error(MPI_ERR_TRUNCATE, "block " + std::to_string(i) + ": rank " + std::to_string(source) + " sends " +
                                          std::to_string(from.layout->size()) + " bytes and rank " +
                                          std::to_string(rank) + " receives " + std::to_string(to.layout->size()));
      }
      // Piece by piece, and not by a copy program, as that is among what is checked.
      std::vector<Piece> sent = pieces_of(from);
      auto next = sent.begin();
      for (Piece received : pieces_of(to)) {
        while (received.bytes > 0) {
          const std::int64_t bytes = std::min(received.bytes, next->bytes);
          definition.push_back({rank, received.offset, source, next->offset, bytes});
          received = {received.offset + bytes, received.bytes - bytes};
          *next = {next->offset + bytes, next->bytes - bytes};
          if (next->bytes == 0) ++next;
        }
      }
    }
  }
  return definition;
}

}  // namespace rondo
