// What a process keeps, and how long it takes to choose and build schedules, in communicators of 10^3 to 10^5 ranks
// with 32 on each node: of one rank, as no other is needed for that. Bytes are those that the program asked for, at the
// end and at most; seconds are of the process. Usage: scale CSV [--quick]
#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "allocated_bytes.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/selection/near_offsets.hpp"
#include "collectives/topology/node_members.hpp"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace internal = rondo::internal;

namespace {

constexpr int kRanksOnANode = 32;
constexpr std::int64_t kBlock = 64;

/// Of this process: what others do to the machine does not count.
double cpu_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Table {
 public:
  explicit Table(const std::string& csv) : csv_(csv) {
    csv_ << "ranks,what,seconds,bytes,most bytes\n";
    std::printf("%8s  %-44s %12s %14s %14s\n", "ranks", "", "ms", "bytes", "most bytes");
  }
  /// `make()`: its result is what is kept.
  template <typename Make>
  auto row(int ranks, const std::string& what, Make make) {
    const bench::AllocatedBytes before = bench::allocated_bytes();
    bench::forget_most_bytes();
    const double begin = cpu_seconds();
    auto made = make();
    const double seconds = cpu_seconds() - begin;
    const bench::AllocatedBytes after = bench::allocated_bytes();
    const long long kept = after.now - before.now;
    const long long most = after.most - before.now;
    std::printf("%8d  %-44s %12.3f %14lld %14lld\n", ranks, what.c_str(), 1e3 * seconds, kept, most);
    std::fflush(stdout);
    csv_ << ranks << ",\"" << what << "\"," << seconds << ',' << kept << ',' << most << '\n';
    return made;
  }

 private:
  std::ofstream csv_;
};

/// Blocks of one size in a row.
struct Blocks {
  explicit Blocks(int count) {
    for (int i = 0; i < count; ++i) shapes.push_back({i * kBlock, &layout});
  }
  internal::Layout layout = internal::Layout::contiguous(kBlock);
  std::vector<internal::BlockShape> shapes;
};

internal::CostModel costs_of_cluster() {
  internal::CostModel costs = internal::CostModel(1.0).over_network({500, 0.1, 1500});
  return costs.with_near(internal::CostModel::through_slots(1.0));
}

void measure(int p, Table& table) {
  const std::vector<std::int64_t> numbers = [&] {
    std::vector<std::int64_t> made;
    for (int rank = 0; rank < p; ++rank) made.push_back(1 + rank / kRanksOnANode);
    return made;
  }();
  const auto nodes = table.row(p, "nodes of all ranks", [&] { return internal::NodeMembers(numbers); });
  const internal::CostModel costs = costs_of_cluster();

  std::vector<int> sizes(3, 0);
  MPI_Dims_create(p, 3, sizes.data());
  const rondo::Neighborhood hood = rondo::moore(3, 1);
  const internal::Grid grid(sizes, 0);
  const internal::NeighborhoodFacts facts(grid, hood);
  const internal::NearOffsets near(grid, numbers);
  const Blocks few(hood.size());
  const std::vector<std::int64_t> bytes(few.shapes.size(), kBlock);
  const internal::alltoall::Problem cartesian{grid,  facts, few.shapes, few.shapes, true,
                                              costs, bytes, 0,          &near,      &nodes};
  for (const char* algorithm : {"auto", "direct", "combining", "node-aware"}) {
    std::string what = std::string("27 points, ") + algorithm;
    table.row(p, what, [&] { return internal::alltoall::choose(cartesian, algorithm, rondo::Ordering::dependencies); });
  }

  const Blocks all(p);
  const internal::dense::Problem dense{.rank = 1,
                                       .size = p,
                                       .send = all.shapes,
                                       .recv = all.shapes,
                                       .uniform = true,
                                       .costs = costs,
                                       .largest = kBlock,
                                       .smallest = kBlock,
                                       .fewest_near = kRanksOnANode - 1,
                                       .nodes = &nodes};
  for (const char* algorithm : {"auto", "direct", "bruck", "randomized", "node-aware"}) {
    const std::string what = std::string("alltoall, ") + algorithm;
    table.row(p, what, [&] { return internal::dense::choose(dense, algorithm, rondo::Ordering::dependencies); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool quick = false;
  for (int i = 2; i < argc; ++i) quick = quick || std::strcmp(argv[i], "--quick") == 0;
  {
    Table table(argc > 1 ? argv[1] : "/dev/null");
    measure(1024, table);
    measure(10240, table);
    if (!quick) measure(102400, table);
  }
  MPI_Finalize();
}
