#include "collectives/block_placement.hpp"

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

void append_placements(std::vector<Placement>& definition, int index, const BlockOfRank& from, const BlockOfRank& to) {
  const std::int64_t sent_bytes = from.shape.layout->size();
  const std::int64_t received_bytes = to.shape.layout->size();
  if (sent_bytes != received_bytes) {
    throw Error(MPI_ERR_TRUNCATE, "block " + std::to_string(index) + ": rank " + std::to_string(from.rank) + " sends " +
                                      std::to_string(sent_bytes) + " bytes and rank " + std::to_string(to.rank) +
                                      " receives " + std::to_string(received_bytes));
  }
  std::vector<Piece> sent = pieces_of(from.shape);
  auto next = sent.begin();
  for (Piece received : pieces_of(to.shape)) {
    while (received.bytes > 0) {
      const std::int64_t bytes = std::min(received.bytes, next->bytes);
      definition.push_back({to.rank, received.offset, from.rank, next->offset, bytes});
      received = {received.offset + bytes, received.bytes - bytes};
      *next = {next->offset + bytes, next->bytes - bytes};
      if (next->bytes == 0) ++next;
    }
  }
}

}  // namespace rondo
