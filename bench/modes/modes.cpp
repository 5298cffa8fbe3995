// What a short collective pays for a mode of progress when its caller waits at once: persistent start and wait in modes
// inline, workers and async, all under MPI_THREAD_MULTIPLE.
// Figure: async is at most 1.10x inline. Usage: modes CSV [--quick]
#include "harness.hpp"
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

enum class Collective { halo, dense_alltoall };

/// One persistent operation in one mode, with buffers of its own.
class Exchange {
 public:
  Exchange(Collective collective, int bytes, rondo::ProgressMode mode) : mode_(mode) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rondo::Options options;
    options.progress = mode;
    const rondo::Neighborhood hood = rondo::moore(2, 1);
    const int blocks = collective == Collective::halo ? hood.size() : ranks;
    send_.assign(static_cast<std::size_t>(blocks * bytes), 'a');
    recv_.assign(send_.size(), ' ');
    if (collective == Collective::halo) {
      std::array<int, 2> dimensions{};
      MPI_Dims_create(ranks, 2, dimensions.data());
      torus_ = std::make_unique<rondo::CartComm>(MPI_COMM_WORLD, dimensions, hood, options);
      request_ = torus_->alltoall_init(send_, recv_, bytes);
    } else {
      comm_ = std::make_unique<rondo::Comm>(MPI_COMM_WORLD, options);
      request_ = comm_->alltoall_init(send_, recv_, bytes);
    }
  }

  [[nodiscard]] bool granted() const { return request_.progress() == mode_; }
  void run(int times) {
    for (int i = 0; i < times; ++i) {
      request_.start();
      request_.wait();
    }
  }
  [[nodiscard]] bool verify() {
    std::ranges::fill(recv_, ' ');
    run(1);
    return recv_ == send_;
  }

 private:
  rondo::ProgressMode mode_;
  std::vector<char> send_;
  std::vector<char> recv_;
  std::unique_ptr<rondo::CartComm> torus_;
  std::unique_ptr<rondo::Comm> comm_;
  rondo::Request request_;
};

void measure(Collective collective, int bytes, const bench::Options& options, bench::Report& report) {
  using Mode = rondo::ProgressMode;
  Exchange async(collective, bytes, Mode::async);
  Exchange inlined(collective, bytes, Mode::inlined);
  Exchange workers(collective, bytes, Mode::workers);
  const auto variant = [](const char* name, bool ours, Exchange& exchange) {
    return bench::Variant{.name = name,
                          .ours = ours,
                          .run = [&exchange](int times) { exchange.run(times); },
                          .verify = [&exchange] { return exchange.verify(); }};
  };
  const bench::Comparison comparison = bench::compare(
      MPI_COMM_WORLD,
      {variant("async", true, async), variant("inline", false, inlined), variant("workers", false, workers)}, options);
  const std::string what = std::string(collective == Collective::halo ? "9-point alltoall, " : "dense alltoall, ") +
                           std::to_string(bytes) + " B";
  report.point(what, comparison);
  if (!async.granted()) std::fprintf(stderr, "modes: async was not granted\n");
  if (!async.granted() || comparison.results[0].seconds.empty()) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", async / inline", bench::ratio(comparison.results[0], comparison.results[1]), 1.10);
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  return bench::run_back_to_back(argc, argv, {}, {.window_seconds = 0.003, .rounds = 7, .most_rounds = 15},
                                 [&](const bench::Options& options, bench::Report& report) {
                                   for (const int bytes : {8, 512, 4096, 32768}) {
                                     measure(Collective::halo, bytes, options, report);
                                     measure(Collective::dense_alltoall, bytes, options, report);
                                   }
                                 });
}
