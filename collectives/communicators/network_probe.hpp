/// @file
/// NetworkProbe: measures what messages between the nodes of a communicator cost.
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_NETWORK_PROBE_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_NETWORK_PROBE_HPP

#include <mpi.h>

#include "collectives/selection/cost_model.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::internal {

/// A measurement of the network, because networks differ too much for costs that are built in. First one rank of each
/// node sends a short message to the next node while the others wait: that gives the latency. Then all ranks send at
/// once, as in a collective: many short messages, many long ones, a few that fill the port of their node, and one for
/// which networks ask first. These give the cost of each message and of its bytes. After a failure the probe must be
/// kept, because MPI may still work on it.
class NetworkProbe {
 public:
  /// A burst of messages that are sent to a rank at once, and the bytes of each.
  struct Burst {
    int messages;
    int bytes;
  };
  static constexpr Burst kOne{1, 8};
  static constexpr Burst kMany{16, 8};
  static constexpr Burst kLong{16, 2048};
  static constexpr Burst kFull{4, NetworkTimes::kEagerLimit};
  static constexpr Burst kHuge{1, 65536};

  /// Nanoseconds of each burst: of `one` if one rank of a node sends, of the others if all ranks do.
  struct Nanoseconds {
    double one;
    double many;
    double many_long;
    double full;
    double huge;
  };
  /// Returns the costs with which predictions are the measured times.
  [[nodiscard]] static NetworkTimes times_of(const Nanoseconds& taken) noexcept;

  /// Allocates all memory. Local. Throws std::bad_alloc.
  NetworkProbe(const NodeMembers& nodes, int rank);

  /// Returns the measured times, those of the slowest rank, the same on all ranks. Collective over `comm`, the private
  /// communicator; `tag`: one that nothing else uses. Takes seven times the time of 38 messages. Throws Error if MPI
  /// fails, and TimedOut if nothing has moved for RONDO_TIMEOUT.
  [[nodiscard]] NetworkTimes measure(MPI_Comm comm, int tag);

 private:
  /// Returns the seconds until a burst to the target is sent and one from each of the sources is there.
  [[nodiscard]] double time_of(Burst burst, std::span<const int> sources, MPI_Comm comm, int tag);

  bool is_first_;  ///< whether this rank is the first one on its node
  int target_;
  std::vector<int> sources_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::vector<MPI_Request> requests_;
};

}  // namespace rondo::internal

#endif
