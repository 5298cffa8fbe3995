#include "collectives/reduction_definition.hpp"

#include <rondo/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace rondo {
namespace {

/// A piece of a vector, cut off from the front.
struct Piece {
  std::int64_t offset;
  std::int64_t bytes;
};

/// Reads a vector piece by piece, and not by a copy program, as that is among what is checked.
class PieceReader {
 public:
  explicit PieceReader(const BlockShape& vector) {
    vector.layout->for_each_piece(
        [&](std::int64_t offset, std::int64_t bytes) {
          pieces_.push_back({offset, bytes});
        },
        vector.offset);
  }
  [[nodiscard]] bool at_end() const { return next_ == pieces_.size(); }
  [[nodiscard]] std::int64_t ahead() const { return pieces_[next_].bytes; }
  /// The offset of the next bytes, which are at most ahead().
  std::int64_t take(std::int64_t bytes) {
    Piece& piece = pieces_[next_];
    const std::int64_t offset = piece.offset;
    piece = {offset + bytes, piece.bytes - bytes};
    if (piece.bytes == 0) ++next_;
    return offset;
  }

 private:
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
};

}  // namespace

ReductionDefinition reduction_definition(const Grid& grid, const Neighborhood& neighborhood, ReductionKind kind,
                                         std::span<const VectorsOfRank> vectors) {
  ReductionDefinition definition;
  for (int rank = 0; rank < grid.size(); ++rank) {
    const Grid seen_from = grid.seen_from(rank);
    const BlockShape& to = vectors[static_cast<std::size_t>(rank)].recv;
    std::vector<int> sources;
    std::vector<PieceReader> sent;
    for (int i = 0; i < neighborhood.size(); ++i) {
      const int source = seen_from.relative_rank(neighborhood[i], -1);
      if (source == kNoRank) continue;
      const auto all = vectors[static_cast<std::size_t>(source)].send;
      const BlockShape& from = kind == ReductionKind::reduce ? all.front() : all[static_cast<std::size_t>(i)];
      if (from.layout->size() != to.layout->size()) {
        throw Error(MPI_ERR_TRUNCATE, "vector " + std::to_string(i) + ": rank " + std::to_string(source) + " sends " +
                                          std::to_string(from.layout->size()) + " bytes and rank " +
                                          std::to_string(rank) + " receives " + std::to_string(to.layout->size()));
      }
      sources.push_back(source);
      sent.emplace_back(from);
    }
    if (sources.empty()) continue;
    for (PieceReader received(to); !received.at_end();) {
      std::int64_t bytes = received.ahead();
      for (const PieceReader& reader : sent) bytes = std::min(bytes, reader.ahead());
      Combination line{rank, received.take(bytes), bytes, {}};
      for (std::size_t i = 0; i < sources.size(); ++i) line.sources.push_back({sources[i], sent[i].take(bytes)});
      if (sources.size() == 1) {
        const Combination::Source& only = line.sources.front();
        definition.placements.push_back({rank, line.target_offset, only.rank, only.offset, bytes});
      } else {
        definition.combinations.push_back(std::move(line));
      }
    }
  }
  return definition;
}

}  // namespace rondo
