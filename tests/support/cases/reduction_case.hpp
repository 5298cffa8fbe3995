/// @file
/// Neighborhood reductions as cases for the checker and the simulation.
#ifndef RONDO_TESTS_REDUCTION_CASE_HPP
#define RONDO_TESTS_REDUCTION_CASE_HPP

#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/proof/arrivals.hpp"
#include "tests/support/cases/byte_op.hpp"
#include "tests/support/cases/collective_case.hpp"
#include "tests/support/cases/ring_reduction.hpp"
#include "tests/support/nodes/known_nodes.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

struct ReductionCase {
  std::vector<int> sizes;
  std::vector<int> periods = {};  ///< empty: a torus
  Neighborhood neighborhood;
  reduction::Kind kind = reduction::Kind::reduce;
  std::shared_ptr<const Reduction> reduction = byte_reduction(byte_fold(), false);
  /// Some of the vectors that are sent do not have the operands' layout.
  bool foreign = false;
  int ports = 0;
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
  std::vector<std::int64_t> nodes = {};  ///< a number for each rank's node (NodeMembers); empty: nobody knows
};

[[nodiscard]] std::string describe(const ReductionCase& given, const reduction::Plan& plan);

/// Says in which order the canonical tree combines the sources of a rank, by its terms alone.
class PlainAssociation {
 public:
  PlainAssociation(const reduction::Tree& tree, const Grid& grid, const Neighborhood& hood, int rank);
  /// Postfix; the operation is CollectiveCase::kCombine.
  [[nodiscard]] std::vector<int> operator()() const;

 private:
  [[nodiscard]] std::vector<int> expression(std::size_t boundary, reduction::ValueId value, int rank) const;
  [[nodiscard]] int number_of_source(int rank, std::optional<int> neighbor) const;

  const reduction::Tree& tree_;
  const Grid& grid_;
  Grid seen_from_;
  std::vector<std::pair<int, int>> sources_;  ///< rank and i
};

/// The buffers of a case: vectors with gaps between them, in a strange order.
struct ReductionBuffers {
  explicit ReductionBuffers(const ReductionCase& given) {
    const Layout& operand = given.reduction->layout();
    const std::int64_t room = operand.true_end() - std::min<std::int64_t>(0, operand.true_begin()) + 3;
    const int vectors = given.kind == reduction::Kind::reduce ? 1 : given.neighborhood.size();
    places.front() -= std::min<std::int64_t>(0, operand.true_begin());
    for (int i = vectors; i-- > 0;) {
      const Layout* layout = &operand;
      if (given.foreign && i % 3 != 1) layout = &layouts.emplace_back(foreign_layout(operand.size(), i));
      send.insert(send.begin(), {places.back(), layout});
      places.push_back(places.back() + std::max(room, 2 * operand.size() + 3));
    }
    recv = {places.front(), &operand};
    send_bytes = places.back();
    recv_bytes = places.front() + room;
  }
  static Layout foreign_layout(std::int64_t bytes, int i) {
    Layout layout;
    if (i % 2 == 0) return Layout::contiguous(bytes);
    layout.append({1, bytes / 2, 1, 0});
    layout.append({bytes / 2 + 3, bytes - bytes / 2, 1, 0});
    return layout;
  }

  std::deque<Layout> layouts;
  std::vector<std::int64_t> places{4};
  std::vector<BlockShape> send;
  BlockShape recv{};
  std::int64_t send_bytes = 0;
  std::int64_t recv_bytes = 0;
};

/// The plans that the rows of the registry offer for a case, as seen by a rank.
struct ReductionPlans {
  ReductionPlans(const ReductionCase& given, const ReductionBuffers& buffers, int rank,
                 const reduction::Canonical& canonical)
      : grid(given.sizes, given.periods, rank), nodes(given.nodes, grid), problem{grid,         canonical,
                                                                                  given.kind,   buffers.send,
                                                                                  buffers.recv, given.reduction,
                                                                                  costs,        given.ports} {
    nodes.tell(problem);
  }

  Grid grid;
  test::KnownNodes nodes;
  CostModel costs{1.0};
  reduction::Problem problem;
};

/// Calls visit(case) for every plan of every algorithm, or for `only` one of them, modulo how many there are.
template <typename Visit>
void for_each_plan(const ReductionCase& given, const ByteOp& op, Visit visit,
                   std::optional<std::size_t> only = std::nullopt) {
  const Grid grid(given.sizes, given.periods, 0);
  const ReductionBuffers buffers(given);
  const reduction::Canonical canonical = reduction::make_canonical({grid, given.neighborhood}, given.kind);
  const auto p = static_cast<std::size_t>(grid.size());
  const std::vector<BlocksOfRank> vectors(p, {buffers.send, {&buffers.recv, 1}});
  const Collective collective = given.kind == reduction::Kind::reduce ? Collective::reduce : Collective::scatter_reduce;
  const Definition definition =
      definition_of(cartesian_arrivals(grid, given.neighborhood, {"reduction", collective, {}, {}}), vectors);
  CollectiveCase made{{},
                      {},
                      definition.placements,
                      std::vector<std::int64_t>(p, buffers.send_bytes),
                      std::vector<std::int64_t>(p, buffers.recv_bytes),
                      definition.combinations,
                      &op};
  const std::size_t results = given.neighborhood.size() == 0 ? 0 : 1;
  made.blocks.assign(p, user_blocks(std::span(&buffers.recv, results), buffers.send));
  int rank = -1;
  std::vector<int> association;
  for (const Combination& line : definition.combinations) {
    if (line.target != rank) {
      rank = line.target;
      association = PlainAssociation(canonical.tree, grid, given.neighborhood, rank)();
    }
    made.associations.push_back(association);
  }
  const ReductionPlans first(given, buffers, 0, canonical);
  std::vector<reduction::Plan> plans;
  for (const reduction::Algorithm& row : reduction::registry().algorithms) {
    for (reduction::Plan& plan : row.plans(first.problem)) plans.push_back(std::move(plan));
  }
  for (std::size_t number = 0; number < plans.size(); ++number) {
    if (only && number != *only % plans.size()) continue;
    made.name = describe(given, plans[number]);
    made.schedules.clear();
    for (std::size_t i = 0; i < p; ++i) {
      const ReductionPlans on_rank(given, buffers, static_cast<int>(i), canonical);
      ScheduleBuilder builder(given.ordering, given.form);
      plans[number].build(on_rank.problem, builder);
      made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    }
    visit(static_cast<const CollectiveCase&>(made));
  }
}

}  // namespace rondo::internal

#endif
