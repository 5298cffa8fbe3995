#include "tests/support/cases/allgather_case.hpp"

#include "tests/support/nodes/known_nodes.hpp"

namespace rondo::internal {

std::string describe(const AllgatherCase& given, const std::string& algorithm) {
  std::string text = "allgather, " + algorithm + describe_building(given.ordering, given.form, given.ports);
  if (given.known != KnownSizes::by_rank)
    text += given.known == KnownSizes::none ? ", sizes unknown" : ", one size for all";
  return text + describe_grid(given.sizes, given.periods, given.neighborhood) + test::describe_nodes(given.nodes);
}

std::vector<std::int64_t> known_sizes(const AllgatherCase& given) {
  std::vector<std::int64_t> known;
  if (given.known == KnownSizes::one_for_all) known.push_back(given.bytes(0));
  for (int rank = 0; rank < Grid(given.sizes, 0).size() && given.known == KnownSizes::by_rank; ++rank)
    known.push_back(given.bytes(rank));
  return known;
}

CollectiveCase allgather_case(const AllgatherCase& given, const AllgatherLowering& lowering) {
  const Grid grid(given.sizes, given.periods, 0);
  const Neighborhood& hood = given.neighborhood;
  const NeighborhoodFacts facts(grid, hood);
  const CostModel costs(1.0);
  const test::KnownNodes nodes(given.nodes, grid);
  const auto p = static_cast<std::size_t>(grid.size());
  const std::vector<std::int64_t> known = known_sizes(given);
  std::vector<ScatteredBlocks> send(p);
  std::vector<ScatteredBlocks> recv(p);
  CollectiveCase made{describe(given, lowering.name), {}, {}, {}, {}};
  std::vector<BlocksOfRank> blocks;
  for (std::size_t rank = 0; rank < p; ++rank) {
    const Grid seen_from = grid.seen_from(static_cast<int>(rank));
    send[rank].add(given.bytes(seen_from.rank()), static_cast<int>(rank));  // in two pieces on every third rank
    send[rank].finish();
    for (int i = hood.size() - 1; i >= 0; --i) {
      const int source = seen_from.relative_rank(hood[i], -1);
      recv[rank].add(source == kNoRank ? 0 : given.bytes(source), i + 1);
    }
    recv[rank].finish();
    blocks.push_back({send[rank].shapes(), recv[rank].shapes()});
    made.blocks.push_back(user_blocks(blocks.back().recv, send[rank].shapes()));
    made.send_bytes.push_back(send[rank].bytes());
    made.recv_bytes.push_back(recv[rank].bytes());
    allgather::Problem problem{seen_from, facts,      blocks.back().send.front(), blocks.back().recv, known,
                               costs,     given.ports};
    nodes.tell(problem);
    ScheduleBuilder builder(given.ordering, given.form);
    lowering.build(problem, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  }
  made.definition =
      definition_of(cartesian_arrivals(grid, hood, {"allgather", Collective::allgather, {}, {}}), blocks).placements;
  return made;
}

std::vector<AllgatherLowering> allgather_lowerings(const AllgatherCase& given, std::string_view name) {
  const Grid grid(given.sizes, given.periods, 0);
  const CostModel costs(1.0);
  const Layout nothing;
  const BlockShape send{0, &nothing};
  const std::vector<std::int64_t> known = known_sizes(given);
  const NeighborhoodFacts facts(grid, given.neighborhood);
  allgather::Problem problem{grid, facts, send, {}, known, costs};
  const test::KnownNodes nodes(given.nodes, grid);
  nodes.tell(problem);
  std::vector<AllgatherLowering> lowerings;
  for (const allgather::Algorithm& row : allgather::registry().algorithms) {
    if (row.needs_uniform && !problem.uniform) continue;
    if (!name.empty() && name != row.name) continue;
    for (allgather::Plan& plan : row.plans(problem)) lowerings.push_back({std::move(plan.name), std::move(plan.build)});
  }
  return lowerings;
}

}  // namespace rondo::internal
