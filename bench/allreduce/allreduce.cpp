// Allreduce of 8 B to 1 MiB beside MPI_Allreduce, MPI_Iallreduce and MPI_Allreduce_init; with all of Rondo's own
// algorithms. Figures: 8 B and 1 KiB, the best of Rondo's calls at most 0.60 of the best of MPI's through shared
// memory, and at most 1.05 without (RONDO_SHM=off). Usage: allreduce CSV [--quick] [--regime R] [--only BYTES]
// [--explain]
#include "harness.hpp"
#include "persistent_collectives.hpp"
#include "plan.hpp"
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Sums of doubles over all ranks, and every variant of making them.
class Allreduce {
 public:
  explicit Allreduce(int bytes) : send_(static_cast<std::size_t>(bytes) / sizeof(double)), recv_(send_.size()) {
    MPI_Comm_size(MPI_COMM_WORLD, &p_);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (std::size_t k = 0; k < send_.size(); ++k) send_[k] = rank + static_cast<double>(k % 97);
  }
  Allreduce(const Allreduce&) = delete;
  Allreduce& operator=(const Allreduce&) = delete;
  ~Allreduce() {
    if (persistent_ != MPI_REQUEST_NULL) MPI_Request_free(&persistent_);
  }

  [[nodiscard]] bench::Variant rondo_persistent(const std::string& algorithm) {
    const rondo::Options options{.algorithm = rondo::algorithm_from(algorithm)};
    requests_.push_back(comm_.allreduce_init(send_, recv_, MPI_SUM, options));
    rondo::Request& request = requests_.back();
    std::string name = "rondo " + algorithm;
    if (algorithm == "auto") name += " (" + bench::plan_of(request) + ")";
    return make(std::move(name), true, [&request] {
      request.start();
      request.wait();
    });
  }
  [[nodiscard]] bench::Variant rondo_blocking(const std::string& algorithm) {
    comms_.emplace_back(MPI_COMM_WORLD, rondo::Options{.algorithm = rondo::algorithm_from(algorithm)});
    rondo::Comm& comm = comms_.back();
    return make("rondo " + algorithm + ", blocking", true, [this, &comm] { comm.allreduce(send_, recv_, MPI_SUM); });
  }
  [[nodiscard]] bench::Variant mpi_blocking() {
    return make("MPI_Allreduce", false,
                [this] { MPI_Allreduce(send_.data(), recv_.data(), count(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
  }
  [[nodiscard]] bench::Variant mpi_nonblocking() {
    return make("MPI_Iallreduce", false, [this] {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallreduce(send_.data(), recv_.data(), count(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  }
  [[nodiscard]] bench::Variant mpi_persistent() {
    MPI_Allreduce_init(send_.data(), recv_.data(), count(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &persistent_);
    return make("MPI_Allreduce_init", false, [this] {
      MPI_Start(&persistent_);
      MPI_Wait(&persistent_, MPI_STATUS_IGNORE);
    });
  }
  [[nodiscard]] std::string explain_first() const { return requests_.front().explain(); }
  [[nodiscard]] int ranks() const { return p_; }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(send_.size()); }
  template <typename Once>
  [[nodiscard]] bench::Variant make(std::string name, bool ours, Once once) {
    return {std::move(name), ours,
            [once](int times) {
              for (int k = 0; k < times; ++k) once();
            },
            [this, once] {
              std::ranges::fill(recv_, -1.0);
              once();
              for (std::size_t k = 0; k < recv_.size(); ++k) {
                const double sum = p_ * (p_ - 1) / 2.0 + p_ * static_cast<double>(k % 97);
                if (recv_[k] != sum) return false;
              }
              return true;
            }};
  }

  int p_ = 0;
  std::vector<double> send_;
  std::vector<double> recv_;
  rondo::Comm comm_{MPI_COMM_WORLD};
  std::deque<rondo::Comm> comms_;
  std::deque<rondo::Request> requests_;
  MPI_Request persistent_ = MPI_REQUEST_NULL;
};

void measure(int bytes, const bench::Options& options, bool explain, bench::Report& report) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Allreduce allreduce(bytes);
  std::vector<bench::Variant> variants{allreduce.rondo_persistent("auto"), allreduce.rondo_blocking("auto")};
  for (const char* algorithm : {"direct", "recursive-doubling", "halving-doubling", "ring", "circulant"}) {
    variants.push_back(allreduce.rondo_persistent(algorithm));
    variants.push_back(allreduce.rondo_blocking(algorithm));
  }
  variants.push_back(allreduce.mpi_blocking());
  variants.push_back(allreduce.mpi_nonblocking());
  variants.push_back(allreduce.mpi_persistent());
  if (explain && rank == 0) std::printf("%s", allreduce.explain_first().c_str());
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named(std::to_string(allreduce.ranks()) + " ranks, " + std::to_string(bytes) + " B");
  report.point(what, comparison);
  const bench::Result& chosen = comparison.results.front();
  const bench::Result* theirs = bench::best(comparison, [](const bench::Result& result) { return !result.ours; });
  if (theirs == nullptr || !chosen.right || chosen.seconds.empty()) {
    report.no_figure(what);
    return;
  }
  const char* const shm = std::getenv("RONDO_SHM");
  const bool through_memory = shm == nullptr || std::strcmp(shm, "off") != 0;
  report.require(what + ", auto / " + theirs->name, bench::ratio(chosen, *theirs),
                 through_memory && bytes <= 1024 ? 0.60 : 1.05);
}

}  // namespace

int main(int argc, char** argv) {
  bool explain = false;
  int only = 0;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--explain") == 0) explain = true;
    if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) only = std::atoi(argv[i + 1]);
  }
  return bench::run_benchmark(argc, argv, {.window_seconds = 0.006, .rounds = 9, .most_rounds = 20},
                              {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10},
                              [&](const bench::Options& options, bench::Report& report) {
                                for (const int bytes : {8, 1024, 65536, 1048576}) {
                                  if (only == 0 || only == bytes) measure(bytes, options, explain, report);
                                }
                              });
}
