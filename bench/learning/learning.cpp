// Persistent operations that learn beside the model's choice and every algorithm of their collective, of neighborhoods,
// halos and dense collectives. Figures: what was learned at most 1.05 of the best of our own at 95% of the points, and
// 1.10 at all; the first 100 starts together at most 1.25 of 100 starts of the best.
// Usage: learning CSV [--quick] [--regime R] [--only PART-OF-A-POINT]
#include "harness.hpp"
#include "plan.hpp"
#include "report.hpp"
#include "subject.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using rondo::Options;
using rondo::Request;

/// Past the third look, wherever that is.
constexpr int kStartsToLearn = 900;
constexpr int kFirst = 100;

using Subject = bench::Subject<Request>;
using Subjects = bench::Subjects<Request>;
using bench::ranks;

/// The paper's neighborhoods of n^d offsets, blocks of m ints.
void add_neighborhoods(Subjects& all) {
  struct Size {
    int d;
    int n;
    int m;
  };
  const std::vector<Size> sizes{{2, 3, 1},  {2, 3, 100}, {2, 3, 2000}, {2, 5, 10}, {3, 3, 1},
                                {3, 3, 10}, {3, 3, 100}, {3, 5, 10},   {4, 3, 10}};
  for (const auto& [d, n, m] : sizes) {
    std::vector<int> torus(static_cast<std::size_t>(d), 0);
    MPI_Dims_create(ranks(), d, torus.data());
    const auto comm = std::make_shared<rondo::CartComm>(MPI_COMM_WORLD, torus, rondo::box(d, n, -1));
    const auto t = comm->neighborhood().size();
    const auto block = static_cast<std::size_t>(m);
    const std::string size = " d=" + std::to_string(d) + " n=" + std::to_string(n) + " m=" + std::to_string(m);
    add(all, "alltoall" + size, {"direct", "coalesced", "combining", "expansions", "logarithmic"}, t * block, t * block,
        [comm, m = m](Subject& its, const Options& options) {
          return comm->alltoall_init(its.send, its.recv, m, options);
        });
    add(all, "allgather" + size, {"direct", "coalesced", "combining", "neighbors"}, block, t * block,
        [comm](Subject& its, const Options& options) { return comm->allgather_init(its.send, its.recv, options); });
    add(all, "reduce" + size, {"direct", "combining", "hops", "logarithmic"}, block, block,
        [comm](Subject& its, const Options& options) {
          return comm->reduce_init(its.send, its.recv, MPI_SUM, options);
        });
  }
}

/// A square of so many cells a process with a halo around it.
void add_halos(Subjects& all) {
  for (const int depth : {1, 4}) {
    for (const int inside : {16, 256}) {
      std::vector<int> torus(2, 0);
      MPI_Dims_create(ranks(), 2, torus.data());
      const auto comm = std::make_shared<rondo::CartComm>(MPI_COMM_WORLD, torus, rondo::moore(2, 1));
      const int side = inside + 2 * depth;
      add(all, "halo of depth " + std::to_string(depth) + " of " + std::to_string(inside) + "^2",
          {"direct", "coalesced", "combining", "joined"}, 0,
          static_cast<std::size_t>(side) * static_cast<std::size_t>(side),
          [comm, side, depth](Subject& its, const Options& options) {
            return rondo::halo_init(*comm, rondo::HaloArray::of(its.recv, {side, side}, depth), rondo::Stencil::box,
                                    options);
          });
    }
  }
}

void add_dense(Subjects& all) {
  const auto comm = std::make_shared<rondo::Comm>(MPI_COMM_WORLD);
  const auto p = static_cast<std::size_t>(ranks());
  for (const int m : {1, 16, 256, 4096, 16384}) {
    const auto block = static_cast<std::size_t>(m);
    add(all, "dense alltoall m=" + std::to_string(m),
        {"direct", "pairwise", "windowed", "bruck", "compact-bruck", "zero-copy-bruck", "scatter"}, p * block,
        p * block, [comm, m](Subject& its, const Options& options) {
          return comm->alltoall_init(its.send, its.recv, m, options);
        });
  }
  // Blocks of m / 2 to m ints.
  for (const int m : {16, 256, 4096, 16384}) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto places = std::make_shared<std::array<std::vector<int>, 3>>();
    auto& [sent, received, starts] = *places;
    for (int other = 0; other < ranks(); ++other) {
      sent.push_back(m - (3 * rank + 5 * other) % (m / 2 + 1));
      received.push_back(m - (3 * other + 5 * rank) % (m / 2 + 1));
      starts.push_back(other * m);
    }
    const auto block = static_cast<std::size_t>(m);
    add(all, "dense alltoallv m=" + std::to_string(m),
        {"direct", "pairwise", "windowed", "bruck", "irregular-bruck", "scatter"}, p * block, p * block,
        [comm, places](Subject& its, const Options& options) {
          const auto& [counts, of_recv, begins] = *places;
          return comm->alltoallv_init(its.send, {counts, begins}, its.recv, {of_recv, begins}, options);
        });
  }
  for (const int m : {1, 256, 16384}) {
    const auto block = static_cast<std::size_t>(m);
    add(all, "dense allgather m=" + std::to_string(m), {"direct", "ring", "bruck", "recursive-doubling", "circulant"},
        block, p * block,
        [comm](Subject& its, const Options& options) { return comm->allgather_init(its.send, its.recv, options); });
  }
  for (const int m : {2, 256, 4096, 16384, 262144}) {
    const auto count = static_cast<std::size_t>(m);
    add(all, "allreduce m=" + std::to_string(m),
        {"direct", "recursive-doubling", "halving-doubling", "ring", "circulant"}, count, count,
        [comm](Subject& its, const Options& options) {
          return comm->allreduce_init(its.send, its.recv, MPI_SUM, options);
        });
    add(all, "broadcast m=" + std::to_string(m), {"direct", "tree", "scatter-allgather", "chain", "circulant"}, 0,
        count, [comm](Subject& its, const Options& options) { return comm->bcast_init(its.recv, 0, options); });
  }
}

