/// @file
/// How operations are carried out, in C++.
#ifndef RONDO_OPTIONS_HPP
#define RONDO_OPTIONS_HPP

#include <rondo/basics/cpp20.hpp>

#include <rondo/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rondo {

/// The algorithms of all collectives: the names that RONDO_ALGORITHM takes and Request::algorithm() reports, with _ for
/// hyphens (docs/algorithms.md). If a collective does not have the requested algorithm, another one runs, and the log
/// says so once.
enum class Algorithm : std::uint8_t {
  automatic,  ///< auto: the algorithm that is predicted to be the fastest
  // algorithms of neighborhoods
  direct,
  coalesced,
  coalesced_where_it_pays,
  combining,
  expansions,
  logarithmic,
  neighbors,
  ring,
  hops,
  joined,
  node_aware,  ///< also for dense collectives; for halos, halo_init only
  // algorithms of dense alltoalls, which have direct as well
  pairwise,
  windowed,
  bruck,
  compact_bruck,
  irregular_bruck,
  scatter,
  randomized,
  segmented,
  paper,
  basic_bruck,
  basic_bruck_ix,
  modified_bruck,
  modified_bruck_ix,
  zero_copy_bruck,
  zero_copy_bruck_blocks,
  // algorithms of dense reductions, which have direct and ring as well
  recursive_doubling,  ///< also for dense allgathers, which also have direct, ring and bruck
  halving_doubling,
  recursive_halving,
  circulant,  ///< also for dense allgathers and broadcasts
  // algorithms of broadcasts, which have direct as well
  tree,
  scatter_allgather,
  chain,
  dissemination  ///< for barriers, which have direct as well
};

/// How phases order the tasks of a schedule.
enum class Ordering : std::uint8_t {
  dependencies,  ///< a task waits only for the tasks whose data it needs
  phases         ///< a phase waits for the whole phase before it, as the papers run it (ICPP 2019, listing 5)
};

/// How scattered blocks travel.
enum class MessageForm : std::uint8_t {
  automatic,  ///< auto: the form that is cheaper by measured costs
  staged,     ///< copied through contiguous scratch memory
  datatype    ///< sent as one derived datatype, wherever its blocks lie: "zero-copy"
};

/// How exchanges enter the network (randomized alltoall, section 2, the queue).
enum class Queue : std::uint8_t {
  window,  ///< each exchange that ends lets the next one in
  batches  ///< as in the paper: a number of exchanges, then a wait for all of them
};

/// Whether messages of persistent operations between ranks on one node go through memory that both have mapped, in
/// place of MPI. A message does so if both ends want it and can do it (docs/settings.md).
enum class SharedMemory : std::uint8_t {
  on,
  off,
  odd  ///< only between ranks of MPI_COMM_WORLD whose sum is odd: for tests of both ways side by side
};

/// Return the name that settings use for an enumerator. Local, any thread.
[[nodiscard]] const char* name(Algorithm algorithm) noexcept;
[[nodiscard]] const char* name(Ordering ordering) noexcept;
[[nodiscard]] const char* name(MessageForm form) noexcept;
[[nodiscard]] const char* name(Queue queue) noexcept;
[[nodiscard]] const char* name(SharedMemory use) noexcept;

/// Return the enumerator of a name, or nothing if the name is empty. Throw Error, MPI_ERR_INFO_VALUE, for any other
/// text. Local, any thread.
[[nodiscard]] std::optional<Algorithm> algorithm_from(std::string_view text);
[[nodiscard]] std::optional<Ordering> ordering_from(std::string_view text);
[[nodiscard]] std::optional<MessageForm> message_form_from(std::string_view text);
[[nodiscard]] std::optional<Queue> queue_from(std::string_view text);
[[nodiscard]] std::optional<SharedMemory> shared_memory_from(std::string_view text);

/// Options for dense collectives (Comm) only: see Options.
struct DenseOptions {
  std::optional<Queue> queue{};  ///< how exchanges enter the network; RONDO_QUEUE
  int radix = 0;                 ///< radix of Bruck's alltoall, trees and barriers; 0: chosen; RONDO_RADIX
  std::int64_t segment = 0;      ///< bytes of parts of long blocks; 0: chosen, 16384 for `segmented`; RONDO_SEGMENT
  /// Seed of random orders: size (p, as in the paper), calls (another seed for each call), or a number; RONDO_SEED.
  std::string seed{};
  /// Largest block for Bruck, as a multiple of the smallest block; 0: not set, then 4; RONDO_REGULAR_RATIO.
  double regular_ratio = 0;
  std::string tuning{};  ///< file of measured costs, read by rank 0 when a Comm is made; empty: built-in costs
  /// The name of an offered algorithm (rondo/own/offer.hpp), which replaces Options::algorithm; empty: not set. In
  /// RONDO_ALGORITHM: own:NAME.
  std::string own_algorithm{};
};

/// How operations of a communicator are carried out. Every field but `reorder` has an environment variable
/// (RONDO_ALGORITHM, RONDO_SCHEDULE, RONDO_MESSAGES, RONDO_SHM, RONDO_PORTS, RONDO_PROGRESS, RONDO_CHECK,
/// RONDO_ASSERT_ISOMORPHIC, RONDO_ASSERT_UNIFORM, RONDO_LEARN, RONDO_LEARN_AGAIN, and those of DenseOptions,
/// RONDO_TUNING among them) that counts if the field is not set: empty, zero, automatic or false.
struct Options {
  std::optional<Algorithm> algorithm{};   ///< see docs/algorithms.md for the algorithms of each operation
  std::optional<Ordering> schedule{};     ///< what a task waits for
  std::optional<MessageForm> messages{};  ///< how scattered blocks travel
  std::optional<SharedMemory> shm{};      ///< messages between ranks on one node; may differ between ranks
  int ports = 0;  ///< exchanges that `direct` and other algorithms have in flight at once (EuroMPI 2015, 5.1); 0: all
  ProgressMode progress = ProgressMode::automatic;  ///< on which threads operations advance; may differ between ranks
  bool assert_isomorphic = false;                   ///< skip the check that all ranks gave the same neighborhood
  /// Asserts that blocks have the same size in bytes on all ranks: block i in every alltoallv and alltoallw, the one
  /// block in every allgatherv and allgatherw. Otherwise ranks may hang. For dense alltoalls (Comm): asserts that the
  /// arguments are right on all ranks, and the blocks of an alltoall of one size, so that _init calls check nothing
  /// together. Blocks of alltoallv and alltoallw may differ, but then algorithms that need to know by how much, such as
  /// Bruck's, are not available.
  bool assert_uniform = false;
  /// Lets persistent operations, and other calls on a communicator made with this option, try the algorithms that may
  /// be the fastest, in turn, and keep the best. Persistent ones also try forms of messages and progress modes. Values:
  /// auto, off, or how many times each is started before the ranks decide, at least 4 (docs/tuning.md). Empty: not set,
  /// then off.
  std::string learn{};
  /// Whether persistent operations that have learned compare the two fastest again, in case the machine has changed:
  /// auto (every 12000 starts, of which 12 are for the slower one), off, or every how many starts, at least 100
  /// (docs/tuning.md). Empty: not set, then auto.
  std::string learn_again{};
  bool check = false;    ///< every _init proves its schedule right: see Rondo_Cart_alltoall_init
  DenseOptions dense{};  ///< of dense alltoalls (Comm) only
  bool reorder = false;  ///< give processes better places: see Rondo_Cart_neighborhood_create
};

}  // namespace rondo

#endif
