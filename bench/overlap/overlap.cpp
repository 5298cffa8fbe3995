// How much of a collective is hidden behind computation, in the manner of IMB-NBC: t_pure is a start and a wait,
// t_compute a computation made as long, t_overlapped a start, the computation and a wait.
//   overlap    = (t_pure + t_compute - t_overlapped) / min(t_pure, t_compute)
//   slowdown   = the computation's time between start and wait / its time alone
//   stolen     = processor time of the process's other threads meanwhile / the computation's time
// For persistent Cartesian alltoall (direct and combining), allgather and dense alltoall, in modes inline and async,
// without a call between start and wait; inline and MPI's also with a test every 100 us.
// Figure: async hides at least 90% and slows the computation by at most 3%. They hold on a network with latency; where
// messages are copied by the cores that compute, there is little to hide: the last column says what there was to gain.
// With --asleep ranks sleep in place of computing, as if each computed on a core that nothing else needs: emulated
// hosts share the cores with the network's emulation. Then what is stolen stands for the slowdown.
//
// Usage: overlap CSV [--quick] [--asleep] [--only BYTES] [--network TITLE]
// Figures are required where a network is named.
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Micros = std::chrono::duration<double, std::micro>;

constexpr double kBetweenTests = 100;  // microseconds

struct Problem {
  std::string title;
  const char* algorithm;
  enum class Kind { cart_alltoall, cart_allgather, dense_alltoall } kind;
};

/// One way to do an exchange.
struct Way {
  std::string name;
  bool async = false;  ///< has a figure to keep
  std::function<void()> start;
  std::function<void()> wait;
  std::function<void()> test{};  ///< where it is helped along by hand
};

double slowest(double us) {
  double most = 0;
  MPI_Allreduce(&us, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/// Work that no compiler takes away, in units of some tens of nanoseconds; or sleep for as long.
class Computation {
 public:
  explicit Computation(bool asleep) : asleep_(asleep) {}

  // Not inlined: it is the same code, and so as fast, wherever it is called from.
  [[gnu::noinline]] void run(double units) {
    if (asleep_) {
      std::this_thread::sleep_for(std::chrono::duration_cast<Clock::duration>(Micros(units * kUnit)));
      return;
    }
    for (auto i = static_cast<long>(units); i-- > 0;) {
      for (double& value : values_) value = value * 0.999 + 0.5;
    }
    sink_ = values_[0];
  }

  /// Units that take `us` now: all ranks at once, as when it matters.
  [[nodiscard]] double units_for(double us) {
    double units = us / kUnit;
    if (asleep_) return units;
    for (int i = 0; i < 20; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      const auto begin = Clock::now();
      run(units);
      const double ratio = us / Micros(Clock::now() - begin).count();
      if (slowest(std::abs(ratio - 1)) <= 0.03) break;
      units *= std::clamp(ratio, 0.1, 10.0);
    }
    return units;
  }

 private:
  static constexpr double kUnit = 0.02;  // microseconds; of work a first guess
  bool asleep_;
  std::vector<double> values_ = std::vector<double>(64, 1.0);
  volatile double sink_ = 0;
};

/// Processor time of all threads of the process but the calling one, in microseconds.
double time_of_other_threads() {
  const auto read = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
  };
  return read(CLOCK_PROCESS_CPUTIME_ID) - read(CLOCK_THREAD_CPUTIME_ID);
}

struct Times {
  std::vector<double> pure;
  std::vector<double> compute;
  std::vector<double> overlapped;
  std::vector<double> computed_within;
  std::vector<double> stolen;
};

double timed(const std::function<void()>& body) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = Clock::now();
  body();
  return slowest(Micros(Clock::now() - begin).count());
}

Times measure(const Way& way, Computation& computation, int rounds) {
  Times times;
  const auto once = [&] {
    way.start();
    way.wait();
  };
  for (int i = 0; i < 3; ++i) timed(once);
  for (int i = 0; i < rounds; ++i) times.pure.push_back(timed(once));
  const double pure = bench::quartiles(times.pure).median;
  const double units = computation.units_for(pure);
  double within = 0;
  double stolen = 0;
  // In the same parts alone and overlapped: each sleep lasts a little longer than it should.
  const double part = way.test ? units * kBetweenTests / pure : units;
  const auto compute = [&](const std::function<void()>& after_each) {
    for (double done = 0; done < units; done += part) {
      computation.run(std::min(part, units - done));
      if (after_each) after_each();
    }
  };
  const auto overlapped = [&] {
    way.start();
    const double stolen_before = time_of_other_threads();
    const auto begin = Clock::now();
    compute(way.test);
    within = Micros(Clock::now() - begin).count();
    stolen = time_of_other_threads() - stolen_before;
    way.wait();
  };
  for (int i = 0; i < 3; ++i) timed(overlapped);
  for (int i = 0; i < rounds; ++i) {
    times.compute.push_back(timed([&] { compute({}); }));
    times.overlapped.push_back(timed(overlapped));
    times.computed_within.push_back(slowest(within));
    times.stolen.push_back(slowest(stolen));
  }
  return times;
}

