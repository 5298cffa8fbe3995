/// @file
/// RoundSizes: the sizes of blocks that pass through a process in the alltoall of Bruck et al., and their exchange.
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

/// The sizes of the blocks that arrive at one process in each round, if blocks differ in size (zero-copy Bruck paper,
/// section 3.5). Blocks travel towards lower ranks.
struct RoundSizes {
  int radix = 0;
  std::vector<std::int64_t> arriving;  ///< bytes: round by round, as BruckRounds has them, in each round by block
};

/// Returns the sizes of the blocks that arrive at `rank`, given the sizes of all blocks of all ranks: bytes(source,
/// target).
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

/// The exchange in which processes learn their RoundSizes. Each process passes on the sizes of the blocks that it is
/// going to send, in the rounds and along the ways of the blocks themselves. The exchange goes on whenever advance() is
/// called, and never waits. If it is given up before it is over, requests in flight stay, with their memory.
class RoundSizeExchange {
 public:
  /// Allocates all memory and sends nothing. `own`: bytes of the blocks for each rank. Uses `tag` of `comm`, which
  /// nothing else may use meanwhile. Throws std::bad_alloc, and Error with MPI's class.
  RoundSizeExchange(int radix, std::span<const std::int64_t> own, MPI_Comm comm, int tag);
  RoundSizeExchange(const RoundSizeExchange&) = delete;
  RoundSizeExchange& operator=(const RoundSizeExchange&) = delete;
  ~RoundSizeExchange();

  /// Makes progress without waiting and returns whether the exchange is over. Collective: all ranks must call it until
  /// it returns true. Allocates nothing. Throws Error with MPI's class.
  [[nodiscard]] bool advance();
  /// Returns the sizes of the arriving blocks. Call this once, and only when the exchange is over.
  [[nodiscard]] RoundSizes take() &&;

 private:
  struct Memory {
    std::vector<std::int64_t> at_hand;  ///< bytes of the block j that is now at this process
    std::vector<std::int64_t> outgoing;
    std::vector<std::int64_t> arriving;
    std::vector<MPI_Request> requests;  ///< requests of the phase in flight
  };

  void post_phase();
  void end_phase();

  MPI_Comm comm_;
  int tag_;
  int rank_ = 0;
  int size_ = 0;
  int radix_;
  BruckRounds rounds_;
  std::size_t begin_ = 0;    ///< first round of the phase in flight
  std::size_t end_ = 0;      ///< first round of the next phase
  std::size_t arrived_ = 0;  ///< number of sizes that have arrived
  std::unique_ptr<Memory> memory_;
};

}  // namespace rondo::internal::dense

#endif
