// The paper's neighborhoods (ICPP 2019, section 4.1: n^d vectors, f = -1) beside MPI_Neighbor_allgather.
// Figures: auto never above 1.10x the best of direct and MPI_Neighbor_allgather; at 16 ranks at least 8x faster than
// MPI_Neighbor_allgather for t = 1024 (d=5, n=4). Usage: allgather CSV [--quick] [--only D,N,M]
#include "harness.hpp"
#include "plan.hpp"
#include "report.hpp"

#include <sched.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// Of a receive buffer: 16 ranks have one each.
constexpr double kMostElements = 1.1e6;

struct Point {
  int d;
  int n;
  int m;
};

char content(int rank, int byte) { return static_cast<char>(rank * 31 + byte % 113 + 1); }

/// A block of `bytes` bytes for all neighbors on a torus, t blocks received one after the other, and every variant of
/// doing so.
class Gather {
 public:
  Gather(std::vector<int> sizes, const rondo::Neighborhood& neighborhood, int bytes)
      : sizes_(std::move(sizes)),
        neighborhood_(neighborhood),
        bytes_(bytes),
        t_(neighborhood.size()),
        torus_(MPI_COMM_WORLD, sizes_, neighborhood),
        sources_(torus_.sources()),
        targets_(torus_.targets()),
        send_(static_cast<std::size_t>(bytes)),
        recv_(static_cast<std::size_t>(t_) * send_.size()),
        requests_(2 * static_cast<std::size_t>(t_)) {
    for (int byte = 0; byte < bytes; ++byte) send_[static_cast<std::size_t>(byte)] = content(torus_.rank(), byte);
    MPI_Dist_graph_create_adjacent(torus_.native(), t_, sources_.data(), MPI_UNWEIGHTED, t_, targets_.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
  }
  Gather(const Gather&) = delete;
  Gather& operator=(const Gather&) = delete;
  ~Gather() { MPI_Comm_free(&graph_); }

  [[nodiscard]] bench::Variant rondo_persistent(const char* algorithm) {
    tori_.push_back(torus_with(algorithm));
    kept_.push_back(tori_.back().allgather_init(send_.data(), recv_.data(), bytes_, MPI_BYTE));
    std::string name = std::string("rondo ") + algorithm;
    if (std::string(algorithm) == "auto") name += " (" + bench::plan_of(kept_.back()) + ")";
    const std::size_t number = kept_.size() - 1;
    return make(std::move(name), true, [this, number](int times) {
      for (int k = 0; k < times; ++k) {
        kept_[number].start();
        kept_[number].wait();
      }
    });
  }
  [[nodiscard]] bench::Variant rondo_blocking() {
    return make("rondo auto, blocking", true, [this](int times) {
      for (int k = 0; k < times; ++k) torus_.allgather(send_.data(), recv_.data(), bytes_, MPI_BYTE);
    });
  }
  [[nodiscard]] bench::Variant mpi_neighbor_allgather() {
    return make("MPI_Neighbor_allgather", false, [this](int times) {
      for (int k = 0; k < times; ++k)
        MPI_Neighbor_allgather(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, graph_);
    });
  }
  /// Waiting by MPI_Waitall, or by testing and yielding the core.
  [[nodiscard]] bench::Variant isend_irecv(bool yielding) {
    return make(yielding ? "Isend/Irecv, yielding" : "Isend/Irecv", false, [this, yielding](int times) {
      for (int k = 0; k < times; ++k) exchange_by_hand(yielding);
    });
  }

 private:
  [[nodiscard]] rondo::CartComm torus_with(const char* algorithm) const {
    rondo::Options options;
    options.algorithm = rondo::algorithm_from(algorithm);
    return {MPI_COMM_WORLD, sizes_, neighborhood_, options};
  }
  bench::Variant make(std::string name, bool ours, std::function<void(int)> run) {
    return {std::move(name), ours, run, [this, run] {
              std::ranges::fill(recv_, static_cast<char>(0));
              run(1);
              for (std::size_t i = 0; i < recv_.size(); ++i) {
                if (recv_[i] != content(sources_[i / send_.size()], static_cast<int>(i % send_.size()))) return false;
              }
              return true;
            }};
  }
  void exchange_by_hand(bool yielding) {
    const auto t = static_cast<std::size_t>(t_);
    for (std::size_t i = 0; i < t; ++i) {
      MPI_Irecv(recv_.data() + i * send_.size(), bytes_, MPI_BYTE, sources_[i], static_cast<int>(i), torus_.native(),
                &requests_[i]);
    }
    for (std::size_t i = 0; i < t; ++i) {
      MPI_Isend(send_.data(), bytes_, MPI_BYTE, targets_[i], static_cast<int>(i), torus_.native(), &requests_[t + i]);
    }
    const int count = static_cast<int>(requests_.size());
    if (!yielding) MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
    for (int done = yielding ? 0 : 1; done == 0;) {
      MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE);
      if (done == 0) sched_yield();
    }
  }

