/// @file
/// SizesAtBothEnds: a check that the sender and the receiver of each block were given the same size.
#ifndef RONDO_COLLECTIVES_AGREEMENT_SIZES_AT_BOTH_ENDS_HPP
#define RONDO_COLLECTIVES_AGREEMENT_SIZES_AT_BOTH_ENDS_HPP

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {

/// Returns the text of an error: `block`, in the order of the receive blocks, has `received` bytes on `rank`, but
/// `source` sends `sent` bytes.
[[nodiscard]] std::string wrong_size(std::uint64_t block, std::uint64_t rank, std::int64_t received,
                                     std::uint64_t source, std::int64_t sent);

/// The sizes, in bytes, that a call on this rank gives the blocks it receives and sends. Receive block i comes from
/// `sources[i]`, send block i goes to `targets[i]`; kNoRank means that there is no such block. Blocks between the same
/// two ranks are matched in their order.
class SizesAtBothEnds {
 public:
  /// Records this rank's sizes. Local. Throws std::bad_alloc.
  SizesAtBothEnds(std::vector<int> sources, std::vector<int> targets, std::vector<std::int64_t> received,
                  std::vector<std::int64_t> sent);

  /// Compares the sizes at both ends of each block. Collective over `comm`: a message of one word with `tag` for each
  /// block, and one or two small allreduces. Throws Error (MPI_ERR_TRUNCATE) on all ranks alike if a block's receiver
  /// has another size than its sender. Throws TimedOut; MPI may still write into `sizes` then, so `sizes` is never
  /// freed.
  static void compare(std::unique_ptr<SizesAtBothEnds> sizes, MPI_Comm comm, int tag);

 private:
  void exchange(MPI_Comm comm, int tag);
  [[nodiscard]] bool are_complete();

  std::vector<int> sources_;
  std::vector<int> targets_;
  std::vector<std::int64_t> received_;  ///< bytes that this rank expects
  std::vector<std::int64_t> sent_;
  std::vector<std::int64_t> arriving_;  ///< bytes that the source of each block sends
  std::vector<MPI_Request> requests_;
};

}  // namespace rondo::internal

#endif
