/// @file
/// SizesAtBothEnds: finds the block that its sender and its receiver were given different sizes of.
#ifndef RONDO_COLLECTIVES_AGREEMENT_SIZES_AT_BOTH_ENDS_HPP
#define RONDO_COLLECTIVES_AGREEMENT_SIZES_AT_BOTH_ENDS_HPP

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {

/// Returns what to tell the user: `block`, in the order of the receive blocks, has `received` bytes on `rank`, but
/// `source` sends `sent`.
[[nodiscard]] std::string wrong_size(std::uint64_t block, std::uint64_t rank, std::int64_t received,
                                     std::uint64_t source, std::int64_t sent);

/// The sizes, in bytes, that a call on this rank gives the blocks it receives and sends. Receive block i comes from
/// `sources[i]`, send block i goes to `targets[i]`; kNoRank: there is no such block. Blocks between the same two ranks
/// belong together in their order.
class SizesAtBothEnds {
 public:
  /// Local. Throws std::bad_alloc.
  SizesAtBothEnds(std::vector<int> sources, std::vector<int> targets, std::vector<std::int64_t> received,
                  std::vector<std::int64_t> sent);

  /// Collective over `comm`: a message of a word with `tag` for each block, and one or two small allreduces. Throws
  /// Error, MPI_ERR_TRUNCATE, on all ranks alike where a block is not received as it is sent; TimedOut, after which MPI
  /// may still write what `sizes` has: that stays.
  static void compare(std::unique_ptr<SizesAtBothEnds> sizes, MPI_Comm comm, int tag);

 private:
  void exchange(MPI_Comm comm, int tag);
  [[nodiscard]] bool are_complete();

  std::vector<int> sources_;
  std::vector<int> targets_;
  std::vector<std::int64_t> received_;  ///< as this rank expects it
  std::vector<std::int64_t> sent_;
  std::vector<std::int64_t> arriving_;  ///< as its source sends it
  std::vector<MPI_Request> requests_;
};

}  // namespace rondo::internal

#endif
