#include "tests/support/dense/allgather_case.hpp"

#include "collectives/proof/arrivals.hpp"
#include "tests/support/cases/alltoall_case.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace rondo::internal::test {
namespace {

/// Blocks of one side of a rank: those of some ranks.
class Side {
 public:
  Side(const DenseAllgatherCase& given, int first, int last) : scattered_(given.scattered) {
    layouts_.reserve(static_cast<std::size_t>(last - first));
    for (int rank = first; rank < last; ++rank) {
      layouts_.push_back(Layout::contiguous(given.bytes(rank)));
      row_.push_back({end_, &layouts_.back()});
      end_ += given.bytes(rank);
    }
    for (int rank = last; rank-- > first;) blocks_.add(given.bytes(rank), rank + 1);
    blocks_.finish();
  }
  [[nodiscard]] std::span<const BlockShape> shapes() const { return scattered_ ? blocks_.shapes() : row_; }
  [[nodiscard]] std::int64_t bytes() const { return scattered_ ? blocks_.bytes() : end_; }

 private:
  bool scattered_;
  ScatteredBlocks blocks_;
  std::vector<Layout> layouts_;
  std::vector<BlockShape> row_;
  std::int64_t end_ = 0;
};

}  // namespace

CollectiveCase dense_allgather_case(const DenseAllgatherCase& given, const std::string& name,
                                    const DenseAllgatherLowering& build) {
  const CostModel costs(1.0);
  const NodeMembers nodes(given.nodes);
  const auto p = static_cast<std::size_t>(given.size);
  std::vector<Side> send;
  std::vector<Side> recv;
  CollectiveCase made{name + describe_building(given.ordering, given.form, given.ports) +
                          (given.in_place ? ", in place" : "") + (given.scattered ? "" : ", in a row") + ", p " +
                          std::to_string(given.size) + ", first block " + std::to_string(given.bytes(0)) +
                          describe_nodes(given.nodes),
                      {},
                      {},
                      {},
                      {}};
  for (int rank = 0; rank < given.size; ++rank) {
    send.emplace_back(given, rank, rank + 1);
    recv.emplace_back(given, 0, given.size);
  }
  std::vector<BlocksOfRank> blocks;
  std::vector<Arrival> arrivals;
  for (std::size_t rank = 0; rank < p; ++rank) {
    const std::span<const BlockShape> received = recv[rank].shapes();
    blocks.push_back({given.in_place ? received.subspan(rank, 1) : send[rank].shapes(), received});
    made.blocks.push_back(user_blocks(received, blocks.back().send));
    made.send_bytes.push_back(given.in_place ? 0 : send[rank].bytes());
    made.recv_bytes.push_back(recv[rank].bytes());
    const dense_allgather::Problem problem{.rank = static_cast<int>(rank),
                                           .size = given.size,
                                           .send = blocks.back().send.front(),
                                           .recv = received,
                                           .costs = costs,
                                           .in_place = given.in_place,
                                           .ports = given.ports,
                                           .nodes = nodes.have_carriers() ? &nodes : nullptr};
    ScheduleBuilder builder(given.ordering, given.form);
    build(problem, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    for (std::size_t source = 0; source < p; ++source) {
      if (given.in_place && source == rank) continue;
      arrivals.push_back({static_cast<int>(source), 0, static_cast<int>(rank), source, source});
    }
  }
  made.definition = definition_of(arrivals, blocks).placements;
  return made;
}

void for_each_dense_allgather(DenseAllgatherCase given, const std::function<void(const CollectiveCase&)>& visit) {
  const CostModel costs(1.0);
  const NodeMembers nodes(given.nodes);
  const Side blocks(given, 0, given.size);
  const dense_allgather::Problem problem{.rank = 0,
                                         .size = given.size,
                                         .send = blocks.shapes().front(),
                                         .recv = blocks.shapes(),
                                         .costs = costs,
                                         .in_place = given.in_place,
                                         .ports = given.ports,
                                         .nodes = nodes.have_carriers() ? &nodes : nullptr};
  for (const dense_allgather::Algorithm& row : dense_allgather::registry().algorithms) {
    for (const dense_allgather::Plan& plan : row.plans(problem)) {
      for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
        for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
          given.ordering = ordering;
          given.form = form;
          visit(dense_allgather_case(given, plan.name, plan.build));
        }
      }
    }
  }
}

}  // namespace rondo::internal::test
