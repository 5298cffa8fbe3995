/// @file
/// CartSizeAgreement: the exchange by which ranks of a Cartesian communicator learn the sizes of each other's blocks.
#ifndef RONDO_COLLECTIVES_AGREEMENT_CART_SIZE_AGREEMENT_HPP
#define RONDO_COLLECTIVES_AGREEMENT_CART_SIZE_AGREEMENT_HPP

#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/agreement/sizes_at_both_ends.hpp"
#include "collectives/arguments/checked_call.hpp"
#include "collectives/settings/settings.hpp"
#include "collectives/topology/grid.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace rondo::internal {

/// The sizes of a collective's blocks, in bytes, if all ranks know them alike. A result of sizes_by_definition() and of
/// CartSizeAgreement::agree().
struct KnownSizes {
  bool known = false;
  /// alltoall: the size of each of the t send blocks. allgather: one size for all ranks, or one for each rank.
  /// Reductions: one size for all vectors. agree() leaves this empty for reductions and regular alltoalls, whose sizes
  /// follow from sizes_by_definition().
  std::vector<std::int64_t> bytes;
};

/// Returns the sizes that follow from the collective's definition, or from the user's vouching for them
/// (rondo_assert_uniform); otherwise unknown sizes. Local, and the same on all ranks. On a mesh, the blocks of an
/// irregular alltoall stay unknown, because nobody can vouch for blocks that only pass through a process.
[[nodiscard]] KnownSizes sizes_by_definition(const CheckedCall& checked, const CallShapes& shapes, const Grid& grid,
                                             const Settings& settings);
/// Returns whether sizes_by_definition() will know the sizes. All ranks find the same without reading the sizes.
[[nodiscard]] bool knows_by_definition(const Call& call, const Grid& grid, const Settings& settings);

/// The agreement of all ranks on the sizes of an `_init` call's blocks. Also tells all ranks of trouble on one of them.
class CartSizeAgreement {
 public:
  /// Records this rank's sizes and takes all memory that agree() may need. Local. Throws std::bad_alloc.
  void prepare(const CheckedCall& checked, const CallShapes& shapes, const Grid& grid,
               const Neighborhood& neighborhood);

  /// Returns the sizes that all ranks know. Collective over `comm`: one small allreduce. One more collective, with a
  /// word or two for each block or rank, follows if sizes may differ from block to block on a mesh, or do differ from
  /// rank to rank in an allgather. If the sizes of an alltoall differ, or may differ on a mesh, each rank also sends a
  /// message of one word with `tag` to each neighbor. `trouble`: why prepare() was not called, or failed. Throws on all
  /// ranks alike: `trouble` on the ranks that have it, MPI_ERR_ARG on the others; MPI_ERR_INFO_VALUE if ranks ask for
  /// different settings, MPI_ERR_COUNT if a regular call's sizes differ, MPI_ERR_TRUNCATE if a block has another size
  /// at its receiver than at its sender.
  [[nodiscard]] KnownSizes agree(const Call& call, const Grid& grid, const Settings& settings,
                                 const std::exception_ptr& trouble, MPI_Comm comm, int tag);

 private:
  [[nodiscard]] KnownSizes agree_block_by_block(MPI_Comm comm);

  std::uint64_t sent_ = 0;                  ///< one number that stands for all sizes that are sent
  bool received_as_sent_ = true;            ///< whether receive blocks are as long as send blocks, if one rank can tell
  std::unique_ptr<SizesAtBothEnds> sizes_;  ///< for an irregular alltoall, otherwise null
  std::vector<std::int64_t> own_;           ///< sizes of the blocks sent, -1 for a neighbor that does not exist
  std::vector<std::uint64_t> words_;
  std::vector<std::int64_t> by_rank_;
};

/// Throws Error (MPI_ERR_TRUNCATE) if a receive block is not as long as the block that is known to be sent to it.
void check_received(const CheckedCall& checked, const CallShapes& shapes, const KnownSizes& sizes, const Grid& grid,
                    const Neighborhood& neighborhood);

}  // namespace rondo::internal

#endif
