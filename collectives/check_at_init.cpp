#include "collectives/check_at_init.hpp"

#include <rondo/error.hpp>

#include "collectives/allgather_definition.hpp"
#include "collectives/alltoall_definition.hpp"
#include "collectives/gathered_check.hpp"
#include "collectives/reduction_definition.hpp"
#include "datatypes/overlap.hpp"
#include "datatypes/signature.hpp"
#include "runtime/schedule_checker.hpp"
#include "runtime/schedule_stream.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo {
namespace {

void write_side(ByteWriter& writer, std::span<const BlockShape> blocks, const CallSide& side, ExistingBlocks existing) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    writer.write(blocks[i].offset);
    write_layout(writer, *blocks[i].layout);
    if (!existing.empty() && existing[i] == 0) {
      writer.write(SignatureDigest());
      continue;
    }
    const std::int64_t count = side.counts[side.regular ? 0 : i];
    writer.write(Signature::of(side.types[side.type_per_block ? i : 0]).digest().repeated(count));
  }
}

/// One side of a rank, as rank 0 sees it.
struct RemoteSide {
  RemoteSide(ByteReader& reader, int expected) {
    for (int i = 0; i < expected; ++i) {
      const auto offset = reader.read<std::int64_t>();
      layouts.push_back(read_layout(reader));
      blocks.push_back({offset, &layouts.back()});
      signatures.push_back(reader.read<SignatureDigest>());
    }
  }

  std::deque<Layout> layouts;
  std::vector<BlockShape> blocks;
  std::vector<SignatureDigest> signatures;
};

struct RemoteRank {
  RemoteRank(ByteReader reader, const CheckedCall& checked)
      : schedule(read_schedule(reader)),
        send(reader, checked.sent_blocks()),
        recv(reader, checked.received_blocks()),
        received_twice(reader.read_list<Overlap>()) {}

  Schedule schedule;
  RemoteSide send;
  RemoteSide recv;
  std::vector<Overlap> received_twice;  ///< found there: one or none
};

void check_receives(std::span<const std::unique_ptr<RemoteRank>> ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const auto& [one, other, begin, end] : ranks[rank]->received_twice) {
      const std::string where = std::to_string(end - begin) + " bytes at recvbuf + " + std::to_string(begin) +
                                " of rank " + std::to_string(rank);
      if (one == other) {
        throw Error(MPI_ERR_BUFFER,
                    "recv block " + std::to_string(one) + ": has " + where + " twice, must have each byte once");
      }
      throw Error(MPI_ERR_BUFFER, "recv blocks " + std::to_string(one) + " and " + std::to_string(other) + ": share " +
                                      where + ", must be disjoint");
    }
  }
}

void check_signatures(const CheckedCall& checked, std::span<const std::unique_ptr<RemoteRank>> ranks) {
  const Neighborhood& neighborhood = checked.context.neighborhood();
  for (int rank = 0; rank < checked.context.grid().size(); ++rank) {
    const Grid seen_from = checked.context.grid().seen_from(rank);
    for (int i = 0; i < neighborhood.size(); ++i) {
      const int source = seen_from.relative_rank(neighborhood[i], -1);
      if (source == kNoRank) continue;
      const auto& sender = ranks[static_cast<std::size_t>(source)]->send.signatures;
      const auto& receiver = ranks[static_cast<std::size_t>(rank)]->recv.signatures;
      const auto index = static_cast<std::size_t>(i);
      const SignatureDigest& sent = sender[sender.size() == 1 ? 0 : index];
      const SignatureDigest& received = receiver[receiver.size() == 1 ? 0 : index];
      if (sent.matches(received)) continue;
      throw Error(MPI_ERR_TYPE, "block " + std::to_string(i) + ": rank " + std::to_string(source) + " sends " +
                                    sent.describe() + ", rank " + std::to_string(rank) + " receives " +
                                    received.describe());
    }
  }
}

/// What the collective is to do, from the blocks of all ranks.
struct Definition {
  std::vector<Placement> placements;
  std::vector<Combination> combinations;
};

Definition definition_of(const CheckedCall& checked, std::span<const std::unique_ptr<RemoteRank>> ranks) {
  const Grid& grid = checked.context.grid();
  const Neighborhood& neighborhood = checked.context.neighborhood();
  if (neighborhood.size() == 0) return {};
  switch (checked.call.collective) {
    case CartCollective::alltoall: {
      std::vector<BlocksOfRank> blocks;
      for (const auto& rank : ranks) blocks.push_back({rank->send.blocks, rank->recv.blocks});
      return {alltoall_definition(grid, neighborhood, blocks), {}};
    }
    case CartCollective::allgather: {
      std::vector<GatheredBlocksOfRank> blocks;
      for (const auto& rank : ranks) blocks.push_back({rank->send.blocks[0], rank->recv.blocks});
      return {allgather_definition(grid, neighborhood, blocks), {}};
    }
    case CartCollective::reduce:
    case CartCollective::scatter_reduce:
      break;
  }
  const bool scatters = checked.call.collective == CartCollective::scatter_reduce;
  std::vector<VectorsOfRank> vectors;
  for (const auto& rank : ranks) vectors.push_back({rank->send.blocks, rank->recv.blocks[0]});
  ReductionDefinition definition = reduction_definition(
      grid, neighborhood, scatters ? ReductionKind::scatter_reduce : ReductionKind::reduce, vectors);
  return {std::move(definition.placements), std::move(definition.combinations)};
}

/// On rank 0. Throws Error.
void check_all(const CheckedCall& checked, std::span<const std::unique_ptr<RemoteRank>> ranks) {
  std::vector<const Schedule*> schedules;
  for (const auto& rank : ranks) schedules.push_back(&rank->schedule);
  check_receives(ranks);
  const Definition definition = definition_of(checked, ranks);
  check_signatures(checked, ranks);
  if (const auto finding = check_schedules(schedules, definition.placements, definition.combinations))
    throw Error(MPI_ERR_INTERN, std::string(name(finding->flaw)) + ": " + finding->story);
}

}  // namespace

void check_at_init(const Schedule& schedule, const CheckedCall& checked, const CallShapes& shapes, MPI_Comm comm) {
  const auto write = [&](ByteWriter& writer) {
    write_schedule(writer, schedule);
    write_side(writer, shapes.send.blocks, checked.call.send, checked.existing_targets());
    write_side(writer, shapes.recv.blocks, checked.call.recv, checked.existing_sources());
    const std::optional<Overlap> twice = find_overlap(shapes.recv.blocks);
    writer.write_list(twice ? std::span(&*twice, 1) : std::span<const Overlap>());
  };
  const auto judge = [&](std::span<const ByteReader> readers) {
    std::vector<std::unique_ptr<RemoteRank>> ranks;
    for (const ByteReader& reader : readers) ranks.push_back(std::make_unique<RemoteRank>(reader, checked));
    check_all(checked, ranks);
  };
  check_together(std::ref(write), std::ref(judge), comm);
}

}  // namespace rondo
