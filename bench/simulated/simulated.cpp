// Collectives of Rondo's on simulated machines of many nodes: what each algorithm takes there, beside the direct one,
// and whether auto finds the best. One process; nothing here is measured on this machine but how long the simulation
// takes.
#include "arguments.hpp"
#include "collectives/topology/process_mapping.hpp"
#include "exchanges.hpp"
#include "figures.hpp"
#include "reduce_exchange.hpp"
#include "run_plans.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/machine/named_machines.hpp"

#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::simulated {
namespace {

/// As even as can be, the larger ones first, as MPI_Dims_create does.
std::vector<int> even_sizes(int ranks, int dimensions) {
  std::vector<int> sizes(static_cast<std::size_t>(dimensions));
  MPI_Dims_create(ranks, dimensions, sizes.data());
  return sizes;
}

struct Stencil {
  const char* option;
  const char* name;
  int dimensions;
  rondo::Neighborhood neighborhood;
};

std::vector<Stencil> stencils() {
  return {{"9-point", "9 points", 2, rondo::moore(2, 1)},
          {"27-point", "27 points", 3, rondo::moore(3, 1)},
          {"box-5", "box, d=5, n=3", 5, rondo::box(5, 3, -1)}};
}

Site site(int ranks, int nodes, const std::string& platform, const machine::Parameters& parameters,
          const std::string& mapping = "blocks") {
  const std::array known{"blocks", "round-robin", "reordered"};
  if (std::ranges::find(known, mapping) == known.end())
    throw std::invalid_argument("--mapping: is " + mapping + ", must be blocks, round-robin or reordered");
  const auto dealt = mapping == "round-robin" ? machine::Mapping::round_robin : machine::Mapping::blocks;
  return {{machine::platform_named(platform, nodes), parameters, machine::nodes_of_ranks(ranks, nodes, dealt)},
          nodes,
          mapping};
}

/// Ranks where `reorder` puts them, for a neighborhood on a torus.
Site reordered(Site at, const std::vector<int>& sizes, const rondo::Neighborhood& neighborhood) {
  std::vector<int>& node_of = at.machine.node_of;
  const ProcessMapping mapping = map_processes(Grid(sizes, 0), neighborhood, node_of);
  if (mapping.place_of.empty()) return at;
  const std::vector<int> before = node_of;
  for (std::size_t rank = 0; rank < before.size(); ++rank)
    node_of[static_cast<std::size_t>(mapping.place_of[rank])] = before[rank];
  return at;
}

using Names = std::vector<std::string>;

template <typename Exchange>
void add_plans(const Site& at, const Exchange& exchange, const std::string& name, std::int64_t bytes,
               const Names& algorithms, Figures& figures) {
  figures.begin(at, name, bytes);
  run_plans(at.machine, exchange, algorithms, [&](const Timing& timing) { figures.add(timing); });
  figures.end();
}

/// `bytes`: of a block or, in a reduction, of a vector of doubles.
void add_cart(const Site& at, const Stencil& stencil, std::int64_t bytes, const Names& algorithms, Figures& figures,
              const std::string& operation = "alltoall") {
  const std::vector<int> sizes = even_sizes(at.machine.ranks(), stencil.dimensions);
  const Site placed = at.mapping == "reordered" ? reordered(at, sizes, stencil.neighborhood) : at;
  const std::string name = operation == "alltoall" ? stencil.name : std::string(stencil.name) + ", " + operation;
  if (operation == "alltoall") {
    const CartExchange exchange(placed.machine, sizes, stencil.neighborhood, name, bytes);
    add_plans(placed, exchange, name, bytes, algorithms, figures);
  } else if (operation == "allgather") {
    const AllgatherExchange exchange(placed.machine, sizes, stencil.neighborhood, name, bytes);
    add_plans(placed, exchange, name, bytes, algorithms, figures);
  } else if (operation == "reduce") {
    constexpr auto kDouble = static_cast<std::int64_t>(sizeof(double));
    if (bytes % kDouble != 0) throw std::invalid_argument("--bytes: a reduction needs multiples of 8");
    const ReduceExchange exchange(placed.machine, sizes, stencil.neighborhood, static_cast<int>(bytes / kDouble));
    add_plans(placed, exchange, name, bytes, algorithms, figures);
  } else {
    throw std::invalid_argument("--operation: is " + operation + ", must be alltoall, allgather or reduce");
  }
}

void add_dense(const Site& at, std::int64_t bytes, const Names& algorithms, Figures& figures) {
  const DenseExchange exchange(at.machine, bytes);
  add_plans(at, exchange, exchange.name(), bytes, algorithms, figures);
}

void one_point(const Arguments& arguments, Figures& figures) {
  const int nodes = arguments.nodes == 0 ? arguments.ranks : arguments.nodes;
  const machine::Parameters parameters = machine::with_rails(machine::network_named(arguments.network), arguments.rails,
                                                             machine::binding_named(arguments.binding));
  const Site at = site(arguments.ranks, nodes, arguments.platform, parameters, arguments.mapping);
  for (const std::int64_t bytes : arguments.bytes) {
    if (arguments.collective == "dense") {
      if (arguments.operation != "alltoall") throw std::invalid_argument("--operation: needs a neighborhood");
      if (arguments.mapping == "reordered") throw std::invalid_argument("--mapping: reordered needs a neighborhood");
      add_dense(at, bytes, arguments.algorithms, figures);
      continue;
    }
    const auto all = stencils();
    const auto stencil = std::ranges::find(all, arguments.collective, &Stencil::option);
    if (stencil == all.end())
      throw std::invalid_argument("--collective: no collective is called " + arguments.collective);
    add_cart(at, *stencil, bytes, arguments.algorithms, figures, arguments.operation);
  }
}

/// The neighborhoods of the Cartesian collectives' paper (ICPP 2019) on as many nodes, and with as many ranks, as it
/// has.
void cartesian_tables(bool quick, Figures& figures) {
  for (const char* platform : {"fat-tree", "torus"}) {
    const Site at =
        quick ? site(96, 12, platform, machine::omni_path()) : site(1152, 36, platform, machine::omni_path());
    for (const Stencil& stencil : stencils()) {
      for (const std::int64_t bytes : {4, 40, 400, 4000}) {
        if (!quick || bytes == 40) add_cart(at, stencil, bytes, {}, figures);
      }
    }
  }
}

/// Allgathers and reductions of 27 points.
void shared_block_tables(bool quick, Figures& figures) {
  const Site at =
      quick ? site(128, 32, "fat-tree", machine::omni_path()) : site(2048, 64, "fat-tree", machine::omni_path());
  for (const char* operation : {"allgather", "reduce"}) {
    for (const std::int64_t bytes : {8, 64, 512, 4096}) {
      if (!quick || bytes == 64) add_cart(at, stencils()[1], bytes, {}, figures, operation);
    }
  }
}

/// What Open MPI's and Rondo's alltoalls choose from; the zero-copy Bruck paper's variants differ in copies only.
const Names& dense_algorithms() {
  static const Names names{"direct",     "pairwise", "windowed",   "bruck",    "compact-bruck",
                           "node-aware", "scatter",  "randomized", "segmented"};
  return names;
}

void dense_tables(bool quick, Figures& figures) {
  const Site small = site(64, 16, "fat-tree", machine::omni_path());
  for (const std::int64_t bytes : {8, 64, 512, 4096})
    add_dense(small, bytes, quick ? dense_algorithms() : Names{}, figures);
  if (quick) return;
  const Site large = site(1024, 32, "fat-tree", machine::omni_path());
  for (const std::int64_t bytes : {8, 64, 512}) add_dense(large, bytes, dense_algorithms(), figures);
  const Site largest = site(2048, 64, "fat-tree", machine::omni_path());
  add_cart(largest, stencils()[1], 64, {}, figures);
  add_dense(largest, 64, {"bruck", "node-aware", "randomized"}, figures);
}

/// On what the best algorithm depends: each quantity of the network halved and doubled.
void sensitivity_tables(bool quick, Figures& figures) {
  const int nodes = quick ? 8 : 32;
  for (const auto quantity : machine::kQuantities) {
    for (const double factor : {0.5, 2.0}) {
      const Site at = site(4 * nodes, nodes, "fat-tree", machine::scaled(machine::omni_path(), quantity, factor));
      add_cart(at, stencils()[1], 64, {}, figures);
      add_dense(at, 64, dense_algorithms(), figures);
    }
  }
}

/// Order, queue and segments of the randomized alltoall, each by itself, beside pairwise exchange, which is what MPI
/// libraries do with such blocks.
class SlimFlyStudy {
 public:
  SlimFlyStudy(int nodes, std::int64_t bytes, Figures& figures)
      : at_(site(nodes, nodes, "slim-fly", machine::fdr_infiniband())), bytes_(bytes), figures_(figures) {}

