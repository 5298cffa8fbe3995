// Which parts of halos are sent, and how long they are: that both ends tell the same, and what the arrays say.
#include "collectives/halo/halo_traffic.hpp"

#include <gtest/gtest.h>

#include "collectives/halo/algorithms.hpp"
#include "tests/support/cases/halo_case.hpp"
#include "tests/support/nodes/known_nodes.hpp"

#include <map>
#include <tuple>

namespace rondo::internal::halo::halo_traffic_test {
namespace {

using Sent = std::map<std::tuple<int, int, std::uint32_t>, std::int64_t>;  ///< bytes by source, target and round

Sent sent_in(const HaloCase& given, const HaloArrays& arrays, bool as_received) {
  const CostModel costs(1.0);
  const test::KnownNodes nodes(given.nodes, arrays.grid());
  Problem problem{arrays.grid(), arrays.bundle(0), arrays.typical_bundle(), costs};
  problem.inside = &arrays.inside();
  nodes.tell(problem);
  const Expansion expansion = direct(arrays.grid(), arrays.typical(), Messages::apart);
  const HaloTraffic traffic(problem, expansion);
  Sent sent;
  for (int rank = 0; rank < arrays.grid().size(); ++rank) {
    if (as_received) {
      traffic.visit_received(rank, [&](int source, std::uint32_t round, std::int64_t bytes) {
        sent[{source, rank, round}] = bytes;
      });
    } else {
      traffic.visit_sent(rank, [&](int target, std::uint32_t round, std::int64_t bytes) {
        sent[{rank, target, round}] = bytes;
      });
    }
  }
  return sent;
}

TEST(HaloTraffic, IsTheSameFromBothEndsAndInTheSchedules) {
  for (const std::vector<int>& periods : {std::vector{1, 1}, {0, 1}, {0, 0}}) {
    for (const Stencil stencil : {Stencil::box, Stencil::star}) {
      HaloCase given{.sizes = {2, 3}, .periods = periods, .low = {2, 1}, .high = {1, 3}, .stencil = stencil};
      given.inside = [](int axis, int coordinate) { return std::int64_t{4 + (axis + 2 * coordinate) % 3}; };
      given.nodes = {1, 1, 1, 2, 2, 2};
      given.others = {{.low = {1, 0, 0}, .high = {0, 2, 0}, .element = element_of(3)}};
      const HaloArrays arrays(given);
      const Sent sent = sent_in(given, arrays, false);
      EXPECT_EQ(sent, sent_in(given, arrays, true));
      std::map<std::pair<int, int>, std::multiset<std::int64_t>> told;
      for (const auto& [ends, bytes] : sent) told[{std::get<0>(ends), std::get<1>(ends)}].insert(bytes);
      std::map<std::pair<int, int>, std::multiset<std::int64_t>> built;
      const auto made = halo_case(given, arrays, {}, direct(arrays.grid(), arrays.typical(), Messages::apart));
      for (int rank = 0; rank < 6; ++rank) {
        for (const Task& task : made.schedules[static_cast<std::size_t>(rank)]->tasks()) {
          if (task.kind == TaskKind::send) built[{rank, task.peer}].insert(task.bytes);
        }
      }
      EXPECT_EQ(told, built);
      EXPECT_GT(built.size(), 6U);
    }
  }
}

}  // namespace
}  // namespace rondo::internal::halo::halo_traffic_test
