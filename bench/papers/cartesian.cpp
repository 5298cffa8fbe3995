// Träff and Hunold, Cartesian Collective Communication, ICPP 2019: table 1, figures 2 to 6, and the cut-off.
#include "collectives/cart_allgather/tree.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/paths/path_expansion.hpp"
#include "plans.hpp"
#include "rows.hpp"
#include "sites.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::papers {
namespace {

using machine::Machine;
using simulated::AllgatherExchange;
using simulated::CartExchange;

/// Section 4.1.1: all vectors whose coordinates are n values, from -1 on.
struct Box {
  int d;
  int n;

  [[nodiscard]] rondo::Neighborhood neighborhood() const { return rondo::box(d, n, -1); }
  /// Of the smallest torus that folds no offsets.
  [[nodiscard]] int ranks() const { return static_cast<int>(std::lround(std::pow(n, d))); }
  [[nodiscard]] std::string name() const { return "d=" + std::to_string(d) + " n=" + std::to_string(n); }
};

constexpr std::array<Box, 12> kBoxes{
    {{2, 3}, {2, 4}, {2, 5}, {3, 3}, {3, 4}, {3, 5}, {4, 3}, {4, 4}, {4, 5}, {5, 3}, {5, 4}, {5, 5}}};

/// Simulated ranks as many as measured ones, or few enough for data.
Machine machine_for(Extent extent) { return extent == Extent::full ? hydra(36, 32) : hydra(12, 8); }
bool is_for(Extent extent, const Box& box) { return extent == Extent::full || (box.d <= 3 && box.n <= 4); }

/// Whether it takes seconds to choose: that looks at all blocks of all ranks, and here one process does so for all.
bool may_choose(const Machine& machine, const Box& box) {
  return std::int64_t{machine.ranks()} * box.neighborhood().size() < 1'000'000;
}

constexpr const char* kAllAtOnce = "direct, all in flight";
constexpr const char* kOneByOne = "direct, one by one";

// --- Table 1, and the trees of figure 2

struct TableColumn {
  Box box;
  int t;
  int rounds;
  int allgather;
  int alltoall;
  double cut_off;
};
constexpr std::array<TableColumn, 12> kTable{{{{2, 3}, 8, 4, 8, 12, 1.167},
                                              {{2, 4}, 15, 6, 15, 24, 1.250},
                                              {{2, 5}, 24, 8, 24, 40, 1.133},
                                              {{3, 3}, 26, 6, 26, 54, 0.778},
                                              {{3, 4}, 63, 9, 63, 144, 0.688},
                                              {{3, 5}, 124, 12, 124, 300, 0.646},
                                              {{4, 3}, 80, 8, 80, 216, 0.541},
                                              {{4, 4}, 255, 12, 255, 768, 0.477},
                                              {{4, 5}, 624, 16, 624, 2000, 0.443},
                                              {{5, 3}, 242, 10, 242, 810, 0.411},
                                              {{5, 4}, 1023, 15, 1023, 3840, 0.358},
                                              {{5, 5}, 3124, 20, 3124, 12500, 0.331}}};

struct RoundsAndVolume {
  int rounds = 0;
  int volume = 0;
};

/// Of the schedule of one rank of a torus that folds no offsets; ranks do not differ.
template <typename Exchange>
RoundsAndVolume count(const Exchange& exchange, const char* algorithm) {
  const auto plan = plan_of(exchange, algorithm);
  RoundsAndVolume counted;
  const auto schedule = exchange.with_problem(0, [&](const auto& problem) {
    ScheduleBuilder builder(rondo::Ordering::dependencies, rondo::MessageForm::automatic);
    plan->build(problem, builder);
    return std::move(builder).build();
  });
  for (const Task& task : schedule.tasks()) {
    if (task.kind != TaskKind::send) continue;
    ++counted.rounds;
    counted.volume += static_cast<int>(task.part_count);
  }
  return counted;
}

/// The edges of figure 2's tree in an order of dimensions.
int edges(const std::vector<int>& order) {
  const rondo::Neighborhood neighborhood{{-2, 1, 1}, {-1, 1, 1}, {1, 1, 1}, {2, 1, 1}};
  const Grid grid(std::vector{7, 7, 7}, 0);
  const NeighborhoodFacts facts(grid, neighborhood);
  std::vector<PathPart> parts;
  for (const int k : order) parts.push_back({{k}, 0, std::nullopt});
  return static_cast<int>(
      allgather::Tree(grid, facts.folded(), expand_in_parts(grid, facts.distinct(), parts, "")).edges());
}

bool table_1(Extent, Figure& figure) {
  bool exact = true;
  const auto compare = [&](const Box& box, const char* what, double paper, double ours, double within = 0) {
    figure.add_value({box.name(), what, 0}, "paper", paper);
    figure.add_value({box.name(), what, 0}, "ours", ours);
    const bool same = std::abs(paper - ours) <= within;
    if (!same) std::printf("  DIFFERS\n");
    return same;
  };
  for (const TableColumn& column : kTable) {
    const Box& box = column.box;
    const std::vector<int> sizes(static_cast<std::size_t>(box.d), box.n);
    const Machine machine = mars(box.ranks());  // any: nothing runs
    const rondo::Neighborhood neighborhood = box.neighborhood();
    const CartExchange alltoall(machine, sizes, neighborhood, "", 4);
    const AllgatherExchange allgather(machine, sizes, neighborhood, "", 4);
    const RoundsAndVolume combining = count(alltoall, "combining");
    const RoundsAndVolume gathered = count(allgather, "combining");
    exact = compare(box, "t", column.t, count(alltoall, "direct").rounds) && exact;
    exact = compare(box, "rounds, alltoall", column.rounds, combining.rounds) && exact;
    exact = compare(box, "rounds, allgather", column.rounds, gathered.rounds) && exact;
    exact = compare(box, "volume, allgather", column.allgather, gathered.volume) && exact;
    exact = compare(box, "volume, alltoall", column.alltoall, combining.volume) && exact;
    // The table's ratios count the zero vector. The first is a slip of the pen: 5 / 3 is 1.667.
    const double t = neighborhood.size();
    const double ratio = (t - combining.rounds) / (combining.volume - t);
    const bool same = compare(box, "cut-off ratio", column.cut_off, ratio, 0.0005);
    exact = (same || (box.d == 2 && box.n == 3)) && exact;
  }
  figure.add_value({"figure 2", "volume in increasing order", 0}, "paper", 12);
  figure.add_value({"figure 2", "volume in increasing order", 0}, "ours", edges({0, 1, 2}));
  figure.add_value({"figure 2", "volume in decreasing order", 0}, "paper", 7);
  figure.add_value({"figure 2", "volume in decreasing order", 0}, "ours", edges({2, 1, 0}));
  // The tree has 7 nodes, and so 6 edges.
  return exact && edges({0, 1, 2}) == 12 && edges({2, 1, 0}) == 6;
}

// --- Figures 3 to 6

/// Blocks of `bytes` bytes, or of as many for each neighbor; in units of MPI_INT on the x-axis.
template <typename Exchange, typename Bytes>
void add_all(Figure& figure, const Machine& machine, const Box& box, int m, const Bytes& bytes) {
  const std::vector<int> sizes = even_sizes(machine.ranks(), box.d);
  const rondo::Neighborhood neighborhood = box.neighborhood();
  const auto place = [&](const char* line) { return Place{box.name(), line, static_cast<double>(m)}; };
  {
    const Exchange at_once(machine, sizes, neighborhood, box.name(), bytes);
    add_run(figure, place(kAllAtOnce), machine, at_once, "direct");
    add_run(figure, place("combining"), machine, at_once, "combining");
    if (may_choose(machine, box)) add_run(figure, place("auto"), machine, at_once, "auto");
  }
  const Exchange one_by_one(machine, sizes, neighborhood, box.name(), bytes, 1);
  add_run(figure, place(kOneByOne), machine, one_by_one, "direct");
}

template <typename Exchange>
bool regular(Extent extent, Figure& figure) {
  const Machine machine = machine_for(extent);
  for (const Box& box : kBoxes) {
    if (!is_for(extent, box)) continue;
    for (const int m : {1, 10, 100}) add_all<Exchange>(figure, machine, box, m, std::int64_t{4} * m);
  }
  return true;
}

/// Section 4.2: m^(d-z) for a vector with z coordinates that are not zero, and nothing for the process itself.
std::vector<std::int64_t> irregular_bytes(const Box& box, int m) {
  const rondo::Neighborhood neighborhood = box.neighborhood();
  std::vector<std::int64_t> bytes;
  for (int i = 0; i < neighborhood.size(); ++i) {
    const auto z = std::ranges::count_if(neighborhood[i], [](int coordinate) { return coordinate != 0; });
    std::int64_t elements = z == 0 ? 0 : 1;
    for (auto k = z; k < box.d && z > 0; ++k) elements *= m;
    bytes.push_back(4 * elements);
  }
  return bytes;
}

bool irregular(Extent extent, Figure& figure) {
  const Machine machine = machine_for(extent);
  for (const Box& box : {Box{2, 3}, Box{3, 3}, Box{3, 5}, Box{5, 3}, Box{5, 5}}) {
    if (!is_for(extent, box)) continue;
    for (const int m : {1, 10}) add_all<CartExchange>(figure, machine, box, m, irregular_bytes(box, m));
  }
  return true;
}

/// Figure 5's machine. With 5^5 - 1 neighbors it would have 51 million messages in flight: too many for a simulation.
bool on_titan(Extent extent, Figure& figure) {
  const Machine machine = extent == Extent::full ? titan(1024, 16) : titan(16, 4);
  for (const Box& box : {Box{3, 3}, Box{3, 5}, Box{5, 3}}) {
    if (!is_for(extent, box)) continue;
    for (const int m : {1, 10, 100}) {
      const CartExchange exchange(machine, even_sizes(machine.ranks(), box.d), box.neighborhood(), box.name(),
                                  std::int64_t{4} * m);
      for (const char* algorithm : {"direct", "combining", "auto"}) {
        if (std::string_view(algorithm) == "auto" && !may_choose(machine, box)) continue;
        const char* line = std::string_view(algorithm) == "direct" ? kAllAtOnce : algorithm;
        add_run(figure, {box.name(), line, static_cast<double>(m)}, machine, exchange, algorithm);
      }
    }
  }
  return true;
}

// --- The cut-off of section 3.1

class CutOff {
 public:
  CutOff(const Machine& machine, std::vector<int> sizes, const Box& box, int ports)
      : machine_(machine), sizes_(std::move(sizes)), box_(box), ports_(ports) {}

