/// @file
/// LaneMaking: the lanes of a communicator, while what Rondo keeps for it is being made.
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

/// In steps, all of which all ranks take, where they wait for each other anyway. Between two of them they agree that
/// all is well, so that what fails on one rank alone leaves nobody waiting.
class LaneMaking {
 public:
  /// A word in the agreement before the communicator is made. `use`: what is asked for here. `numbers`: memory, one for
  /// each rank unless this one is in trouble.
  LaneMaking(Agreement& words, SharedMemory use, std::vector<std::int64_t> numbers);

  /// Whether there is anything to do, after that agreement: the same on all ranks.
  [[nodiscard]] bool is_wanted(const Agreement& words) const;
  /// Finds out which ranks are on this node: 8 bytes of each rank go to all, unless the ranks have agreed that they are
  /// `on_one_node` (see OneNode). Collective; `own`: the private communicator. Throws as max_over_ranks().
  void find(MPI_Comm own, bool on_one_node);
  /// Takes all memory that connect() needs. Local. Throws std::bad_alloc, and Error.
  void prepare(MPI_Comm own);
  /// After an agreement that all is well. Throws Error when MPI fails; TimedOut when nothing has moved for
  /// RONDO_TIMEOUT: `state`, whose tags it uses, is given up then. `words`: of that first agreement.
  void connect(CommState& state, const Agreement& words);

 private:
  void time_network(CommState& state);

  SharedMemory use_;
  Agreement::Greatest wanted_;  ///< see Wish
  NodesOfRanks nodes_;
  std::unique_ptr<LaneExchange> exchange_;
  std::unique_ptr<NetworkProbe> probe_;  ///< where there are several nodes
};

}  // namespace rondo::internal

#endif
