/// @file
/// What ranks know of the sizes of each other's blocks, and how they come to know it.
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

/// Sizes, in bytes, that all ranks know alike.
struct KnownSizes {
  bool known = false;
  /// alltoall: of block i, t of them. allgather: one for all ranks, or one for each rank. Reductions: one for all
  /// vectors.
  std::vector<std::int64_t> bytes;
};

/// What follows from the collective's definition, or from the user's vouching (rondo_assert_uniform). Local, and the
/// same on all ranks. On a mesh nobody can vouch for the blocks of an irregular alltoall that only pass through a
/// process.
[[nodiscard]] KnownSizes sizes_by_definition(const CheckedCall& checked, const CallShapes& shapes, const Grid& grid,
                                             const Settings& settings);
/// Whether sizes_by_definition() will know, as all ranks can tell without looking at the sizes.
[[nodiscard]] bool knows_by_definition(const Call& call, const Grid& grid, const Settings& settings);

/// Finds out for an `_init` call whether sizes agree, and tells all ranks of trouble on one of them.
class CartSizeAgreement {
 public:
  /// Takes note of this rank's sizes, and all the memory that agree() may need: throws std::bad_alloc. Local.
  void prepare(const CheckedCall& checked, const CallShapes& shapes, const Grid& grid,
               const Neighborhood& neighborhood);

  /// Collective over `comm`: one small allreduce; where sizes may differ from block to block on a mesh, or do differ
  /// from rank to rank in an allgather, one more collective with a word or two for each block or rank; where those of
  /// an alltoall differ, a message of a word to each neighbor with `tag`. `trouble`: why prepare() was not called, or
  /// failed. Throws on all ranks alike: `trouble` where there is one, MPI_ERR_ARG on the others; MPI_ERR_INFO_VALUE
  /// when ranks ask for different settings, MPI_ERR_COUNT when a regular call's sizes differ, MPI_ERR_TRUNCATE when a
  /// block is not received as it is sent.
  [[nodiscard]] KnownSizes agree(const Call& call, const Grid& grid, const Settings& settings,
                                 const std::exception_ptr& trouble, MPI_Comm comm, int tag);

 private:
  [[nodiscard]] KnownSizes agree_block_by_block(MPI_Comm comm);

  std::uint64_t sent_ = 0;        ///< a number that stands for the sizes that are sent
  bool received_as_sent_ = true;  ///< whether receive blocks are as long as send blocks, where one rank can tell
  std::unique_ptr<SizesAtBothEnds> sizes_;  ///< of an irregular alltoall
  std::vector<std::int64_t> own_;           ///< sizes of the blocks sent, -1 where there is no neighbor
  std::vector<std::uint64_t> words_;
  std::vector<std::int64_t> by_rank_;
};

/// Throws Error, MPI_ERR_TRUNCATE, for a receive block that is not as long as what is known to be sent to it.
void check_received(const CheckedCall& checked, const CallShapes& shapes, const KnownSizes& sizes, const Grid& grid,
                    const Neighborhood& neighborhood);

}  // namespace rondo::internal

#endif