  void run() {
    figures_.begin(at_, "dense alltoall", bytes_);
    add("pairwise", {}, "pairwise: shifted order, queue 1");
    for (const int queue : {2, 8, 32})
      add("windowed", {.ports = queue}, "shifted order, queue " + std::to_string(queue));
    add("direct", {}, "direct: shifted order, all at once");
    for (const int queue : {1, 2, 8, 32}) {
      add("randomized", {.ports = queue}, "random order, queue " + std::to_string(queue));
    }
    add("randomized", {.ports = 8, .queue = rondo::Queue::batches}, "random order, batches of 8");
    add("scatter", {}, "random order, all at once");
    for (const std::int64_t segment : {4096, 8192, 16384}) {
      if (segment < bytes_)
        add("segmented", {.ports = 8, .segment = segment},
            "random order, queue 8, segments of " + std::to_string(segment));
    }
  }

 private:
  /// The mean over some random orders.
  void add(const std::string& algorithm, dense::Options options, const std::string& name) {
    const bool random = algorithm == "randomized" || algorithm == "scatter" || algorithm == "segmented";
    const int orders = random ? 3 : 1;
    Timing mean{algorithm, name, 0, false, 0, {}, true};
    for (int order = 0; order < orders; ++order) {
      options.seed = static_cast<std::uint64_t>(order + 1);
      const DenseExchange exchange(at_.machine, bytes_, options);
      const auto plan = exchange.with_problem(
          0, [&](const auto& problem) { return plans_for(dense::registry(), problem, algorithm).plans.front(); });
      const Outcome outcome = run_plan(at_.machine, exchange, plan);
      mean.nanoseconds += outcome.nanoseconds / orders;
      mean.predicted = plan.prediction.nanoseconds;
      mean.traffic = outcome.traffic;
      mean.right = mean.right && outcome.right;
    }
    figures_.add(mean);
  }