void run(Request& request, int times) {
  for (int k = 0; k < times; ++k) {
    request.start();
    request.wait();
  }
}

/// What is in the receive buffer after one start with this request, and nothing else.
std::vector<int> result_of(Subject& subject, Request& request) {
  std::vector<int> before(subject.recv.size());
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = -static_cast<int>(i % 1000) - 1;
  subject.recv = before;
  run(request, 1);
  return subject.recv;
}

/// Seconds of the slowest rank.
double slowest(const std::function<void()>& timed) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double since = MPI_Wtime();
  timed();
  double seconds = MPI_Wtime() - since;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// The first starts of an operation that learns, and as many of the best: the ratio in each of some rounds.
bench::Quartiles first_starts(Subject& subject, Request& best) {
  constexpr int kRounds = 7;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    Request fresh = subject.make(subject, {.learn = "auto"});
    run(best, 10);
    const double of_best = slowest([&] { run(best, kFirst); });
    const double of_fresh = slowest([&] { run(fresh, kFirst); });
    ratios.push_back(of_fresh / of_best);
  }
  return bench::quartiles(ratios);
}

/// At how many points a time is near the best of the others: what was learned, which comes first, and the model's
/// choice, which comes second.
class Tally {
 public:
  void add(const bench::Comparison& comparison) {
    ++points_;
    for (std::size_t k = 0; k < near_.size(); ++k) {
      double best = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < comparison.results.size(); ++i) {
        if (i != k) best = std::min(best, median(comparison.results[i]));
      }
      for (std::size_t limit = 0; limit < kLimits.size(); ++limit)
        near_[k][limit] += median(comparison.results[k]) <= kLimits[limit] * best ? 1 : 0;
    }
  }
  void print() const {
    for (std::size_t k = 0; k < near_.size(); ++k) {
      std::printf("%s: at most 1.05 of the best of the others at %d of %d points, at most 1.10 at %d\n",
                  k == 0 ? "learned" : "the model's choice", near_[k][0], points_, near_[k][1]);
    }
  }

 private:
  static constexpr std::array kLimits{1.05, 1.10};
  static double median(const bench::Result& result) { return bench::quartiles(result.seconds).median; }
  int points_ = 0;
  std::array<std::array<int, kLimits.size()>, 2> near_{};
};

void measure(Subject& subject, const bench::Options& options, bench::Report& report, Tally& tally) {
  std::deque<Request> requests;
  std::vector<bench::Variant> variants;
  std::vector<Request*> offered;  // of each variant
  requests.push_back(subject.make(subject, {.algorithm = rondo::Algorithm::direct}));
  const std::vector<int> right = result_of(subject, requests.front());
  const auto offer = [&](const std::string& name) {
    Request& request = requests.back();
    offered.push_back(&request);
    variants.push_back({name, true, [&request](int times) { run(request, times); },
                        [&subject, &request, &right] { return result_of(subject, request) == right; }});
  };
  requests.push_back(subject.make(subject, {.learn = "auto"}));
  run(requests.back(), kStartsToLearn);
  const std::string learned = requests.back().algorithm();
  offer("learned (" + learned + ")");
  requests.push_back(subject.make(subject, {}));
  offer("auto (" + bench::plan_of(requests.back()) + ")");
  for (const char* algorithm : subject.algorithms) {
    requests.push_back(subject.make(subject, {.algorithm = rondo::algorithm_from(algorithm)}));
    // One that does not apply runs another, which is among these, too.
    if (requests.back().algorithm() == algorithm) offer(algorithm);
  }
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named(subject.what + ", " + std::to_string(ranks()) + " ranks");
  report.point(what, comparison);
  const auto is_fixed = [](const bench::Result& result) { return !result.name.starts_with("learned"); };
  const bench::Result* best = bench::best(comparison, is_fixed);
  if (best == nullptr) {
    report.no_figure(what);
    return;
  }
  // The same schedule twice differs by the luck of where its memory lies.
  const auto is_rival = [&](const bench::Result& result) { return is_fixed(result) && result.name != learned; };
  if (const bench::Result* rival = bench::best(comparison, is_rival); rival != nullptr)
    report.require(what + ", learned / " + rival->name, bench::ratio(comparison.results[0], *rival), 1.05);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const std::string text = offered.front()->explain();
    const std::size_t from = text.find("learned:");
    std::printf("%s\n", from == std::string::npos ? "nothing to learn" : text.substr(from).c_str());
  }
  tally.add(comparison);
  Request& of_best = *offered[static_cast<std::size_t>(best - comparison.results.data())];
  report.require(what + ", first 100 starts / 100 of " + best->name, first_starts(subject, of_best), 1.25);
}

}  // namespace

int main(int argc, char** argv) {
  const char* only = "";
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  return bench::run_benchmark(argc, argv, {.window_seconds = 0.006, .rounds = 9, .most_rounds = 20},
                              {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10},
                              [&](const bench::Options& options, bench::Report& report) {
                                Subjects all;
                                add_neighborhoods(all);
                                add_halos(all);
                                add_dense(all);
                                Tally tally;
                                for (const auto& subject : all) {
                                  if (subject->what.find(only) != std::string::npos)
                                    measure(*subject, options, report, tally);
                                }
                                int rank = 0;
                                MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                                if (rank == 0) tally.print();
                              });
}