  std::vector<int> sizes_;
  rondo::Neighborhood neighborhood_;
  int bytes_;
  int t_;
  rondo::CartComm torus_;
  std::vector<rondo::CartComm> tori_;
  std::vector<rondo::Request> kept_;
  std::vector<int> sources_;
  std::vector<int> targets_;
  std::vector<char> send_;
  std::vector<char> recv_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
};

void measure(const Point& point, const bench::Options& options, bench::Report& report) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(point.d), 0);
  MPI_Dims_create(p, point.d, sizes.data());
  Gather gather(sizes, rondo::box(point.d, point.n, -1), point.m * static_cast<int>(sizeof(int)));
  std::vector<bench::Variant> variants;
  for (const char* algorithm : {"auto", "direct", "coalesced", "combining"})
    variants.push_back(gather.rondo_persistent(algorithm));
  variants.push_back(gather.rondo_blocking());
  variants.push_back(gather.mpi_neighbor_allgather());
  variants.push_back(gather.isend_irecv(false));
#if !defined(OPEN_MPI)
  variants.push_back(gather.isend_irecv(true));  // MPICH never yields by itself
#endif
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named("d=" + std::to_string(point.d) + " n=" + std::to_string(point.n) +
                                         " m=" + std::to_string(point.m) + ", " + std::to_string(p) + " ranks");
  report.point(what, comparison);
  const bench::Result& chosen = comparison.results.front();
  const auto named = [&](const char* name) {
    return bench::best(comparison, [&](const bench::Result& result) { return result.name == name; });
  };
  const bench::Result* rival = bench::best(comparison, [](const bench::Result& result) {
    return result.name == "rondo direct" || result.name == "MPI_Neighbor_allgather";
  });
  if (rival == nullptr || !chosen.right || chosen.seconds.empty()) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", auto / " + rival->name, bench::ratio(chosen, *rival), 1.10);
  const bench::Result* mpi = named("MPI_Neighbor_allgather");
  if (mpi != nullptr && p == 16 && point.d == 5 && point.n == 4)
    report.require(what + ", MPI_Neighbor_allgather / auto", bench::ratio(*mpi, chosen), 8, true);
}

}  // namespace

int main(int argc, char** argv) {
  Point only{0, 0, 0};
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--only") == 0) std::sscanf(argv[i + 1], "%d,%d,%d", &only.d, &only.n, &only.m);
  }
  return bench::run_benchmark(argc, argv, {.window_seconds = 0.006, .rounds = 9, .most_rounds = 20},
                              {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10},
                              [&](const bench::Options& options, bench::Report& report) {
                                for (int d = 2; d <= 5; ++d) {
                                  for (int n = 3; n <= 5; ++n) {
                                    for (const int m : {1, 10, 100, 1000}) {
                                      if (std::pow(n, d) * m > kMostElements) continue;
                                      if (only.d == 0 || (only.d == d && only.n == n && only.m == m))
                                        measure({d, n, m}, options, report);
                                    }
                                  }
                                }
                              });
}