/// Buffers and requests of one problem at one size.
class Exchange {
 public:
  Exchange(const Problem& problem, int bytes) : problem_(problem), bytes_(bytes) {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    std::vector<int> dimensions(2, 0);
    MPI_Dims_create(ranks_, 2, dimensions.data());
    const bool dense = problem.kind == Problem::Kind::dense_alltoall;
    if (!dense) {
      torus_ = std::make_unique<rondo::CartComm>(MPI_COMM_WORLD, dimensions, rondo::moore(2, 1));
      const std::vector<int> sources = torus_->sources();
      const std::vector<int> targets = torus_->targets();
      blocks_ = static_cast<int>(sources.size());
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, blocks_, sources.data(), MPI_UNWEIGHTED, blocks_, targets.data(),
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
    } else {
      blocks_ = ranks_;
    }
    const auto all = static_cast<std::size_t>(blocks_) * static_cast<std::size_t>(bytes);
    send_.assign(all, 'a');
    recv_.assign(all, ' ');
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    requests_.clear();
    tori_.clear();
    comms_.clear();
    torus_.reset();
    if (graph_ != MPI_COMM_NULL) MPI_Comm_free(&graph_);
  }

  [[nodiscard]] std::vector<Way> ways() {
    std::vector<Way> ways;
    const auto ours = [&](std::string name, rondo::ProgressMode mode, bool tests) {
      rondo::Request& request = make(mode);
      Way way{std::move(name), mode == rondo::ProgressMode::async, [&] { request.start(); }, [&] { request.wait(); }};
      if (tests) way.test = [] { rondo::progress(); };
      if (way.async && request.progress() != mode) std::fprintf(stderr, "overlap: async was not granted\n");
      ways.push_back(std::move(way));
    };
    ours("rondo async", rondo::ProgressMode::async, false);
    ours("rondo inline", rondo::ProgressMode::inlined, false);
    ours("rondo inline, tests", rondo::ProgressMode::inlined, true);
    for (const bool tests : {false, true}) {
      Way way{tests ? "MPI, tests" : "MPI", false, [this] { start_mpi(); },
              [this] { MPI_Wait(&mpi_, MPI_STATUS_IGNORE); }};
      if (tests) {
        way.test = [this] {
          int complete = 0;
          MPI_Test(&mpi_, &complete, MPI_STATUS_IGNORE);
        };
      }
      ways.push_back(std::move(way));
    }
    return ways;
  }

 private:
  [[nodiscard]] rondo::Request& make(rondo::ProgressMode mode) {
    rondo::Options options;
    options.algorithm = rondo::algorithm_from(problem_.algorithm);
    options.progress = mode;
    const auto count = static_cast<std::size_t>(bytes_);
    const std::span<const char> block(send_.data(), count);
    switch (problem_.kind) {
      case Problem::Kind::cart_alltoall:
        requests_.push_back(torus(options).alltoall_init(send_, recv_, bytes_));
        break;
      case Problem::Kind::cart_allgather:
        requests_.push_back(torus(options).allgather_init(block, recv_));
        break;
      case Problem::Kind::dense_alltoall:
        comms_.push_back(std::make_unique<rondo::Comm>(MPI_COMM_WORLD, options));
        requests_.push_back(comms_.back()->alltoall_init(send_, recv_, bytes_));
        break;
    }
    return requests_.back();
  }
  [[nodiscard]] rondo::CartComm& torus(const rondo::Options& options) {
    std::vector<int> dimensions(2, 0);
    MPI_Dims_create(ranks_, 2, dimensions.data());
    tori_.push_back(std::make_unique<rondo::CartComm>(MPI_COMM_WORLD, dimensions, rondo::moore(2, 1), options));
    return *tori_.back();
  }
  void start_mpi() {
    switch (problem_.kind) {
      case Problem::Kind::cart_alltoall:
        MPI_Ineighbor_alltoall(send_.data(), bytes_, MPI_CHAR, recv_.data(), bytes_, MPI_CHAR, graph_, &mpi_);
        break;
      case Problem::Kind::cart_allgather:
        MPI_Ineighbor_allgather(send_.data(), bytes_, MPI_CHAR, recv_.data(), bytes_, MPI_CHAR, graph_, &mpi_);
        break;
      case Problem::Kind::dense_alltoall:
        MPI_Ialltoall(send_.data(), bytes_, MPI_CHAR, recv_.data(), bytes_, MPI_CHAR, MPI_COMM_WORLD, &mpi_);
        break;
    }
  }

