#include "collectives/check_at_init.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"
#include "collectives/allgather_definition.hpp"
#include "collectives/alltoall_definition.hpp"
#include "collectives/reduction_definition.hpp"
#include "datatypes/mpi_check.hpp"
#include "datatypes/overlap.hpp"
#include "datatypes/signature.hpp"
#include "runtime/schedule_checker.hpp"
#include "runtime/schedule_stream.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
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

/// What rank 0 tells the others: of a size that needs no memory.
class Verdict {
 public:
  void refuse(int error_class, std::string_view text) noexcept {
    error_class_ = error_class;
    constexpr std::string_view kPrefix = "RONDO_CHECK: ";
    const auto end = std::ranges::copy(kPrefix, text_.begin()).out;
    std::copy_n(text.begin(), std::min(text.size(), text_.size() - kPrefix.size() - 1), end);
  }
  void throw_if_refused() const {
    if (error_class_ != MPI_SUCCESS) throw Error(error_class_, text_.data());
  }

 private:
  int error_class_ = MPI_SUCCESS;
  std::array<char, 2000> text_{};
};

void judge(const CheckedCall& checked, std::span<const std::byte> all, std::span<const int> sizes,
           Verdict& verdict) noexcept {
  try {
    std::vector<std::unique_ptr<RemoteRank>> ranks;
    for (const int size : sizes) {
      const ByteReader reader(all.first(static_cast<std::size_t>(size)));
      ranks.push_back(std::make_unique<RemoteRank>(reader, checked));
      all = all.subspan(static_cast<std::size_t>(size));
    }
    check_all(checked, ranks);
  } catch (const Error& error) {
    verdict.refuse(error.error_class(), error.what());
  } catch (const std::bad_alloc&) {
    verdict.refuse(MPI_ERR_NO_MEM, "out of memory");
  } catch (const std::exception& error) {
    verdict.refuse(MPI_ERR_INTERN, error.what());
  }
}

}  // namespace

void check_at_init(const Schedule& schedule, const CheckedCall& checked, const CallShapes& shapes, MPI_Comm comm) {
  const Grid& grid = checked.context.grid();
  const auto p = static_cast<std::size_t>(grid.size());
  const bool judges = grid.rank() == 0;
  ByteWriter writer;
  std::vector<int> sizes;
  std::vector<int> places;
  std::vector<std::byte> all;
  // Whatever may fail on one rank alone is told to all before the next collective call.
  agree_that_all_is_well(trouble_in([&] {
                           write_schedule(writer, schedule);
                           write_side(writer, shapes.send.blocks, checked.call.send, checked.existing_targets());
                           write_side(writer, shapes.recv.blocks, checked.call.recv, checked.existing_sources());
                           const std::optional<Overlap> twice = find_overlap(shapes.recv.blocks);
                           writer.write_list(twice ? std::span(&*twice, 1) : std::span<const Overlap>());
                           if (writer.bytes().size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / p)
                             throw Error(MPI_ERR_NO_MEM, "RONDO_CHECK: the schedules are too large to be checked");
                           sizes.resize(p);
                           places.resize(p);
                         }),
                         comm);
  const int size = static_cast<int>(writer.bytes().size());
  check_mpi(MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  agree_that_all_is_well(trouble_in([&] {
                           if (!judges) return;
                           std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
                           all.resize(static_cast<std::size_t>(places.back() + sizes.back()));
                         }),
                         comm);
  check_mpi(
      MPI_Gatherv(writer.bytes().data(), size, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE, 0, comm),
      "MPI_Gatherv");
  Verdict verdict;
  if (judges) judge(checked, all, sizes, verdict);
  check_mpi(MPI_Bcast(&verdict, sizeof verdict, MPI_BYTE, 0, comm), "MPI_Bcast");
  verdict.throw_if_refused();
}

}  // namespace rondo
