/// @file
/// Dense alltoalls as cases for the checker and the simulation.
#ifndef RONDO_TESTS_DENSE_CASE_HPP
#define RONDO_TESTS_DENSE_CASE_HPP

#include "collectives/dense_alltoall/algorithms.hpp"
#include "tests/support/cases/collective_case.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal {

struct DenseCase {
  int size;  ///< p
  /// Bytes of the block that `source` sends to `target`; in place it must be the same both ways.
  std::function<std::int64_t(int source, int target)> bytes;
  bool in_place = false;
  bool uniform = true;  ///< whether the ranks know the largest and the smallest
  dense::Options options = {};
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
  std::vector<std::int64_t> nodes = {};  ///< a number for each rank's node (NodeMembers); empty: nobody knows
};

/// Any lowering.
struct DenseWay {
  std::string name;
  std::function<void(const dense::Problem&, ScheduleBuilder&)> build;
};

/// What the registry has under that name: of the plans it offers, the one with this number.
[[nodiscard]] DenseWay dense_way(std::string_view name, std::size_t number = 0);

/// Blocks lie in a strange order, with gaps, every third one in two pieces.
[[nodiscard]] CollectiveCase dense_case(const DenseCase& given, const DenseWay& way);

/// How many plans a row offers for a case.
[[nodiscard]] std::size_t count_plans(const DenseCase& given, const dense::Algorithm& row);

/// Calls visit(case) for every plan of every row of the registry that applies: by dependencies and by phases, with
/// staged messages and with datatypes. The ranks are on some nodes, where the case says nothing of them.
template <typename Visit>
void for_each_dense(DenseCase given, Visit visit) {
  if (given.nodes.empty()) given.nodes = test::some_nodes(given.size, given.options.seed + 1);
  for (const dense::Algorithm& row : dense::registry().algorithms) {
    if (row.needs_uniform && !given.uniform) continue;
    const std::size_t plans = count_plans(given, row);
    for (std::size_t number = 0; number < plans; ++number) {
      for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
        for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
          given.ordering = ordering;
          given.form = form;
          visit(dense_case(given, dense_way(row.name, number)));
        }
      }
    }
  }
}

}  // namespace rondo::internal

#endif
