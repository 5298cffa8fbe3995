/// @file
/// Machine: what messages cost, for predictions.
#ifndef RONDO_BASICS_MACHINE_HPP
#define RONDO_BASICS_MACHINE_HPP

#include <rondo/basics/cpp20.hpp>

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace rondo {

/// What a message costs, in LogGP's words (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995). All times are in
/// nanoseconds.
struct MessageCosts {
  double overhead = 0;     ///< o: at each of its two ends, of the rank's core
  double copied_byte = 0;  ///< at each end, for each byte of a message within the eager limit: MPI copies it
  double latency = 0;      ///< L: until its first byte is there
  double gap = 0;          ///< g: it keeps the port of a node busy for so long
  double gap_byte = 0;     ///< G: and for so long for each byte
  /// Bytes of the longest message that is sent before its receive is posted.
  std::int64_t eager_limit = std::numeric_limits<std::int64_t>::max();
};

/// A cluster: what messages, copies and reductions cost, and which ranks share a node. All nodes have one port each, at
/// one switch. A value.
struct Machine {
  MessageCosts far{};        ///< between nodes
  MessageCosts near{};       ///< between ranks of a node: no port, so that gap, gap_byte and eager_limit do not count
  double copied_piece = 0;   ///< a piece that a task copies, or a message packs
  double copied_byte = 0;    ///< and each of its bytes
  double reduction = 0;      ///< two operands combined
  double reduced_byte = 0;   ///< and each byte of one
  int ranks_per_node = 1;    ///< ranks in a row share a node
  std::vector<int> nodes{};  ///< or the node of each rank, counted from 0; empty: as ranks_per_node says

  /// One of these, as it is about: "omni-path" (100 Gbit/s, and a core that does much of the network's work) or
  /// "fdr-infiniband" (56 Gbit/s, and an adapter that works by itself). Local. Throws Error, MPI_ERR_ARG, for another
  /// name, and where `ranks_per_node` is less than 1.
  [[nodiscard]] static Machine named(std::string_view name, int ranks_per_node = 1);
};

}  // namespace rondo

#endif