  const Problem& problem_;
  int bytes_;
  int ranks_ = 0;
  int blocks_ = 0;
  std::unique_ptr<rondo::CartComm> torus_;
  std::vector<std::unique_ptr<rondo::CartComm>> tori_;
  std::vector<std::unique_ptr<rondo::Comm>> comms_;
  std::deque<rondo::Request> requests_;
  std::vector<char> send_;
  std::vector<char> recv_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request mpi_ = MPI_REQUEST_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = 30;
  int only = 0;
  bool asleep = false;
  std::string title;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) rounds = 9;
    if (std::strcmp(argv[i], "--asleep") == 0) asleep = true;
    if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      only = std::atoi(argv[++i]);
    else if (std::strcmp(argv[i], "--network") == 0 && i + 1 < argc)
      title = std::string(argv[++i]) + ": ";
  }
  std::FILE* csv = rank == 0 && argc > 1 ? std::fopen(argv[1], "a") : nullptr;
  Computation computation(asleep);
  bool missed = false;
  const bool on_network = !title.empty();
  if (asleep) title += "asleep, ";
  const std::vector<Problem> problems{
      {"cartesian alltoall, direct", "direct", Problem::Kind::cart_alltoall},
      {"cartesian alltoall, combining", "combining", Problem::Kind::cart_alltoall},
      {"cartesian allgather, combining", "combining", Problem::Kind::cart_allgather},
      {"dense alltoall, auto", "auto", Problem::Kind::dense_alltoall},
  };
  for (const Problem& problem : problems) {
    for (const int bytes : {8, 512, 4096, 32768, 262144, 1048576}) {
      if (only != 0 && bytes != only) continue;
      Exchange exchange(problem, bytes);
      if (rank == 0) std::printf("%s%s, %d ranks, %d B\n", title.c_str(), problem.title.c_str(), ranks, bytes);
      for (const Way& way : exchange.ways()) {
        const Times times = measure(way, computation, rounds);
        const double pure = bench::quartiles(times.pure).median;
        const double compute = bench::quartiles(times.compute).median;
        const double overlapped = bench::quartiles(times.overlapped).median;
        const double within = bench::quartiles(times.computed_within).median;
        const double overlap = (pure + compute - overlapped) / std::min(pure, compute);
        const double slowdown = within / compute;
        const double stolen = bench::quartiles(times.stolen).median / compute;
        const double slowed = asleep ? 1 + stolen : slowdown;
        if (rank != 0) continue;
        std::printf(
            "  %-22s t_pure %10.1f us, t_compute %10.1f, t_overlapped %10.1f: overlap %4.0f%%, compute x%.3f, "
            "stolen %4.1f%%, overlapped / (pure + compute) %.2f\n",
            way.name.c_str(), pure, compute, overlapped, 100 * overlap, slowdown, 100 * stolen,
            overlapped / (pure + compute));
        if (csv != nullptr)
          std::fprintf(csv, "\"%s%s, %d ranks, %d B\",\"%s\",%.1f,%.1f,%.1f,%.3f,%.3f,%.3f\n", title.c_str(),
                       problem.title.c_str(), ranks, bytes, way.name.c_str(), pure, compute, overlapped, overlap,
                       slowdown, stolen);
        if (way.async && on_network && (overlap < 0.9 || slowed > 1.03)) {
          missed = true;
          std::printf(
              "missed: %s, %d ranks, %d B: overlap %.0f%%, compute x%.3f, must be at least 90%% and at most "
              "x1.03\n",
              problem.title.c_str(), ranks, bytes, 100 * overlap, slowed);
        }
      }
      std::fflush(stdout);
    }
  }
  if (csv != nullptr) std::fclose(csv);
  MPI_Finalize();
  return missed && rank == 0 ? 3 : 0;
}
