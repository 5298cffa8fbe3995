/// @file
/// Machine: the costs of messages, copies and reductions, for predictions.
#ifndef RONDO_BASICS_MACHINE_HPP
#define RONDO_BASICS_MACHINE_HPP

#include <rondo/basics/cpp20.hpp>

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace rondo {

/// The costs of a message, in LogGP's terms (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995). All times are in
/// nanoseconds.
struct MessageCosts {
  double overhead = 0;     ///< o: time of the rank's core at each end of the message
  double copied_byte = 0;  ///< time at each end for each byte of a message within the eager limit, which MPI copies
  double latency = 0;      ///< L: time until the message's first byte arrives
  double gap = 0;          ///< g: time for which a message keeps the port of a node busy
  double gap_byte = 0;     ///< G: additional time of the port for each byte
  /// Bytes of the longest message that is sent before its receive is posted.
  std::int64_t eager_limit = std::numeric_limits<std::int64_t>::max();
};

/// A cluster: the costs of messages, copies and reductions, and which ranks share a node. All nodes have one port each,
/// at one switch. A value.
struct Machine {
  MessageCosts far{};        ///< between nodes
  MessageCosts near{};       ///< between ranks of a node, without a port: gap, gap_byte and eager_limit do not count
  double copied_piece = 0;   ///< for each piece that a task copies, or a message packs
  double copied_byte = 0;    ///< for each byte of such a piece
  double reduction = 0;      ///< for each combination of two operands
  double reduced_byte = 0;   ///< for each byte of one operand
  int ranks_per_node = 1;    ///< ranks in a row share a node
  std::vector<int> nodes{};  ///< the node of each rank, counted from 0; empty: ranks_per_node applies

  /// Returns a machine with approximate costs: "omni-path" (100 Gbit/s, and a core that does much of the network's
  /// work) or "fdr-infiniband" (56 Gbit/s, and an adapter that works by itself). Local. Throws Error, MPI_ERR_ARG, for
  /// another name, and if `ranks_per_node` is less than 1.
  [[nodiscard]] static Machine named(std::string_view name, int ranks_per_node = 1);
};

}  // namespace rondo

#endif