  /// Bytes of the block with which combining takes as long as the direct algorithm: found by halving, to 2%.
  [[nodiscard]] double find() const {
    double shorter = 4;
    if (!wins(shorter)) return 0;
    double longer = 8;
    while (wins(longer)) {
      shorter = longer;
      longer *= 2;
      if (longer > kMost) return kMost;
    }
    while (longer - shorter > 4 && longer / shorter > 1.02) {
      const double middle = std::floor((shorter + longer) / 8) * 4;
      (wins(middle) ? shorter : longer) = middle;
    }
    return longer;
  }
  static constexpr double kMost = 1 << 20;

 private:
  [[nodiscard]] double time(const char* algorithm, int ports, double bytes) const {
    const CartExchange exchange(machine_, sizes_, box_.neighborhood(), "", static_cast<std::int64_t>(bytes), ports);
    const simulated::Outcome outcome = run(machine_, exchange, *plan_of(exchange, algorithm));
    if (!outcome.right) throw std::runtime_error("blocks arrived wrong with " + std::string(algorithm));
    return outcome.nanoseconds;
  }
  [[nodiscard]] bool wins(double bytes) const { return time("combining", 0, bytes) < time("direct", ports_, bytes); }

  const Machine& machine_;
  std::vector<int> sizes_;
  Box box_;
  int ports_;
};

/// x is the ratio of section 3.1, of which the cut-off should be a multiple, the same for all boxes; without the zero
/// vector, which the table counts, as no algorithm sends it. Where a torus folds offsets, the table says nothing.
bool cut_off(Extent extent, Figure& figure) {
  const auto add = [&](const std::string& panel, const Machine& machine, const std::vector<int>& sizes,
                       const TableColumn& column) {
    const double ratio = static_cast<double>(column.t - column.rounds) / (column.alltoall - column.t);
    for (const int ports : {1, 0}) {
      const double bytes = CutOff(machine, sizes, column.box, ports).find();
      figure.add_value({panel, ports == 0 ? kAllAtOnce : kOneByOne, ratio}, column.box.name(), bytes);
    }
  };
  const Machine cluster = machine_for(extent);
  for (const TableColumn& column : kTable) {
    const Box& box = column.box;
    const std::vector<int> sizes = even_sizes(cluster.ranks(), box.d);
    if (std::ranges::min(sizes) >= box.n && is_for(extent, box))
      add(std::to_string(cluster.ranks()) + " ranks, fat tree", cluster, sizes, column);
    const std::vector<int> unfolded(static_cast<std::size_t>(box.d), box.n);
    if (box.ranks() > (extent == Extent::full ? 256 : 30)) continue;
    add("one rank a node, linear costs", linear(box.ranks()), unfolded, column);
  }
  return true;
}

constexpr std::array kRows{
    Row{"icpp-table-1", table_1},
    Row{"icpp-alltoall", regular<CartExchange>},
    Row{"icpp-allgather", regular<AllgatherExchange>},
    Row{"icpp-alltoallv", irregular},
    Row{"icpp-titan", on_titan},
    Row{"icpp-cut-off", cut_off},
};

}  // namespace

std::span<const Row> cartesian_rows() { return kRows; }

}  // namespace rondo::internal::papers
