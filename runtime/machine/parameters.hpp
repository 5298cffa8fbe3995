/// @file
/// What messages and copies cost on a simulated machine.
#ifndef RONDO_RUNTIME_MACHINE_PARAMETERS_HPP
#define RONDO_RUNTIME_MACHINE_PARAMETERS_HPP

#include "runtime/machine/simulated_time.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace rondo::internal::machine {

/// What one end of a message costs its rank's core: o of LogGP, and what is copied into or out of MPI's buffers, which
/// a message with a handshake does not need.
struct EndCosts {
  SimulatedTime overhead;
  SimulatedTime byte;

  [[nodiscard]] constexpr SimulatedTime of(std::int64_t bytes, bool eager) const noexcept {
    return overhead + (eager ? bytes * byte : 0);
  }
};

/// Messages between nodes.
struct NetworkCosts {
  EndCosts send;
  EndCosts receive;
  SimulatedTime latency;      ///< L: of the first byte, from port to port, through one switch
  SimulatedTime hop_latency;  ///< more of it for each link between switches
  SimulatedTime gap;          ///< g: a message keeps a node's port busy for so long
  SimulatedTime gap_byte;     ///< G: and for so long for each byte
  SimulatedTime link_byte;    ///< a byte keeps a link between switches busy for so long
  std::int64_t eager_limit;   ///< bytes of the longest message that needs no handshake
};

/// Messages between ranks of a node, through shared memory: copied in by the sender, out by the receiver.
struct NearCosts {
  EndCosts send;
  EndCosts receive;
  SimulatedTime latency;
};

/// Copies and reductions.
struct TaskCosts {
  SimulatedTime copied_piece;
  SimulatedTime copied_byte;
  SimulatedTime reduction;
  SimulatedTime reduced_byte;
};

/// Which of a node's rails carries what a rank sends and is sent. MPI libraries do both: each rank takes one adapter,
/// by its place on the node.
enum class RailBinding : std::uint8_t {
  in_turn,   ///< neighboring ranks have different ones
  in_blocks  ///< and the same one, as where ranks use the adapter of their socket
};

struct Parameters {
  std::string name;  ///< for people
  NetworkCosts network;
  NearCosts near;
  TaskCosts tasks;
  int rails = 1;  ///< ports of a node, each as fast as these costs say
  RailBinding binding = RailBinding::in_turn;
};

/// 100 Gbit/s and a core that does much of the network's work: Intel's Omni-Path, about.
[[nodiscard]] Parameters omni_path();
/// 56 Gbit/s, and an adapter that works by itself: InfiniBand FDR with ConnectX-3, about.
[[nodiscard]] Parameters fdr_infiniband();
/// 32 Gbit/s, of which PCIe lets 26 through: InfiniBand QDR, about.
[[nodiscard]] Parameters qdr_infiniband();
/// A torus of Cray's with slow cores: Gemini, about.
[[nodiscard]] Parameters gemini();

/// What is halved or doubled to see on what an answer depends.
enum class Quantity : std::uint8_t { overhead, latency, gap, byte, eager_limit };
inline constexpr std::array kQuantities{Quantity::overhead, Quantity::latency, Quantity::gap, Quantity::byte,
                                        Quantity::eager_limit};
[[nodiscard]] const char* name(Quantity quantity);
/// Those with one quantity of the network's times `factor`.
[[nodiscard]] Parameters scaled(Parameters parameters, Quantity quantity, double factor);
/// Those with so many rails.
[[nodiscard]] Parameters with_rails(Parameters parameters, int rails, RailBinding binding);

}  // namespace rondo::internal::machine

#endif
