/// @file
/// GatheredBlocks, for RONDO_CHECK of collectives of blocks: the data that rank 0 gathers from all ranks, and its
/// checks.
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

/// Writes this rank's schedule and blocks for GatheredBlocks to read. Local.
void write_blocks(ByteWriter& writer, const Schedule& schedule, const CheckedCall& checked);

/// The schedules and blocks of all ranks, on rank 0.
class GatheredBlocks {
 public:
  explicit GatheredBlocks(std::span<const ByteReader> readers);

  [[nodiscard]] std::vector<BlocksOfRank> blocks() const;
  /// Throws Error (MPI_ERR_BUFFER) if bytes are in two receive blocks, or twice in one.
  void check_receives() const;
  /// Throws Error (MPI_ERR_TYPE) if a block arrives with other basic types than it was sent with.
  void check_types(std::span<const Arrival> arrivals) const;
  /// Throws Error (MPI_ERR_INTERN), with the schedule checker's finding, if the schedules are wrong.
  void check_schedules(const Definition& definition) const;
  /// Checks the schedules of a barrier, which has no data to define. Throws Error (MPI_ERR_INTERN) if they are wrong,
  /// and if a rank may end before all have begun.
  void check_barrier() const;

 private:
  /// The blocks that one rank sends or receives, as rank 0 knows them.
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
    std::vector<Overlap> received_twice;  ///< found on that rank: at most one
  };

  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace rondo::internal

#endif
