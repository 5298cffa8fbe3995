#include "tests/support/cases/dense_case.hpp"

#include "collectives/dense_alltoall/round_sizes.hpp"
#include "collectives/proof/arrivals.hpp"
#include "tests/support/cases/alltoall_case.hpp"

#include <algorithm>

namespace rondo::internal {
namespace {

struct Sizes {
  std::int64_t largest = 0;
  std::int64_t smallest = 0;
};

Sizes sizes_of(const DenseCase& given) {
  Sizes sizes{given.bytes(0, 0), given.bytes(0, 0)};
  for (int source = 0; source < given.size; ++source) {
    for (int target = 0; target < given.size; ++target) {
      sizes.largest = std::max(sizes.largest, given.bytes(source, target));
      sizes.smallest = std::min(sizes.smallest, given.bytes(source, target));
    }
  }
  return sizes;
}

/// As exchanged in the radix of the options, or 2, and never more than p.
dense::RoundSizes sizes_that_pass(const DenseCase& given, int rank) {
  return dense::round_sizes(given.size, rank, std::clamp(given.options.radix, 2, std::max(2, given.size)), given.bytes);
}

std::string describe(const DenseCase& given, const DenseWay& way) {
  std::string text = way.name + describe_building(given.ordering, given.form, given.options.ports);
  if (given.in_place) text += ", in place";
  if (!given.uniform) text += ", irregular";
  for (const std::int64_t node : given.nodes) text += " node " + std::to_string(node);
  return text + ", p " + std::to_string(given.size) + ", radix " + std::to_string(given.options.radix) + ", seed " +
         std::to_string(given.options.seed) + ", first block " + std::to_string(given.bytes(0, 0));
}

}  // namespace

DenseWay dense_way(std::string_view name, std::size_t number) {
  const dense::Algorithm& row = *std::ranges::find(dense::registry().algorithms, name, &dense::Algorithm::name);
  return {std::string(name), [&row, number](const dense::Problem& problem, ScheduleBuilder& builder) {
            row.plans(problem).at(number).build(problem, builder);
          }};
}

CollectiveCase dense_case(const DenseCase& given, const DenseWay& way) {
  const CostModel costs(1.0);
  const auto p = static_cast<std::size_t>(given.size);
  const Sizes sizes = given.uniform ? sizes_of(given) : Sizes{};
  const NodeMembers nodes(given.nodes);
  std::vector<ScatteredBlocks> send(p);
  std::vector<ScatteredBlocks> recv(p);
  CollectiveCase made{describe(given, way), {}, {}, {}, {}};
  std::vector<BlocksOfRank> blocks;
  for (int rank = 0; rank < given.size; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    for (int peer = given.size - 1; peer >= 0; --peer) {
      if (!given.in_place) send[at].add(given.bytes(rank, peer), peer);
      recv[at].add(given.bytes(peer, rank), peer + 1);
    }
    send[at].finish();
    recv[at].finish();
    blocks.push_back({(given.in_place ? recv : send)[at].shapes(), recv[at].shapes()});
    made.blocks.push_back(user_blocks(recv[at].shapes(), blocks.back().send));
    made.send_bytes.push_back(given.in_place ? 0 : send[at].bytes());
    made.recv_bytes.push_back(recv[at].bytes());
    dense::Problem problem{rank,  given.size,    blocks.back().send, recv[at].shapes(), given.uniform,
                           costs, sizes.largest, sizes.smallest,     given.in_place,    given.options};
    const dense::RoundSizes passing = sizes_that_pass(given, rank);
    problem.passing = &passing;
    if (nodes.have_carriers()) problem.nodes = &nodes;
    ScheduleBuilder builder(given.ordering, given.form);
    way.build(problem, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  }
  Call call{"alltoall", Collective::alltoall, {}, {}};
  if (given.in_place) call.send.buffer = MPI_IN_PLACE;
  made.definition = definition_of(dense_arrivals(given.size, call), blocks).placements;
  return made;
}

std::size_t count_plans(const DenseCase& given, const dense::Algorithm& row) {
  const CostModel costs(1.0);
  const Sizes sizes = given.uniform ? sizes_of(given) : Sizes{};
  const NodeMembers nodes(given.nodes);
  const dense::RoundSizes passing = sizes_that_pass(given, 0);
  dense::Problem problem{
      0,       given.size, {}, {}, given.uniform, costs, sizes.largest, sizes.smallest, given.in_place, given.options,
      &passing};
  if (nodes.have_carriers()) problem.nodes = &nodes;
  return row.plans(problem).size();
}

}  // namespace rondo::internal
