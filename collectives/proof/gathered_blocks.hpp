/// @file
/// RONDO_CHECK for collectives of blocks: what rank 0 gets from all ranks, and what it finds wrong.
#ifndef RONDO_COLLECTIVES_PROOF_GATHERED_BLOCKS_HPP
#define RONDO_COLLECTIVES_PROOF_GATHERED_BLOCKS_HPP

#include "collectives/arguments/checked_call.hpp"
#include "collectives/proof/arrivals.hpp"
#include "datatypes/layout/overlap.hpp"
#include "datatypes/reading/signature.hpp"
#include "runtime/base/byte_stream.hpp"
#include "runtime/check/schedule_checker.hpp"
#include "runtime/schedule/schedule.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal {

/// Writes what GatheredBlocks reads. Local.
void write_blocks(ByteWriter& writer, const Schedule& schedule, const CheckedCall& checked);

/// Schedules and blocks of all ranks.
class GatheredBlocks {
 public:
  explicit GatheredBlocks(std::span<const ByteReader> readers);

  [[nodiscard]] std::vector<BlocksOfRank> blocks() const;
  /// Throws Error, MPI_ERR_BUFFER, for bytes in two receive blocks or twice in one.
  void check_receives() const;
  /// Throws Error, MPI_ERR_TYPE, for a block that arrives as other basic types than it was sent.
  void check_types(std::span<const Arrival> arrivals) const;
  /// Throws Error, MPI_ERR_INTERN with the schedule checker's story.
  void check_schedules(const Definition& definition) const;
  /// The same of a barrier, which has no data to define, and also for a rank that may end before all have begun.
  void check_barrier() const;

 private:
  /// One side of a rank, as rank 0 sees it.
  struct Side {
    explicit Side(ByteReader& reader);
    std::deque<Layout> layouts;
    std::vector<BlockShape> blocks;
    std::vector<SignatureDigest> signatures;
  };
  struct Rank {
    explicit Rank(ByteReader reader);
    Schedule schedule;
    Side send;
    Side recv;
    std::vector<Overlap> received_twice;  ///< found there: one or none
  };

  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace rondo::internal

#endif
