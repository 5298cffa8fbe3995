// Blocking or nonblocking calls that learn beside those that the model chooses for and every algorithm of their
// collective. Figures: what was learned at most 1.05 of the best of our own at 95% of the points, and 1.10 at all.
// Usage: learning_calls CSV [--nonblocking] [--quick] [--regime R]
#include "harness.hpp"
#include "report.hpp"
#include "subject.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rondo::Options;

/// Past the third look, wherever that is.
constexpr int kCallsToLearn = 1400;

/// On a communicator of its own.
using Calls = std::function<void()>;
using Subject = bench::Subject<Calls>;
using Subjects = bench::Subjects<Calls>;
using bench::ranks;

/// The paper's neighborhoods of 3^d offsets, blocks of m ints. `nonblocking`: each call is, and waited for.
void add_neighborhoods(Subjects& all, bool nonblocking) {
  constexpr std::array<std::array<int, 2>, 5> kSizes{{{2, 1}, {2, 100}, {2, 2000}, {3, 1}, {3, 100}}};
  for (const auto& [d, m] : kSizes) {
    std::vector<int> torus(static_cast<std::size_t>(d), 0);
    MPI_Dims_create(ranks(), d, torus.data());
    const rondo::Neighborhood offsets = rondo::box(d, 3, -1);
    const std::size_t sent = static_cast<std::size_t>(offsets.size() * m);
    add(all, "alltoall d=" + std::to_string(d) + " m=" + std::to_string(m),
        {"direct", "coalesced", "combining", "expansions", "logarithmic"}, sent, sent,
        [torus, offsets, m = m, nonblocking](Subject& of, const Options& options) -> Calls {
          const auto comm = std::make_shared<rondo::CartComm>(MPI_COMM_WORLD, torus, offsets, options);
          if (nonblocking) return [comm, &of, m] { comm->ialltoall(of.send, of.recv, m).wait(); };
          return [comm, &of, m] { comm->alltoall(of.send, of.recv, m); };
        });
  }
}

/// Calls on a communicator without a neighborhood.
template <typename Call, typename Start>
Subject::Make of_comm(bool nonblocking, Call call, Start start) {
  return [nonblocking, call, start](Subject& of, const Options& options) -> Calls {
    const auto comm = std::make_shared<rondo::Comm>(MPI_COMM_WORLD, options);
    if (nonblocking) return [comm, &of, start] { start(*comm, of).wait(); };
    return [comm, &of, call] { call(*comm, of); };
  };
}

void add_dense(Subjects& all, bool nonblocking) {
  const auto p = static_cast<std::size_t>(ranks());
  for (const std::size_t m : {1U, 256U, 4096U}) {
    add(all, "dense alltoall m=" + std::to_string(m),
        {"direct", "pairwise", "windowed", "bruck", "compact-bruck", "zero-copy-bruck", "scatter"}, p * m, p * m,
        of_comm(
            nonblocking, [m](rondo::Comm& comm, Subject& of) { comm.alltoall(of.send, of.recv, static_cast<int>(m)); },
            [m](rondo::Comm& comm, Subject& of) { return comm.ialltoall(of.send, of.recv, static_cast<int>(m)); }));
  }
  for (const std::size_t m : {1U, 256U, 16384U}) {
    add(all, "dense allgather m=" + std::to_string(m), {"direct", "ring", "bruck", "recursive-doubling", "circulant"},
        m, p * m,
        of_comm(
            nonblocking, [](rondo::Comm& comm, Subject& of) { comm.allgather(of.send, of.recv); },
            [](rondo::Comm& comm, Subject& of) { return comm.iallgather(of.send, of.recv); }));
  }
  for (const std::size_t m : {2U, 256U, 4096U, 65536U}) {
    add(all, "allreduce m=" + std::to_string(m),
        {"direct", "recursive-doubling", "halving-doubling", "ring", "circulant"}, m, m,
        of_comm(
            nonblocking, [](rondo::Comm& comm, Subject& of) { comm.allreduce(of.send, of.recv, MPI_SUM); },
            [](rondo::Comm& comm, Subject& of) { return comm.iallreduce(of.send, of.recv, MPI_SUM); }));
    add(all, "broadcast m=" + std::to_string(m), {"direct", "tree", "scatter-allgather", "chain", "circulant"}, 0, m,
        of_comm(
            nonblocking, [](rondo::Comm& comm, Subject& of) { comm.bcast(of.recv, 0); },
            [](rondo::Comm& comm, Subject& of) { return comm.ibcast(of.recv, 0); }));
  }
}

/// What is in the receive buffer after one call, and nothing else.
std::vector<int> result_of(Subject& subject, const std::function<void()>& call) {
  for (std::size_t i = 0; i < subject.recv.size(); ++i) subject.recv[i] = -static_cast<int>(i % 1000) - 1;
  call();
  return subject.recv;
}

/// At how many points calls that learn are near the best of the others.
struct Tally {
  int points = 0;
  int within_5 = 0;
  int within_10 = 0;
};

void measure(Subject& subject, const bench::Options& options, bench::Report& report, Tally& tally) {
  const std::vector<int> right = result_of(subject, subject.make(subject, {.algorithm = rondo::Algorithm::direct}));
  std::vector<bench::Variant> variants;
  const auto offer = [&](const std::string& name, const Options& by) {
    const std::function<void()> call = subject.make(subject, by);
    variants.push_back({name, true,
                        [call](int times) {
                          for (int k = 0; k < times; ++k) call();
                        },
                        [&subject, &right, call] { return result_of(subject, call) == right; }});
  };
  offer("learned", {.learn = "auto"});
  variants.front().run(kCallsToLearn);
  offer("auto", {});
  for (const char* algorithm : subject.algorithms) offer(algorithm, {.algorithm = rondo::algorithm_from(algorithm)});
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what = options.named(subject.what + ", " + std::to_string(ranks()) + " ranks");
  report.point(what, comparison);
  const bench::Result* best =
      bench::best(comparison, [](const bench::Result& result) { return result.name != "learned"; });
  if (best == nullptr) {
    report.no_figure(what);
    return;
  }
  const bench::Quartiles ratio = bench::ratio(comparison.results.front(), *best);
  report.require(what + ", learned / " + best->name, ratio, 1.05);
  ++tally.points;
  tally.within_5 += ratio.median <= 1.05 ? 1 : 0;
  tally.within_10 += ratio.median <= 1.10 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool nonblocking =
      std::any_of(argv, argv + argc, [](const char* arg) { return std::string_view(arg) == "--nonblocking"; });
  return bench::run_benchmark(argc, argv, {.window_seconds = 0.006, .rounds = 9, .most_rounds = 20},
                              {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10},
                              [&](const bench::Options& options, bench::Report& report) {
                                Subjects all;
                                add_neighborhoods(all, nonblocking);
                                add_dense(all, nonblocking);
                                Tally tally;
                                for (const auto& subject : all) measure(*subject, options, report, tally);
                                int rank = 0;
                                MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                                if (rank != 0) return;
                                std::printf(
                                    "learned: at most 1.05 of the best of the others at %d of %d points, at most "
                                    "1.10 at %d\n",
                                    tally.within_5, tally.points, tally.within_10);
                              });
}
