/// @file
/// RONDO_CHECK for collectives of blocks: what rank 0 gets from all ranks, and what it finds wrong.
#ifndef RONDO_COLLECTIVES_GATHERED_BLOCKS_HPP
#define RONDO_COLLECTIVES_GATHERED_BLOCKS_HPP

#include "collectives/alltoall_definition.hpp"
#include "collectives/cart_call.hpp"
#include "datatypes/overlap.hpp"
#include "datatypes/signature.hpp"
#include "runtime/byte_stream.hpp"
#include "runtime/schedule.hpp"
#include "runtime/schedule_checker.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace rondo {

/// One side of a call, with its blocks.
struct SideToCheck {
  const CallSide& side;
  std::span<const BlockShape> blocks;
  ExistingBlocks existing;
};

/// Writes what GatheredBlocks reads. Local.
void write_blocks(ByteWriter& writer, const Schedule& schedule, const SideToCheck& send, const SideToCheck& recv);

/// A block on its way: the `sent`-th of rank `source` becomes the `received`-th of rank `target`, or is combined into
/// it. `number`: what messages call it.
struct Arrival {
  int source;
  std::size_t sent;
  int target;
  std::size_t received;
  std::size_t number;
};

/// What a collective is to do, from the blocks of all ranks.
struct CollectiveDefinition {
  std::vector<Placement> placements;
  std::vector<Combination> combinations = {};
};

/// Schedules and blocks of all ranks.
class GatheredBlocks {
 public:
  /// `send_blocks`, `recv_blocks`: how many a rank has of each.
  GatheredBlocks(std::span<const ByteReader> readers, int send_blocks, int recv_blocks);

  [[nodiscard]] std::vector<BlocksOfRank> blocks() const;
  /// Throws Error, MPI_ERR_BUFFER, for bytes in two receive blocks or twice in one.
  void check_receives() const;
  /// Throws Error, MPI_ERR_TYPE, for a block that arrives as other basic types than it was sent.
  void check_types(std::span<const Arrival> arrivals) const;
  /// Throws Error, MPI_ERR_INTERN with the schedule checker's story.
  void check_schedules(const CollectiveDefinition& definition) const;

 private:
  /// One side of a rank, as rank 0 sees it.
  struct Side {
    Side(ByteReader& reader, int expected);
    std::deque<Layout> layouts;
    std::vector<BlockShape> blocks;
    std::vector<SignatureDigest> signatures;
  };
  struct Rank {
    Rank(ByteReader reader, int send_blocks, int recv_blocks);
    Schedule schedule;
    Side send;
    Side recv;
    std::vector<Overlap> received_twice;  ///< found there: one or none
  };

  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace rondo

#endif
