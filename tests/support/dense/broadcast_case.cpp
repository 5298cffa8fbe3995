#include "tests/support/dense/broadcast_case.hpp"

#include "collectives/proof/arrivals.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace rondo::internal::test {
namespace {

constexpr std::int64_t kBefore = 5;  // bytes of each buffer before the block
constexpr std::int64_t kGap = 3;

Layout layout_of_block(const BroadcastCase& given, int rank) {
  if (!given.scattered || rank % 3 != 0 || given.bytes < 2) return Layout::contiguous(given.bytes);
  Layout layout;
  layout.append({0, given.bytes / 2, 1, 0});
  layout.append({given.bytes / 2 + kGap, given.bytes - given.bytes / 2, 1, 0});
  return layout;
}

}  // namespace

broadcast::Problem broadcast_problem(const BroadcastCase& given, int rank, const BlockShape& block,
                                     const CostModel& costs, const NodeMembers& nodes) {
  return {.rank = rank,
          .size = given.size,
          .root = given.root,
          .block = block,
          .costs = costs,
          .radix = given.radix,
          .segment = given.segment,
          .nodes = nodes.have_carriers() ? &nodes : nullptr};
}

CollectiveCase broadcast_case(const BroadcastCase& given, const std::string& name, const BroadcastLowering& build) {
  const CostModel costs(1.0);
  const NodeMembers nodes(given.nodes);
  const auto p = static_cast<std::size_t>(given.size);
  CollectiveCase made{"broadcast, " + name + describe_building(given.ordering, given.form, 0) + ", p " +
                          std::to_string(given.size) + ", root " + std::to_string(given.root) + ", bytes " +
                          std::to_string(given.bytes) + describe_nodes(given.nodes),
                      {},
                      {},
                      {},
                      {}};
  std::deque<Layout> layouts;
  std::vector<BlockShape> shapes;
  for (int rank = 0; rank < given.size; ++rank)
    shapes.push_back({kBefore, &layouts.emplace_back(layout_of_block(given, rank))});
  const auto root = static_cast<std::size_t>(given.root);
  std::vector<BlocksOfRank> blocks;
  std::vector<Arrival> arrivals;
  for (std::size_t rank = 0; rank < p; ++rank) {
    const std::span<const BlockShape> block(&shapes[rank], 1);
    const std::span<const BlockShape> none;
    const std::int64_t buffer = kBefore + given.bytes + kGap;
    blocks.push_back(rank == root ? BlocksOfRank{block, none} : BlocksOfRank{none, block});
    made.blocks.push_back(user_blocks(blocks.back().recv, blocks.back().send));
    made.send_bytes.push_back(rank == root ? buffer : 0);
    made.recv_bytes.push_back(rank == root ? 0 : buffer);
    ScheduleBuilder builder(given.ordering, given.form);
    build(broadcast_problem(given, static_cast<int>(rank), shapes[rank], costs, nodes), builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    if (rank != root) arrivals.push_back({given.root, 0, static_cast<int>(rank), 0, 0});
  }
  made.definition = definition_of(arrivals, blocks).placements;
  return made;
}

void for_each_broadcast(BroadcastCase given, const std::function<void(const CollectiveCase&)>& visit) {
  const CostModel costs(1.0);
  const Layout layout = layout_of_block(given, given.root);
  const BlockShape block{kBefore, &layout};
  const NodeMembers nodes(given.nodes);
  const broadcast::Problem problem = broadcast_problem(given, given.root, block, costs, nodes);
  for (const broadcast::Algorithm& row : broadcast::registry().algorithms) {
    for (const broadcast::Plan& plan : row.plans(problem)) {
      for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
        for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
          given.ordering = ordering;
          given.form = form;
          visit(broadcast_case(given, plan.name, plan.build));
        }
      }
    }
  }
}

}  // namespace rondo::internal::test
