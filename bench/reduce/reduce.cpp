// Neighborhood reductions beside MPI_Neighbor_allgather (reduce) or MPI_Neighbor_alltoall (scatter-reduce) and a loop
// of MPI_Reduce_local, and beside messages by hand with the same loop. Boxes of n^d offsets around the process, vectors
// of m doubles, MPI_SUM. Figure: auto never above 1.10x the best of all. Usage: reduce CSV [--quick] [--only D,N,M]
#include "harness.hpp"
#include "plan.hpp"
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Point {
  int d;
  int n;
  int m;
  bool scatter;
};

/// Whole numbers, whose sums are exact.
double content(int rank, int i, int j) { return (rank * 13 + i * 5 + j) % 1000; }

/// The buffers of a point, and every way to reduce them.
class Reductions {
 public:
  Reductions(std::vector<int> sizes, const Point& point)
      : sizes_(std::move(sizes)),
        neighborhood_(rondo::box(point.d, point.n, -(point.n / 2))),
        m_(point.m),
        scatter_(point.scatter),
        torus_(MPI_COMM_WORLD, sizes_, neighborhood_),
        sources_(torus_.sources()),
        targets_(torus_.targets()),
        arrived_(sources_.size() * static_cast<std::size_t>(m_)),
        result_(static_cast<std::size_t>(m_)) {
    const int t = neighborhood_.size();
    for (int i = 0; i < (scatter_ ? t : 1); ++i) {
      for (int j = 0; j < m_; ++j) send_.push_back(content(torus_.rank(), i, j));
    }
    MPI_Dist_graph_create_adjacent(torus_.native(), t, sources_.data(), MPI_UNWEIGHTED, t, targets_.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
  }
  Reductions(const Reductions&) = delete;
  Reductions& operator=(const Reductions&) = delete;
  ~Reductions() { MPI_Comm_free(&graph_); }

  [[nodiscard]] bench::Variant rondo_persistent(const char* algorithm) {
    rondo::Options options;
    options.algorithm = rondo::algorithm_from(algorithm);
    kept_tori_.emplace_back(MPI_COMM_WORLD, sizes_, neighborhood_, options);
    rondo::CartComm& torus = kept_tori_.back();
    kept_requests_.push_back(scatter_ ? torus.scatter_reduce_init(send_, result_, MPI_SUM)
                                      : torus.reduce_init(send_, result_, MPI_SUM));
    std::string name = std::string("rondo ") + algorithm;
    if (std::string(algorithm) == "auto") name += " (" + bench::plan_of(kept_requests_.back()) + ")";
    const std::size_t number = kept_requests_.size() - 1;
    return variant(std::move(name), true, [this, number](int times) {
      for (int k = 0; k < times; ++k) {
        kept_requests_[number].start();
        kept_requests_[number].wait();
      }
    });
  }

  [[nodiscard]] bench::Variant mpi_and_a_loop() {
    return variant(scatter_ ? "MPI_Neighbor_alltoall, MPI_Reduce_local" : "MPI_Neighbor_allgather, MPI_Reduce_local",
                   false, [this](int times) {
                     for (int k = 0; k < times; ++k) {
                       if (scatter_)
                         MPI_Neighbor_alltoall(send_.data(), m_, MPI_DOUBLE, arrived_.data(), m_, MPI_DOUBLE, graph_);
                       else
                         MPI_Neighbor_allgather(send_.data(), m_, MPI_DOUBLE, arrived_.data(), m_, MPI_DOUBLE, graph_);
                       combine();
                     }
                   });
  }

  [[nodiscard]] bench::Variant by_hand() {
    return variant("Isend, Irecv, MPI_Reduce_local", false, [this](int times) {
      std::vector<MPI_Request> requests;
      for (int k = 0; k < times; ++k) {
        requests.clear();
        for (std::size_t i = 0; i < sources_.size(); ++i) {
          const auto tag = static_cast<int>(i);
          MPI_Irecv(vector(i), m_, MPI_DOUBLE, sources_[i], tag, torus_.native(), &requests.emplace_back());
        }
        for (std::size_t i = 0; i < targets_.size(); ++i) {
          const double* sent = send_.data() + (scatter_ ? i * static_cast<std::size_t>(m_) : 0);
          MPI_Isend(sent, m_, MPI_DOUBLE, targets_[i], static_cast<int>(i), torus_.native(), &requests.emplace_back());
        }
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        combine();
      }
    });
  }

 private:
  [[nodiscard]] double* vector(std::size_t i) { return arrived_.data() + i * static_cast<std::size_t>(m_); }
  void combine() {
    std::ranges::copy_n(arrived_.begin(), m_, result_.begin());
    for (std::size_t i = 1; i < sources_.size(); ++i)
      MPI_Reduce_local(vector(i), result_.data(), m_, MPI_DOUBLE, MPI_SUM);
  }
  [[nodiscard]] bench::Variant variant(std::string name, bool ours, std::function<void(int)> run) {
    return {std::move(name), ours, run, [this, run] {
              std::ranges::fill(result_, -1.0);
              run(1);
              for (int j = 0; j < m_; ++j) {
                double sum = 0;
                for (std::size_t i = 0; i < sources_.size(); ++i)
                  sum += content(sources_[i], scatter_ ? static_cast<int>(i) : 0, j);
                if (result_[static_cast<std::size_t>(j)] != sum) return false;
              }
              return true;
            }};
  }

  std::vector<int> sizes_;
  rondo::Neighborhood neighborhood_;
  int m_;
  bool scatter_;
  rondo::CartComm torus_;
  std::vector<rondo::CartComm> kept_tori_;
  std::vector<rondo::Request> kept_requests_;
  std::vector<int> sources_;
  std::vector<int> targets_;
  std::vector<double> send_;
  std::vector<double> arrived_;
  std::vector<double> result_;
  MPI_Comm graph_ = MPI_COMM_NULL;
};

void measure(const Point& point, const bench::Options& options, bench::Report& report) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> sizes(static_cast<std::size_t>(point.d), 0);
  MPI_Dims_create(p, point.d, sizes.data());
  Reductions reductions(sizes, point);
  std::vector<bench::Variant> variants;
  for (const char* algorithm : {"auto", "direct", "combining", "logarithmic"})
    variants.push_back(reductions.rondo_persistent(algorithm));
  variants.push_back(reductions.mpi_and_a_loop());
  variants.push_back(reductions.by_hand());
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named(std::string(point.scatter ? "scatter-reduce" : "reduce") +
                                         " d=" + std::to_string(point.d) + " n=" + std::to_string(point.n) +
                                         " m=" + std::to_string(point.m) + ", " + std::to_string(p) + " ranks");
  report.point(what, comparison);
  const bench::Result& chosen = comparison.results.front();
  const bench::Result* fastest = bench::best(comparison, [&](const bench::Result& result) {
    return !result.name.starts_with("rondo auto") && chosen.name != "rondo auto (" + result.name.substr(6) + ")";
  });
  if (fastest == nullptr)
    report.no_figure(what);
  else
    report.require(what + ", auto / " + fastest->name, bench::ratio(chosen, *fastest), 1.10);
}

}  // namespace

int main(int argc, char** argv) {
  Point only{0, 0, 0, false};
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--only") == 0) std::sscanf(argv[i + 1], "%d,%d,%d", &only.d, &only.n, &only.m);
  }
  return bench::run_benchmark(argc, argv, {.window_seconds = 0.006, .rounds = 9, .most_rounds = 20},
                              {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10},
                              [&](const bench::Options& options, bench::Report& report) {
                                for (const bool scatter : {false, true}) {
                                  for (const auto& [d, n] : {std::pair{1, 9}, {2, 3}, {2, 5}, {3, 3}, {3, 5}}) {
                                    for (const int m : {1, 100, 10000}) {
                                      if (only.d == 0 || (only.d == d && only.n == n && only.m == m))
                                        measure({d, n, m, scatter}, options, report);
                                    }
                                  }
                                }
                              });
}
