/// @file
/// Cartesian allgathers as cases for the checker and the simulation.
#ifndef RONDO_TESTS_ALLGATHER_CASE_HPP
#define RONDO_TESTS_ALLGATHER_CASE_HPP

#include "collectives/allgather_algorithms.hpp"
#include "collectives/allgather_definition.hpp"
#include "tests/alltoall_case.hpp"
#include "tests/collective_case.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace rondo {

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
};

/// A lowering and what it is called.
struct AllgatherLowering {
  std::string name;
  std::function<void(const AllgatherProblem&, ScheduleBuilder&)> build;
};

[[nodiscard]] inline std::string describe(const AllgatherCase& given, const std::string& algorithm) {
  std::string text = "allgather, " + algorithm;
  if (given.ordering == Ordering::phases) text += ", phases";
  if (given.form != MessageForm::automatic) text += given.form == MessageForm::staged ? ", staged" : ", datatypes";
  if (given.ports > 0) text += ", ports " + std::to_string(given.ports);
  if (given.known != KnownSizes::by_rank)
    text += given.known == KnownSizes::none ? ", sizes unknown" : ", one size for all";
  text += ", grid";
  for (std::size_t k = 0; k < given.sizes.size(); ++k) {
    text += " " + std::to_string(given.sizes[k]);
    if (!given.periods.empty() && given.periods[k] == 0) text += " (mesh)";
  }
  text += ", neighborhood";
  for (const int offset : given.neighborhood.flattened()) text += " " + std::to_string(offset);
  return text;
}

/// What all ranks know of the sizes.
[[nodiscard]] inline std::vector<std::int64_t> known_sizes(const AllgatherCase& given) {
  std::vector<std::int64_t> known;
  if (given.known == KnownSizes::one_for_all) known.push_back(given.bytes(0));
  for (int rank = 0; rank < Grid(given.sizes, 0).size() && given.known == KnownSizes::by_rank; ++rank)
    known.push_back(given.bytes(rank));
  return known;
}

[[nodiscard]] inline CollectiveCase allgather_case(const AllgatherCase& given, const AllgatherLowering& lowering) {
  const Grid grid(given.sizes, given.periods, 0);
  const Neighborhood& hood = given.neighborhood;
  const CostModel costs(1.0);
  const auto p = static_cast<std::size_t>(grid.size());
  const std::vector<std::int64_t> known = known_sizes(given);
  std::vector<ScatteredBlocks> send(p);
  std::vector<ScatteredBlocks> recv(p);
  CollectiveCase made{describe(given, lowering.name), {}, {}, {}, {}};
  std::vector<GatheredBlocksOfRank> blocks;
  for (std::size_t rank = 0; rank < p; ++rank) {
    const Grid seen_from = grid.seen_from(static_cast<int>(rank));
    send[rank].add(given.bytes(seen_from.rank()), static_cast<int>(rank));  // in two pieces on every third rank
    send[rank].finish();
    for (int i = hood.size() - 1; i >= 0; --i) {
      const int source = seen_from.relative_rank(hood[i], -1);
      recv[rank].add(source == kNoRank ? 0 : given.bytes(source), i + 1);
    }
    recv[rank].finish();
    blocks.push_back({send[rank].shapes().front(), recv[rank].shapes()});
    made.send_bytes.push_back(send[rank].bytes());
    made.recv_bytes.push_back(recv[rank].bytes());
    const AllgatherProblem problem{seen_from, hood, blocks.back().send, blocks.back().recv, known, costs, given.ports};
    ScheduleBuilder builder(given.ordering, given.form);
    lowering.build(problem, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  }
  made.definition = allgather_definition(grid, hood, blocks);
  return made;
}

/// All plans of all rows of the registry that apply, or of those of one name.
[[nodiscard]] inline std::vector<AllgatherLowering> allgather_lowerings(const AllgatherCase& given,
                                                                        std::string_view name = {}) {
  const Grid grid(given.sizes, given.periods, 0);
  const CostModel costs(1.0);
  const Layout nothing;
  const BlockShape send{0, &nothing};
  const std::vector<std::int64_t> known = known_sizes(given);
  const AllgatherProblem problem{grid, given.neighborhood, send, {}, known, costs};
  std::vector<AllgatherLowering> lowerings;
  for (const AllgatherAlgorithm& row : allgather_registry().algorithms) {
    if (row.needs_uniform && !problem.uniform) continue;
    if (!name.empty() && name != row.name) continue;
    for (AllgatherPlan& plan : row.plans(problem)) lowerings.push_back({std::move(plan.name), std::move(plan.build)});
  }
  return lowerings;
}

/// Calls visit(case) for every plan of the registry that applies, in both orderings, with staged messages and with
/// datatypes: what is automatic is one of these.
template <typename Visit>
void for_each_allgather(AllgatherCase given, Visit visit) {
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
  return {std::move(name), [expand](const AllgatherProblem& problem, ScheduleBuilder& builder) {
            const auto& [all, distinct] = problem.folded();
            const AllgatherTree tree(problem.grid, all, expand(problem.grid, distinct));
            build_combining_allgather(problem, tree, builder);
          }};
}

}  // namespace rondo

#endif
