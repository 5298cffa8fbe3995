#include "tests/support/cases/alltoall_case.hpp"

#include "tests/support/nodes/known_nodes.hpp"

namespace rondo::internal {

AlltoallWay alltoall_way(std::string_view name, std::size_t number) {
  const auto rows = alltoall::registry().algorithms;
  const alltoall::Algorithm& row = *std::ranges::find(rows, name, &alltoall::Algorithm::name);
  return {std::string(name), row.needs_uniform,
          [&row, number](const alltoall::Problem& problem, ScheduleBuilder& builder) {
            row.plans(problem).at(number).build(problem, builder);
          }};
}

AlltoallWay random_routes(std::uint64_t seed) {
  return {"routes of seed " + std::to_string(seed), true,
          [seed](const alltoall::Problem& problem, ScheduleBuilder& builder) {
            std::mt19937_64 random(seed);
            alltoall::build_routed(problem, random_expansion(random, problem.grid, problem.facts.folded()), builder);
          }};
}

std::string describe(const AlltoallCase& given, const AlltoallWay& way) {
  return way.name + describe_building(given.ordering, given.form, given.ports) +
         describe_grid(given.sizes, given.periods, given.neighborhood) + test::describe_nodes(given.nodes);
}

CollectiveCase alltoall_case(const AlltoallCase& given, const AlltoallWay& way, bool uniform) {
  const Grid grid(given.sizes, given.periods, 0);
  const Neighborhood& hood = given.neighborhood;
  const NeighborhoodFacts facts(grid, hood);
  const CostModel costs(1.0);
  const test::KnownNodes nodes(given.nodes, grid);
  const auto p = static_cast<std::size_t>(grid.size());
  std::vector<ScatteredBlocks> send(p);
  std::vector<ScatteredBlocks> recv(p);
  CollectiveCase made{describe(given, way), {}, {}, {}, {}};
  std::vector<BlocksOfRank> blocks;
  std::vector<std::int64_t> sizes;
  for (int i = 0; uniform && i < hood.size(); ++i) sizes.push_back(given.bytes(0, i));
  for (std::size_t rank = 0; rank < p; ++rank) {
    const Grid seen_from = grid.seen_from(static_cast<int>(rank));
    const auto bytes_from = [&](int sender, int other_end, int i) {
      return sender == kNoRank || other_end == kNoRank ? 0 : given.bytes(sender, i);
    };
    for (int i = hood.size() - 1; i >= 0; --i) {
      send[rank].add(bytes_from(seen_from.rank(), seen_from.relative_rank(hood[i]), i), i);
      recv[rank].add(bytes_from(seen_from.relative_rank(hood[i], -1), seen_from.rank(), i), i + 1);
    }
    send[rank].finish();
    recv[rank].finish();
    blocks.push_back({send[rank].shapes(), recv[rank].shapes()});
    made.blocks.push_back(user_blocks(blocks.back().recv, blocks.back().send));
    made.send_bytes.push_back(send[rank].bytes());
    made.recv_bytes.push_back(recv[rank].bytes());
    alltoall::Problem problem{seen_from, facts, blocks.back().send, blocks.back().recv, uniform,
                              costs,     sizes, given.ports};
    nodes.tell(problem);
    ScheduleBuilder builder(given.ordering, given.form);
    way.build(problem, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  }
  made.definition =
      definition_of(cartesian_arrivals(grid, hood, {"alltoall", Collective::alltoall, {}, {}}), blocks).placements;
  return made;
}

std::size_t count_plans(const AlltoallCase& given, const alltoall::Algorithm& row, bool uniform) {
  const Grid grid(given.sizes, given.periods, 0);
  const CostModel costs(1.0);
  std::vector<std::int64_t> sizes;
  for (int i = 0; uniform && i < given.neighborhood.size(); ++i) sizes.push_back(given.bytes(0, i));
  const NeighborhoodFacts facts(grid, given.neighborhood);
  const test::KnownNodes nodes(given.nodes, grid);
  alltoall::Problem problem{grid, facts, {}, {}, uniform, costs, sizes};
  nodes.tell(problem);
  return row.plans(problem).size();
}

}  // namespace rondo::internal