  Site at_;
  std::int64_t bytes_;
  Figures& figures_;
};

void slim_fly_tables(bool quick, Figures& figures) {
  for (const int nodes : quick ? std::vector{48} : std::vector{50, 100, 200}) {
    for (const std::int64_t bytes : {8192, 16384, 65536}) SlimFlyStudy(nodes, bytes, figures).run();
  }
}

int run(const Arguments& arguments) {
  const auto since = std::chrono::steady_clock::now();
  Figures figures(arguments.csv);
  if (arguments.ranks > 0) {
    one_point(arguments, figures);
  } else {
    cartesian_tables(arguments.quick, figures);
    shared_block_tables(arguments.quick, figures);
    dense_tables(arguments.quick, figures);
    sensitivity_tables(arguments.quick, figures);
    slim_fly_tables(arguments.quick, figures);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - since;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("auto took at most %.2f of the best; the simulation took %.1f s and %.2f GiB\n", figures.worst_choice(),
              took.count(), static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0));
  return figures.all_right() ? 0 : 3;
}

}  // namespace
}  // namespace rondo::internal::simulated

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);  // for datatypes
  int status = 2;
  try {
    status = rondo::internal::simulated::run(rondo::internal::simulated::parse(argc, argv));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "simulated: %s\n%s", error.what(), rondo::internal::simulated::kUsage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simulated: %s\n", error.what());
  }
  MPI_Finalize();
  return status;
}
