/// @file
/// Dense reductions as cases for the checker and the simulation.
#ifndef RONDO_TESTS_SUPPORT_DENSE_REDUCTION_CASE_HPP
#define RONDO_TESTS_SUPPORT_DENSE_REDUCTION_CASE_HPP

#include "collectives/dense_reduction/algorithms.hpp"
#include "tests/support/cases/byte_op.hpp"
#include "tests/support/cases/collective_case.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rondo::internal::test {

struct DenseReductionCase {
  int size;  ///< p
  dense_reduction::Kind kind;
  std::vector<std::int64_t> counts;  ///< elements: of the vector, or of its p parts
  const ByteOp* op = &byte_sum();    ///< associative
  bool holes = false;                ///< in the elements
  bool in_place = false;
  int ports = 0;
  std::vector<std::int64_t> nodes = {};  ///< a number for each rank's node (NodeMembers); empty: nobody knows
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
};

/// The plan with this number of the row of the registry.
[[nodiscard]] CollectiveCase dense_reduction_case(const DenseReductionCase& given,
                                                  const dense_reduction::Algorithm& row, std::size_t number);

/// Calls visit(case) for every plan of every row that applies: by dependencies and by phases, with staged messages and
/// with datatypes. Returns how many there were.
int for_each_dense_reduction(DenseReductionCase given, const std::function<void(const CollectiveCase&)>& visit);

}  // namespace rondo::internal::test

#endif
