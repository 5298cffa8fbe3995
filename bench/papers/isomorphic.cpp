// Träff, Lübbe, Rougier and Hunold, Isomorphic, Sparse MPI-like Collective Communication Operations for Parallel
// Stencil Computations, EuroMPI 2015: its three algorithms, of which the paper measures the first, the order of
// neighbors, halos of depth k, and reductions, which the paper defines only.
#include "bench/simulated/halo_exchange.hpp"
#include "bench/simulated/reduce_exchange.hpp"
#include "plans.hpp"
#include "rows.hpp"
#include "sites.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::internal::papers {
namespace {

using machine::Machine;
using simulated::CartExchange;

/// 30 nodes of 16 ranks, a torus of 24 x 20.
Machine machine_for(Extent extent) { return extent == Extent::full ? jupiter(30, 16) : jupiter(6, 5); }
std::vector<int> sizes_for(Extent extent) { return extent == Extent::full ? std::vector{24, 20} : std::vector{6, 5}; }

std::vector<std::int64_t> block_sizes(Extent extent) {
  if (extent == Extent::quick) return {64};
  return {1, 8, 64, 512, 4096, 32768};
}

/// s targets in a row along the last dimension: section 5.3's best case.
rondo::Neighborhood in_a_row(int s) {
  rondo::Neighborhood neighborhood(2);
  for (int i = 1; i <= s; ++i) neighborhood.add(std::array{0, i});
  return neighborhood;
}

// --- The three algorithms of section 5

struct Stencil {
  const char* name;
  rondo::Neighborhood neighborhood;
};

bool algorithms(Extent extent, Figure& figure) {
  const std::array stencils{Stencil{"Moore, radius 1", rondo::moore(2, 1)},
                            Stencil{"Moore, radius 3", rondo::moore(2, extent == Extent::full ? 3 : 2)},
                            Stencil{"von Neumann, radius 1", rondo::von_neumann(2, 1)},
                            Stencil{"in a row", in_a_row(extent == Extent::full ? 15 : 4)}};
  struct Sketched {
    const char* line;
    const char* algorithm;
  };
  constexpr std::array kSketched{Sketched{"1: direct", "direct"},
                                 Sketched{"2: along dimensions, through neighbors", "neighbors"},
                                 Sketched{"3: around a ring", "ring"}, Sketched{"auto", "auto"}};
  const auto add = [&](const std::string& where, const Machine& machine, const std::vector<int>& sizes) {
    for (const Stencil& stencil : stencils) {
      for (const std::int64_t bytes : block_sizes(extent)) {
        const CartExchange exchange(machine, sizes, stencil.neighborhood, stencil.name, bytes);
        for (const Sketched& sketched : kSketched) {
          add_run(figure, {stencil.name + where, sketched.line, static_cast<double>(bytes)}, machine, exchange,
                  sketched.algorithm);
        }
      }
    }
  };
  add("", machine_for(extent), sizes_for(extent));
  // Figure 4: one rank a node.
  if (extent == Extent::full) add(", one rank a node", jupiter(30, 1), {6, 5});
  return true;
}

// --- Figure 7: the order of neighbors

bool orders(Extent extent, Figure& figure) {
  const Machine machine = machine_for(extent);
  const std::vector<int> sizes = sizes_for(extent);
  const rondo::Neighborhood row_major = rondo::moore(2, 3);
  rondo::Neighborhood column_major(2);
  for (int column = -3; column <= 3; ++column) {
    for (int row = -3; row <= 3; ++row) {
      if (row != 0 || column != 0) column_major.add(std::array{row, column});
    }
  }
  const std::array ordered{Stencil{"row major", row_major}, Stencil{"column major", column_major},
                           Stencil{"random", row_major.shuffled(1)}};
  for (std::int64_t bytes = 2; bytes <= (extent == Extent::full ? 65536 : 2); bytes *= 4) {
    for (const int ports : {0, 1, 4}) {
      const std::string panel = ports == 0 ? "all in flight" : std::to_string(ports) + " in flight";
      for (const Stencil& order : ordered) {
        const CartExchange exchange(machine, sizes, order.neighborhood, order.name, bytes, ports);
        add_run(figure, {panel, order.name, static_cast<double>(bytes)}, machine, exchange, "direct");
      }
    }
  }
  return true;
}

// --- Figures 8 and 9: stencils

constexpr std::array kHaloAlgorithms{"direct", "combining", "joined", "auto"};

bool halos(Extent extent, Figure& figure) {
  const auto add = [&](const std::string& panel, double x, const Machine& machine, const std::vector<int>& sizes,
                       const simulated::Matrix& matrix) {
    const simulated::HaloExchange exchange(machine, sizes, matrix);
    for (const char* algorithm : kHaloAlgorithms) add_run(figure, {panel, algorithm, x}, machine, exchange, algorithm);
  };
  using enum rondo::Stencil;
  // Figure 8 has the matrix's order and the halo's depth; the numbers of nodes are those with which the text plays.
  for (const int nodes : extent == Extent::full ? std::vector{4, 9, 16, 20, 25, 30, 36} : std::vector{4})
    add("5-point, n=10000, depth 10, by nodes", nodes, jupiter(nodes, 1), even_sizes(nodes, 2), {10000, 10, star});
  for (const int nodes : extent == Extent::full ? std::vector{10, 20, 30, 36} : std::vector{2})
    add("9-point, n=100, depth 2, by nodes", nodes, jupiter(nodes, 16), even_sizes(16 * nodes, 2), {100, 2, box});
  // What a halo of depth k costs for each of k steps.
  const Machine machine = machine_for(extent);
  for (const std::int64_t order : {100, 1000, 10000}) {
    for (int depth = 1; depth <= (extent == Extent::full ? 10 : 2); ++depth) {
      const std::string size = ", n=" + std::to_string(order) + ", by depth";
      add("5-point" + size, depth, machine, sizes_for(extent), {order, depth, star});
      add("9-point" + size, depth, machine, sizes_for(extent), {order, depth, box});
    }
  }
  return true;
}

// --- Section 4: reductions

bool reductions(Extent extent, Figure& figure) {
  const Machine machine = machine_for(extent);
  const std::array stencils{
      Stencil{"von Neumann, radius 1", rondo::von_neumann(2, 1)}, Stencil{"Moore, radius 1", rondo::moore(2, 1)},
      Stencil{"Moore, radius 3", rondo::moore(2, 3)}, Stencil{"Moore, d=3, radius 1", rondo::moore(3, 1)},
      Stencil{"Moore, d=3, radius 2", rondo::moore(3, 2)}};
  for (const Stencil& stencil : stencils) {
    const std::vector<int> sizes = even_sizes(machine.ranks(), stencil.neighborhood.dimensions());
    for (const int doubles : {1, 10, 100, 1000, 10000}) {
      const simulated::ReduceExchange exchange(machine, sizes, stencil.neighborhood, doubles);
      for (const char* algorithm : {"direct", "combining", "logarithmic", "auto"})
        add_run(figure, {stencil.name, algorithm, static_cast<double>(doubles)}, machine, exchange, algorithm);
    }
  }
  return true;
}

constexpr std::array kRows{
    Row{"eurompi-algorithms", algorithms},
    Row{"eurompi-orders", orders},
    Row{"eurompi-halos", halos},
    Row{"eurompi-reductions", reductions},
};

}  // namespace

std::span<const Row> isomorphic_rows() { return kRows; }

}  // namespace rondo::internal::papers
