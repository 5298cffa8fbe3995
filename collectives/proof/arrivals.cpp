#include "collectives/proof/arrivals.hpp"

#include <rondo/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

/// Reads a block piece by piece.
class PieceReader {
 public:
  explicit PieceReader(const BlockShape& block) {
    block.layout->for_each_piece(
        [&](std::int64_t offset, std::int64_t bytes) {
          pieces_.push_back({offset, bytes});
        },
        block.offset);
  }
  [[nodiscard]] bool at_end() const { return next_ == pieces_.size(); }
  [[nodiscard]] std::int64_t ahead() const { return pieces_[next_].bytes; }
  /// Returns the offset of the next `bytes` bytes, at most ahead(), and moves past them.
  std::int64_t take(std::int64_t bytes) {
    Piece& piece = pieces_[next_];
    const std::int64_t offset = piece.offset;
    piece = {offset + bytes, piece.bytes - bytes};
    if (piece.bytes == 0) ++next_;
    return offset;
  }

 private:
  /// The rest of a piece.
  struct Piece {
    std::int64_t offset;
    std::int64_t bytes;
  };
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
};

void check_size(const Arrival& arrival, std::int64_t sent, std::int64_t received) {
  if (sent == received) return;
  throw Error(MPI_ERR_TRUNCATE, "block " + std::to_string(arrival.number) + ": rank " + std::to_string(arrival.source) +
                                    " sends " + std::to_string(sent) + " bytes and rank " +
                                    std::to_string(arrival.target) + " receives " + std::to_string(received));
}

/// Adds the lines of one received block, with everything that arrives there, to `definition`.
void append(Definition& definition, std::span<const Arrival> arrivals, std::span<const BlocksOfRank> blocks) {
  const int target = arrivals.front().target;
  const BlockShape& to = blocks[static_cast<std::size_t>(target)].recv[arrivals.front().received];
  std::vector<PieceReader> sent;
  for (const Arrival& arrival : arrivals) {
    const BlockShape& from = blocks[static_cast<std::size_t>(arrival.source)].send[arrival.sent];
    check_size(arrival, from.layout->size(), to.layout->size());
    sent.emplace_back(from);
  }
  for (PieceReader received(to); !received.at_end();) {
    std::int64_t bytes = received.ahead();
    for (const PieceReader& reader : sent) bytes = std::min(bytes, reader.ahead());
    const std::int64_t at = received.take(bytes);
    if (arrivals.size() == 1) {
      definition.placements.push_back({target, at, arrivals.front().source, sent.front().take(bytes), bytes});
      continue;
    }
    Combination line{target, at, bytes, {}};
    for (std::size_t i = 0; i < arrivals.size(); ++i) line.sources.push_back({arrivals[i].source, sent[i].take(bytes)});
    definition.combinations.push_back(std::move(line));
  }
}

}  // namespace

std::vector<Arrival> cartesian_arrivals(const Grid& grid, const Neighborhood& neighborhood, const Call& call) {
  std::vector<Arrival> arrivals;
  for (int rank = 0; rank < grid.size(); ++rank) {
    const Grid seen_from = grid.seen_from(rank);
    for (int i = 0; i < neighborhood.size(); ++i) {
      const int source = seen_from.relative_rank(neighborhood[i], -1);
      if (source == kNoRank) continue;
      const auto index = static_cast<std::size_t>(i);
      arrivals.push_back({source, call.sends_one_block() ? 0 : index, rank, call.reduces() ? 0 : index, index});
    }
  }
  return arrivals;
}

std::vector<Arrival> dense_arrivals(int p, const Call& call) {
  std::vector<Arrival> arrivals;
  if (call.collective == Collective::barrier) return arrivals;
  if (call.collective == Collective::broadcast) {
    for (int target = 0; target < p; ++target) {
      if (target != call.root) arrivals.push_back({call.root, 0, target, 0, 0});
    }
    return arrivals;
  }
  const bool gathers = call.collective == Collective::allgather;
  const bool part_each = !call.sends_one_block();
  for (int target = 0; target < p; ++target) {
    for (int source = 0; source < p; ++source) {
      if (call.in_place() && source == target && (!call.reduces() || p == 1)) continue;
      // In place, the block that a rank has for all others is one of the blocks that it receives.
      const std::size_t sent = part_each ? static_cast<std::size_t>(gathers ? source : target) : 0;
      const std::size_t received = call.reduces() ? 0 : static_cast<std::size_t>(source);
      arrivals.push_back({source, sent, target, received, gathers ? received : sent});  // numbered as by the sender
    }
  }
  return arrivals;
}

std::vector<Arrival> edge_arrivals(std::span<const edges::Lists> lists, Collective collective) {
  const bool one_for_all = collective == Collective::allgather;
  std::vector<Arrival> arrivals;
  for (const edges::Lists& here : lists) {
    for (std::size_t i = 0; i < here.sources.size(); ++i) {
      const edges::Edge& edge = here.sources[i];
      if (edge.rank == kNoRank) continue;
      const auto& targets = lists[static_cast<std::size_t>(edge.rank)].targets;
      const auto other_end = std::ranges::find_if(
          targets, [&](const edges::Edge& end) { return end.rank == here.rank && end.tag == edge.tag; });
      if (other_end == targets.end()) {
        throw Error(MPI_ERR_TOPOLOGY, "comm: rank " + std::to_string(here.rank) + " has an edge from rank " +
                                          std::to_string(edge.rank) + " that the latter does not have");
      }
      const auto sent = static_cast<std::size_t>(other_end - targets.begin());
      arrivals.push_back({edge.rank, one_for_all ? 0 : sent, here.rank, i, i});
    }
  }
  return arrivals;
}

Definition definition_of(std::span<const Arrival> arrivals, std::span<const BlocksOfRank> blocks) {
  Definition definition;
  while (!arrivals.empty()) {
    const Arrival& first = arrivals.front();
    const auto elsewhere = std::ranges::find_if(arrivals, [&](const Arrival& other) {
      return other.target != first.target || other.received != first.received;
    });
    const auto together = static_cast<std::size_t>(elsewhere - arrivals.begin());
    append(definition, arrivals.first(together), blocks);
    arrivals = arrivals.subspan(together);
  }
  return definition;
}

}  // namespace rondo::internal
