/// @file
/// Dense allgathers as cases for the checker and the simulation.
#ifndef RONDO_TESTS_SUPPORT_DENSE_ALLGATHER_CASE_HPP
#define RONDO_TESTS_SUPPORT_DENSE_ALLGATHER_CASE_HPP

#include "collectives/dense_allgather/algorithms.hpp"
#include "tests/support/cases/collective_case.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rondo::internal::test {

struct DenseAllgatherCase {
  int size;                                ///< p
  std::function<std::int64_t(int)> bytes;  ///< of the block of a rank
  bool in_place = false;
  bool scattered = true;  ///< in a strange order, with gaps, every third block in two pieces; otherwise in a row
  int ports = 0;
  std::vector<std::int64_t> nodes = {};  ///< a number for each rank's node (NodeMembers); empty: nobody knows
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
};

using DenseAllgatherLowering = std::function<void(const dense_allgather::Problem&, ScheduleBuilder&)>;

[[nodiscard]] CollectiveCase dense_allgather_case(const DenseAllgatherCase& given, const std::string& name,
                                                  const DenseAllgatherLowering& build);

/// Calls visit(case) for every plan of every row of the registry that applies: by dependencies and by phases, with
/// staged messages and with datatypes.
void for_each_dense_allgather(DenseAllgatherCase given, const std::function<void(const CollectiveCase&)>& visit);

}  // namespace rondo::internal::test

#endif
