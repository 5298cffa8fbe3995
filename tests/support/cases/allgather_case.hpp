/// @file
/// Cartesian allgathers as cases for the checker and the simulation.
#ifndef RONDO_TESTS_ALLGATHER_CASE_HPP
#define RONDO_TESTS_ALLGATHER_CASE_HPP

#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/proof/arrivals.hpp"
#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/cases/collective_case.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

/// What the ranks know of each other's blocks.
enum class KnownSizes : std::uint8_t { none, one_for_all, by_rank };

struct AllgatherCase {
  std::vector<int> sizes;
  std::vector<int> periods;  ///< empty: a torus
  Neighborhood neighborhood;
  /// Bytes of a rank's block.
  std::function<std::int64_t(int rank)> bytes;
  KnownSizes known = KnownSizes::by_rank;
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
  int ports = 0;
  std::vector<std::int64_t> nodes = {};  ///< a number for each rank's node (NodeMembers); empty: nobody knows
};

/// A lowering and what it is called.
struct AllgatherLowering {
  std::string name;
  std::function<void(const allgather::Problem&, ScheduleBuilder&)> build;
};

[[nodiscard]] std::string describe(const AllgatherCase& given, const std::string& algorithm);

/// What all ranks know of the sizes.
[[nodiscard]] std::vector<std::int64_t> known_sizes(const AllgatherCase& given);

[[nodiscard]] CollectiveCase allgather_case(const AllgatherCase& given, const AllgatherLowering& lowering);

/// All plans of all rows of the registry that apply, or of those of one name.
[[nodiscard]] std::vector<AllgatherLowering> allgather_lowerings(const AllgatherCase& given,
                                                                 std::string_view name = {});

/// Calls visit(case) for every plan of the registry that applies, in both orderings, with staged messages and with
/// datatypes: what is automatic is one of these. The ranks are on some nodes, by the seed, where the case says nothing
/// of them.
template <typename Visit>
void for_each_allgather(AllgatherCase given, std::uint64_t seed, Visit visit) {
  if (given.nodes.empty()) given.nodes = test::some_nodes(Grid(given.sizes, 0).size(), seed);
  for (const AllgatherLowering& lowering : allgather_lowerings(given)) {
    for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
      for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
        given.ordering = ordering;
        given.form = form;
        visit(allgather_case(given, lowering));
      }
    }
  }
}

/// Combining over an expansion that is made for the grid at hand.
template <typename Expand>
[[nodiscard]] AllgatherLowering combining_over(std::string name, Expand expand) {
  return {std::move(name), [expand](const allgather::Problem& problem, ScheduleBuilder& builder) {
            const allgather::Tree tree(problem.grid, problem.facts.folded(),
                                       expand(problem.grid, problem.facts.distinct()));
            allgather::build_combining(problem, tree, builder);
          }};
}

}  // namespace rondo::internal

#endif
