/// @file
/// NetworkProbe: what messages between the nodes of a communicator take, found out by sending some.
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_NETWORK_PROBE_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_NETWORK_PROBE_HPP

#include <mpi.h>

#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::internal {

/// One rank of each node sends a short message to the next node: that is the latency. Then all ranks send some at once,
/// as in a collective, of three lengths: that is what each message takes, and its bytes. Networks differ too much for
/// costs that are built in. After a failure it must be kept, as MPI may still work on it.
class NetworkProbe {
 public:
  static constexpr int kMessages = 16;  ///< at once
  static constexpr int kShort = 8;      ///< bytes
  static constexpr int kLong = NetworkTimes::kBurst;
  static constexpr int kLongest = 4000;  ///< bytes; eager nearly everywhere

  /// What is concluded from the nanoseconds that one short message takes, and many short, long and longest ones.
  [[nodiscard]] static NetworkTimes times_of(double one, double many, double many_long, double many_longest) noexcept;

  /// Takes all memory. Local. Throws std::bad_alloc.
  NetworkProbe(const NodeMembers& nodes, int rank);

  /// Collective over `comm`, the private communicator; `tag`: one that nobody else uses. Takes seven times the time of
  /// 49 messages. The same on all ranks, that of the slowest. Throws Error when MPI fails; TimedOut when nothing has
  /// moved for RONDO_TIMEOUT.
  [[nodiscard]] NetworkTimes measure(MPI_Comm comm, int tag);

 private:
  /// Seconds until so many messages to the target are sent, and as many from each of the sources are there.
  [[nodiscard]] double time_of(int messages, int bytes, std::span<const int> sources, MPI_Comm comm, int tag);

  bool is_first_;  ///< on its node
  int target_;
  std::vector<int> sources_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::vector<MPI_Request> requests_;
};

}  // namespace rondo::internal

#endif
