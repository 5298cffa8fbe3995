/// @file
/// RoundSizes: the sizes of blocks that pass through a process in the alltoall of Bruck et al., and how it learns them.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_ROUND_SIZES_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_ROUND_SIZES_HPP

#include <mpi.h>

#include "collectives/dense_alltoall/bruck_rounds.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal::dense {

/// What comes to one process, where blocks differ in size (zero-copy Bruck paper, section 3.5). Blocks travel towards
/// lower ranks.
struct RoundSizes {
  int radix = 0;
  std::vector<std::int64_t> arriving;  ///< bytes: round after round, as BruckRounds has them, in each by block
};

/// From the sizes of all blocks of all ranks: bytes(source, target).
template <typename Bytes>
[[nodiscard]] RoundSizes round_sizes(int p, int rank, int radix, Bytes bytes) {
  RoundSizes sizes{radix, {}};
  const BruckRounds rounds(p, radix);
  for (const BruckRound& round : rounds.all()) {
    round.for_each_block(p, [&](int j) {
      const auto source = static_cast<int>((rank + j % round.cycle) % p);  // as far away as the block has come
      sizes.arriving.push_back(bytes(source, (source + p - j) % p));
    });
  }
  return sizes;
}

/// Each process passes the sizes of the blocks along that it is going to send, in the rounds and along the ways of the
/// blocks themselves. The exchange goes on whenever advance() is called, and never waits. Should it be given up before
/// it is over, what is in flight stays, with its memory.
class RoundSizeExchange {
 public:
  /// `own`: bytes of the blocks for each rank. Of `comm` it uses `tag`, which nothing else may use meanwhile. Takes all
  /// the memory and sends nothing. Throws std::bad_alloc, and Error with MPI's class.
  RoundSizeExchange(int radix, std::span<const std::int64_t> own, MPI_Comm comm, int tag);
  RoundSizeExchange(const RoundSizeExchange&) = delete;
  RoundSizeExchange& operator=(const RoundSizeExchange&) = delete;
  ~RoundSizeExchange();

  /// Does what can be done now, and says whether all is done. Collective in that all ranks must call it until it says
  /// so; allocates nothing. Throws Error with MPI's class.
  [[nodiscard]] bool advance();
  /// What was learned. Once, when all is done.
  [[nodiscard]] RoundSizes take() &&;

 private:
  struct Memory {
    std::vector<std::int64_t> at_hand;  ///< bytes of block j, of whomever it is now
    std::vector<std::int64_t> outgoing;
    std::vector<std::int64_t> arriving;
    std::vector<MPI_Request> requests;  ///< of the phase in flight
  };

  void post_phase();
  void end_phase();

  MPI_Comm comm_;
  int tag_;
  int rank_ = 0;
  int size_ = 0;
  int radix_;
  BruckRounds rounds_;
  std::size_t begin_ = 0;    ///< rounds of the phase in flight
  std::size_t end_ = 0;      ///< and of the next
  std::size_t arrived_ = 0;  ///< sizes that are there
  std::unique_ptr<Memory> memory_;
};

}  // namespace rondo::internal::dense

#endif
