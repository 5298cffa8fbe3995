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

/// One rank of each node sends a short message to the next node, while the others wait: that is the latency. Then all
/// ranks send some at once, as in a collective: many short and long ones, a few that fill the port of their node, and
/// one for which networks ask first. That is what each message takes, and its bytes. Networks differ too much for costs
/// that are built in. After a failure it must be kept, as MPI may still work on it.
class NetworkProbe {
 public:
  /// So many messages to a rank at once, of so many bytes.
  struct Burst {
    int messages;
    int bytes;
  };
  static constexpr Burst kOne{1, 8};
  static constexpr Burst kMany{16, 8};
  static constexpr Burst kLong{16, 2048};
  static constexpr Burst kFull{4, NetworkTimes::kEagerLimit};
  static constexpr Burst kHuge{1, 65536};

  /// Nanoseconds of each: of the first where one rank of a node sends, of the others where all do.
  struct Nanoseconds {
    double one;
    double many;
    double many_long;
    double full;
    double huge;
  };
  /// What is concluded from them: the costs with which predictions are these times.
  [[nodiscard]] static NetworkTimes times_of(const Nanoseconds& taken) noexcept;

  /// Takes all memory. Local. Throws std::bad_alloc.
  NetworkProbe(const NodeMembers& nodes, int rank);

  /// Collective over `comm`, the private communicator; `tag`: one that nobody else uses. Takes seven times the time of
  /// 38 messages. The same on all ranks, that of the slowest. Throws Error when MPI fails; TimedOut when nothing has
  /// moved for RONDO_TIMEOUT.
  [[nodiscard]] NetworkTimes measure(MPI_Comm comm, int tag);

 private:
  /// Seconds until a burst to the target is sent, and one from each of the sources is there.
  [[nodiscard]] double time_of(Burst burst, std::span<const int> sources, MPI_Comm comm, int tag);

  bool is_first_;  ///< on its node
  int target_;
  std::vector<int> sources_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::vector<MPI_Request> requests_;
};

}  // namespace rondo::internal

#endif
