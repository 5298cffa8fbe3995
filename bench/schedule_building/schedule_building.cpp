// Time to choose and build an alltoall's schedule, per block hop, over neighborhoods of up to 100,000 vectors (boxes of
// n^d vectors on tori that do not fold them). A block's hops are its distinct steps in dimension-wise routing, the
// coordinates of its vector that are not zero, and at least one; they are counted alike for all algorithms. `combining`
// has one way to predict and build; `auto` predicts all candidates first. Figure: from t = 100 on, under 100 ns a hop
// for `combining`. Usage: schedule_building CSV [--quick] [--only D,N,ALGORITHM]
#include <mpi.h>
#include <rondo/neighborhood.hpp>

#include "collectives/cart_alltoall/algorithms.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace internal = rondo::internal;

namespace {

struct Point {
  int d;
  int n;
};
constexpr Point kPoints[] = {{1, 10},  {1, 100}, {1, 1000}, {1, 10000}, {1, 100000}, {2, 3},  {2, 10}, {2, 32},
                             {2, 100}, {2, 316}, {3, 3},    {3, 5},     {3, 10},     {3, 22}, {3, 46}, {5, 3},
                             {5, 4},   {5, 5},   {5, 6},    {5, 10},    {10, 2},     {10, 3}};
constexpr std::array kAlgorithms{"direct", "combining", "logarithmic", "auto"};
constexpr double kMostNanoseconds = 100;

/// Of this process: what others do to the machine does not count.
double cpu_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Times {
  double lower;
  double median;
  double upper;
};

template <typename Body>
Times time_of(int rounds, double least_seconds, Body body) {
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    int times = 0;
    const double begin = cpu_seconds();
    double end = begin;
    for (; end - begin < least_seconds; end = cpu_seconds()) {
      body();
      ++times;
    }
    seconds.push_back((end - begin) / times);
  }
  std::ranges::sort(seconds);
  return {seconds[seconds.size() / 4], seconds[seconds.size() / 2], seconds[seconds.size() * 3 / 4]};
}

std::int64_t hops_of(const rondo::Neighborhood& hood) {
  std::int64_t hops = 0;
  for (int i = 0; i < hood.size(); ++i) {
    const auto steps = std::ranges::count_if(hood[i], [](int coordinate) { return coordinate != 0; });
    hops += std::max<std::int64_t>(steps, 1);
  }
  return hops;
}

/// Equal blocks in a row for every vector of a box.
class Problem {
 public:
  explicit Problem(const Point& point)
      : hood_(rondo::box(point.d, point.n, -1)),
        grid_(std::vector<int>(static_cast<std::size_t>(point.d), point.n + 3), 0) {
    for (int i = 0; i < hood_.size(); ++i) shapes_.push_back({i * kBytes, &layout_});
    sizes_.assign(shapes_.size(), kBytes);
  }
  [[nodiscard]] internal::Chosen build(const char* algorithm) const {
    const internal::alltoall::Problem problem{grid_, facts_, shapes_, shapes_, true, costs_, sizes_};
    return internal::alltoall::choose(problem, algorithm, rondo::Ordering::dependencies);
  }
  [[nodiscard]] int t() const { return hood_.size(); }
  [[nodiscard]] std::int64_t hops() const { return hops_of(hood_); }

 private:
  static constexpr std::int64_t kBytes = 8;
  rondo::Neighborhood hood_;
  internal::Grid grid_;
  internal::NeighborhoodFacts facts_{grid_, hood_};
  internal::Layout layout_ = internal::Layout::contiguous(kBytes);
  internal::CostModel costs_{1.0};
  std::vector<internal::BlockShape> shapes_;
  std::vector<std::int64_t> sizes_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool quick = false;
  Point only{0, 0};
  std::array<char, 32> only_algorithm{};
  for (int i = 2; i < argc; ++i) {
    quick = quick || std::strcmp(argv[i], "--quick") == 0;
    if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      std::sscanf(argv[i + 1], "%d,%d,%31s", &only.d, &only.n, only_algorithm.data());
  }
  std::ofstream csv(argc > 1 ? argv[1] : "/dev/null", std::ios::app);
  std::vector<std::string> missed;
  std::printf("%-12s %8s", "ns per hop", "t");
  for (const char* name : kAlgorithms) std::printf(" %12s", name);
  std::printf("  chosen\n");
  for (const Point& point : kPoints) {
    if (only.d != 0 && (point.d != only.d || point.n != only.n)) continue;
    const Problem problem(point);
    const std::int64_t hops = problem.hops();
    const std::string what = "d=" + std::to_string(point.d) + " n=" + std::to_string(point.n);
    std::printf("%-12s %8d", what.c_str(), problem.t());
    for (const char* name : kAlgorithms) {
      if (only_algorithm[0] != '\0' && std::strcmp(name, only_algorithm.data()) != 0) continue;
      static_cast<void>(problem.build(name));  // what is only done once is not counted
      const Times times = time_of(quick ? 3 : 7, quick ? 0.005 : 0.05, [&] { static_cast<void>(problem.build(name)); });
      const double per_hop = 1e9 * times.median / static_cast<double>(hops);
      std::printf(" %12.0f", per_hop);
      std::fflush(stdout);
      csv << what << ",building " << name << "," << 1e6 * times.median << "," << 1e6 * times.lower << ","
          << 1e6 * times.upper << "," << hops << ",0,right\n";
      if (std::strcmp(name, "combining") == 0 && problem.t() >= 100 && per_hop > kMostNanoseconds)
        missed.push_back(what + ", combining: " + std::to_string(per_hop) + " ns a hop, must be at most 100");
    }
    std::printf("  %s\n", only_algorithm[0] != '\0' ? "" : problem.build("auto").plan.c_str());
  }
  for (const std::string& line : missed) std::printf("missed: %s\n", line.c_str());
  MPI_Finalize();
  return missed.empty() ? 0 : 3;
}
