/// @file
/// How operations are carried out, in C++.
#ifndef RONDO_OPTIONS_HPP
#define RONDO_OPTIONS_HPP

#include <rondo/cpp20.hpp>

#include <rondo/progress.hpp>

#include <cstdint>
#include <string>

namespace rondo {

/// How operations of a communicator are carried out. Every field but `reorder` has an environment variable
/// (RONDO_ALGORITHM, RONDO_SCHEDULE, RONDO_MESSAGES, RONDO_PORTS, RONDO_PROGRESS, RONDO_CHECK, RONDO_ASSERT_ISOMORPHIC,
/// RONDO_ASSERT_UNIFORM, RONDO_QUEUE, RONDO_RADIX, RONDO_SEGMENT, RONDO_SEED, RONDO_REGULAR_RATIO, RONDO_TUNING) that
/// counts where the field is left empty, zero, automatic or false.
struct Options {
  std::string algorithm{};  ///< auto or a name in docs/algorithms.md: direct, coalesced, ...; empty: not set
  std::string schedule{};   ///< dependencies, phases; empty: not set
  std::string messages{};   ///< how scattered blocks travel: auto, staged, datatype; empty: not set
  int ports = 0;  ///< exchanges that `direct` and other algorithms have in flight at once (EuroMPI 2015, 5.1); 0: all
  ProgressMode progress = ProgressMode::automatic;  ///< on which threads operations advance; each rank's own matter
  bool assert_isomorphic = false;                   ///< skip the check that all ranks gave the same neighborhood
  /// Blocks have the same size in bytes on all ranks: block i in every alltoallv and alltoallw, the one block in every
  /// allgatherv and allgatherw. Where that is not so, ranks may hang. Of dense alltoalls (Comm): the arguments are
  /// right on all ranks, the blocks of an alltoall of one size, so that _init calls agree on nothing; blocks of
  /// alltoallv and alltoallw may differ, but no algorithm is to be had for them that needs to know how much, such as
  /// Bruck's.
  bool assert_uniform = false;
  bool check = false;  ///< every _init proves its schedule right: see Rondo_Cart_alltoall_init
  // Of dense alltoalls (Comm) only.
  std::string queue{};       ///< how exchanges are let in: window, or batches as the Slim Fly paper's; empty: not set
  int radix = 0;             ///< of Bruck's algorithm; 0: chosen
  std::int64_t segment = 0;  ///< bytes of a segment of `segmented`; 0: not set, 16384 then
  std::string seed{};        ///< of random orders: size (p, as in the paper), calls (another for each call), a number
  double regular_ratio = 0;  ///< how many times the smallest block the largest may be for Bruck; 0: not set, 4 then
  std::string tuning{};      ///< file of measured costs, read by rank 0 when a Comm is made; empty: those built in
  bool reorder = false;      ///< give processes better places: see Rondo_Cart_neighborhood_create
};

}  // namespace rondo

#endif
