/// @file
/// Cartesian alltoalls as cases for the checker and the simulation.
#ifndef RONDO_TESTS_ALLTOALL_CASE_HPP
#define RONDO_TESTS_ALLTOALL_CASE_HPP

#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/cart_alltoall/ring.hpp"
#include "collectives/cart_alltoall/routed.hpp"
#include "collectives/proof/arrivals.hpp"
#include "tests/support/cases/collective_case.hpp"
#include "tests/support/cases/random/random_expansion.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace rondo::internal {

struct AlltoallCase {
  std::vector<int> sizes;
  Neighborhood neighborhood;
  std::vector<int> periods = {};  ///< empty: a torus
  /// Bytes of block i that `rank` sends; uniform algorithms need it not to depend on the rank.
  std::function<std::int64_t(int rank, int i)> bytes;
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
  int ports = 0;
  std::vector<std::int64_t> nodes = {};  ///< a number for each rank's node (NodeMembers); empty: nobody knows
};

/// An algorithm, or one of its plans, or any lowering.
struct AlltoallWay {
  std::string name;
  bool needs_uniform;
  std::function<void(const alltoall::Problem&, ScheduleBuilder&)> build;
};

/// What the registry has under that name: of the plans it offers on each rank, the one with this number.
[[nodiscard]] AlltoallWay alltoall_way(std::string_view name, std::size_t number = 0);

/// Any path expansion: dimensions in random groups and order, in digits where that can be.
[[nodiscard]] AlltoallWay random_routes(std::uint64_t seed);

[[nodiscard]] std::string describe(const AlltoallCase& given, const AlltoallWay& way);

/// The blocks of one side of a rank: in a strange order, with gaps, every third one in two pieces, and some described
/// from behind where they begin, or from before.
class ScatteredBlocks {
 public:
  void add(std::int64_t bytes, int i) {
    const std::int64_t begin = i % 4 == 1 ? -5 : i % 4 == 2 ? 8 : 0;
    Layout layout;
    if (i % 3 == 0 && bytes > 1) {
      layout.append({begin, bytes / 2, 1, 0});
      layout.append({begin + bytes / 2 + 2, bytes - bytes / 2, 1, 0});
    } else {
      layout.append({begin, bytes, 1, 0});
    }
    layouts_.push_back(std::move(layout));
    places_.push_back(end_ - begin);
    end_ += bytes + 2 + i % 2;
  }
  /// Blocks were added last first.
  void finish() {
    const std::size_t t = layouts_.size();
    for (std::size_t i = 0; i < t; ++i) shapes_.push_back({places_[t - 1 - i], &layouts_[t - 1 - i]});
  }
  [[nodiscard]] std::span<const BlockShape> shapes() const { return shapes_; }
  [[nodiscard]] std::int64_t bytes() const { return end_; }

 private:
  std::vector<Layout> layouts_;
  std::vector<std::int64_t> places_;
  std::vector<BlockShape> shapes_;
  std::int64_t end_ = 3;
};

[[nodiscard]] CollectiveCase alltoall_case(const AlltoallCase& given, const AlltoallWay& way, bool uniform = true);

/// How many plans a row offers for a case.
[[nodiscard]] std::size_t count_plans(const AlltoallCase& given, const alltoall::Algorithm& row, bool uniform);

/// Calls visit(case) for every plan of every row of the registry that applies, and for any routes of a seed: ordered by
/// dependencies and by phases, with staged messages and with datatypes (what is automatic is one of these) taking
/// turns. The ranks are on some nodes, where the case says nothing of them.
template <typename Visit>
void for_each_alltoall(AlltoallCase given, bool uniform, std::uint64_t seed, Visit visit) {
  if (given.nodes.empty()) given.nodes = test::some_nodes(Grid(given.sizes, 0).size(), seed);
  std::vector<AlltoallWay> ways;
  for (const alltoall::Algorithm& row : alltoall::registry().algorithms) {
    if (row.needs_uniform && !uniform) continue;
    const std::size_t plans = count_plans(given, row, uniform);
    for (std::size_t number = 0; number < plans; ++number) ways.push_back(alltoall_way(row.name, number));
  }
  if (uniform) {
    ways.push_back({"ring of all processes", true, alltoall::build_ring});  // also where the registry prefers another
    ways.push_back(random_routes(seed));
  }
  for (const AlltoallWay& way : ways) {
    for (const Ordering ordering : {Ordering::dependencies, Ordering::phases}) {
      given.ordering = ordering;
      given.form = seed++ / 2 % 2 == 0 ? MessageForm::staged : MessageForm::datatype;
      visit(alltoall_case(given, way, uniform));
    }
  }
}

}  // namespace rondo::internal

#endif
