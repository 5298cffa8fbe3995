/// @file
/// Broadcasts as cases for the checker and the simulation.
#ifndef RONDO_TESTS_SUPPORT_DENSE_BROADCAST_CASE_HPP
#define RONDO_TESTS_SUPPORT_DENSE_BROADCAST_CASE_HPP

#include "collectives/broadcast/algorithms.hpp"
#include "tests/support/cases/collective_case.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rondo::internal::test {

struct BroadcastCase {
  int size;  ///< p
  int root;
  std::int64_t bytes;
  bool scattered = true;  ///< in two pieces on every third rank
  int radix = 0;
  std::int64_t segment = 0;
  std::vector<std::int64_t> nodes = {};  ///< a number for each rank's node (NodeMembers); empty: nobody knows
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
};

using BroadcastLowering = std::function<void(const broadcast::Problem&, ScheduleBuilder&)>;

/// The problem of one rank. Refers to all but `given`.
[[nodiscard]] broadcast::Problem broadcast_problem(const BroadcastCase& given, int rank, const BlockShape& block,
                                                   const CostModel& costs, const NodeMembers& nodes);

[[nodiscard]] CollectiveCase broadcast_case(const BroadcastCase& given, const std::string& name,
                                            const BroadcastLowering& build);

/// Calls visit(case) for every plan of every row of the registry: by dependencies and by phases, with staged messages
/// and with datatypes.
void for_each_broadcast(BroadcastCase given, const std::function<void(const CollectiveCase&)>& visit);

}  // namespace rondo::internal::test

#endif
