/// @file
/// LaneMaking: makes the lanes of a communicator while Rondo makes its state for the communicator.
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_LANE_MAKING_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_LANE_MAKING_HPP

#include <mpi.h>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/communicators/network_probe.hpp"
#include "runtime/lanes/lane_exchange.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal {

/// The making of lanes, in steps that all ranks take when they wait for each other anyway. Between two steps they agree
/// that all is well, so that a failure on one rank alone leaves no rank waiting.
class LaneMaking {
 public:
  /// Adds this rank's wish for shared memory, which follows from `use`, to the words on which the ranks agree
  /// before the communicator is made. `numbers`: a vector with one element for each rank, which find() fills; it
  /// may be empty if this rank is in trouble.
  LaneMaking(Agreement& words, SharedMemory use, std::vector<std::int64_t> numbers);

  /// Returns, after that agreement, whether lanes are to be made; the same on all ranks.
  [[nodiscard]] bool is_wanted(const Agreement& words) const;
  /// Finds out which ranks are on this node: 8 bytes of each rank go to all, unless the ranks have agreed that they are
  /// `on_one_node` (see OneNode). Collective; `own`: the private communicator. Throws as max_over_ranks().
  void find(MPI_Comm own, bool on_one_node);
  /// Allocates all memory that connect() needs. Local. Throws std::bad_alloc, and Error.
  void prepare(MPI_Comm own);
  /// Connects the lanes. Call after an agreement that all is well. Uses tags of `state`. `words`: the agreement of the
  /// constructor. Throws Error if MPI fails, and TimedOut if nothing has moved for RONDO_TIMEOUT, after which `state`
  /// is given up.
  void connect(CommState& state, const Agreement& words);

 private:
  void time_network(CommState& state);

  SharedMemory use_;
  Agreement::Greatest wanted_;  ///< see Wish
  NodesOfRanks nodes_;
  std::unique_ptr<LaneExchange> exchange_;
  std::unique_ptr<NetworkProbe> probe_;  ///< set if there are several nodes
};

}  // namespace rondo::internal

#endif
