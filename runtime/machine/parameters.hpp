/// @file
/// Parameters: the costs of messages and copies on a simulated machine.
#ifndef RONDO_RUNTIME_MACHINE_PARAMETERS_HPP
#define RONDO_RUNTIME_MACHINE_PARAMETERS_HPP

#include "runtime/machine/simulated_time.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace rondo::internal::machine {

/// The time that one end of a message costs its rank's core: o of LogGP, and the copy into or out of MPI's buffers,
/// which a message with a handshake does not need.
struct EndCosts {
  SimulatedTime overhead;
  SimulatedTime byte;

  [[nodiscard]] constexpr SimulatedTime of(std::int64_t bytes, bool eager) const noexcept {
    return overhead + (eager ? bytes * byte : 0);
  }
};

/// Costs of messages between nodes.
struct NetworkCosts {
  EndCosts send;
  EndCosts receive;
  SimulatedTime latency;      ///< L: latency of the first byte, from port to port, through one switch
  SimulatedTime hop_latency;  ///< additional latency for each link between switches
  SimulatedTime gap;          ///< g: time for which a message keeps a node's port busy
  SimulatedTime gap_byte;     ///< G: additional time for each byte
  SimulatedTime link_byte;    ///< time for which a byte keeps a link between switches busy
  std::int64_t eager_limit;   ///< bytes of the longest message that needs no handshake
};

/// Costs of messages between ranks of a node through shared memory: the sender copies in, the receiver copies out.
struct NearCosts {
  EndCosts send;
  EndCosts receive;
  SimulatedTime latency;
};

/// Costs of copies and reductions.
struct TaskCosts {
  SimulatedTime copied_piece;
  SimulatedTime copied_byte;
  SimulatedTime reduction;
  SimulatedTime reduced_byte;
};

/// The rule by which a rank uses one of its node's rails for what it sends and receives. MPI libraries know both: each
/// rank takes one adapter, by its place on the node.
enum class RailBinding : std::uint8_t {
  in_turn,   ///< neighboring ranks use different rails
  in_blocks  ///< neighboring ranks use the same rail, as if ranks used the adapter of their socket
};

struct Parameters {
  std::string name;  ///< for people
  NetworkCosts network;
  NearCosts near;
  TaskCosts tasks;
  int rails = 1;  ///< ports of a node, each with the speed of these costs
  RailBinding binding = RailBinding::in_turn;
};

/// Returns approximate parameters of Intel's Omni-Path: 100 Gbit/s, and a core that does much of the network's work.
[[nodiscard]] Parameters omni_path();
/// Returns approximate parameters of InfiniBand FDR with ConnectX-3: 56 Gbit/s, and an adapter that works by itself.
[[nodiscard]] Parameters fdr_infiniband();
/// Returns approximate parameters of InfiniBand QDR: 32 Gbit/s, of which PCIe lets 26 through.
[[nodiscard]] Parameters qdr_infiniband();
/// Returns approximate parameters of Gemini: a torus of Cray's with slow cores.
[[nodiscard]] Parameters gemini();

/// A quantity of a network that experiments halve or double to see on what a result depends.
enum class Quantity : std::uint8_t { overhead, latency, gap, byte, eager_limit };
inline constexpr std::array kQuantities{Quantity::overhead, Quantity::latency, Quantity::gap, Quantity::byte,
                                        Quantity::eager_limit};
[[nodiscard]] const char* name(Quantity quantity);
/// Returns the parameters with one quantity of the network multiplied by `factor`.
[[nodiscard]] Parameters scaled(Parameters parameters, Quantity quantity, double factor);
/// Returns the parameters with `rails` rails, bound in this way.
[[nodiscard]] Parameters with_rails(Parameters parameters, int rails, RailBinding binding);

}  // namespace rondo::internal::machine

#endif
