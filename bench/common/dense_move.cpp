#include "dense_move.hpp"

#include "plan.hpp"

#include <sched.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace bench {
namespace {

#if defined(OPEN_MPI)
constexpr bool kYielding = false;
#else
constexpr bool kYielding = true;  // MPICH never yields by itself
#endif

void wait_for(MPI_Request& request) {
  if (!kYielding) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) sched_yield();
  }
}

Variant make(const DenseMove& move, std::string name, bool ours, std::function<void()> once) {
  return {std::move(name), ours,
          [once](int times) {
            for (int k = 0; k < times; ++k) once();
          },
          [&move, once] {
            move.spoil();
            MPI_Barrier(MPI_COMM_WORLD);
            once();
            return move.right();
          }};
}

}  // namespace

Options options_of(Options options, int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--busy") options.good_share = 0;
  }
  return options;
}

double limit_of_short_messages() {
  const char* shared = std::getenv("RONDO_SHM");
  return shared != nullptr && std::string_view(shared) == "off" ? 1.05 : 0.60;
}

void measure_move(const DenseMove& move, const std::vector<std::string>& algorithms, const std::string& point,
                  double limit, const Options& options, Report& report) {
  rondo::Comm comm(MPI_COMM_WORLD);
  std::vector<Variant> variants;
  const auto add_persistent = [&](const std::string& algorithm) {
    const auto request =
        std::make_shared<rondo::Request>(move.init(comm, {.algorithm = rondo::algorithm_from(algorithm)}));
    if (algorithm != "auto" && request->algorithm() != algorithm) return;
    variants.push_back(make(move, "rondo " + algorithm + " (" + plan_of(*request) + ")", true, [request] {
      request->start();
      request->wait();
    }));
  };
  add_persistent("auto");
  variants.push_back(make(move, "rondo auto, blocking", true, [&] { move.run(comm); }));
  variants.push_back(make(move, "rondo auto, nonblocking", true, [&] { move.start(comm).wait(); }));
  for (const std::string& algorithm : algorithms) add_persistent(algorithm);
  variants.push_back(make(move, move.mpi_name, false, move.run_mpi));
  variants.push_back(make(move, move.mpi_name + ", nonblocking", false, [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    move.start_mpi(&request);
    wait_for(request);
  }));
  MPI_Request persistent = MPI_REQUEST_NULL;
  move.init_mpi(&persistent);
  variants.push_back(make(move, move.mpi_name + "_init", false, [&] {
    MPI_Start(&persistent);
    wait_for(persistent);
  }));

  const Comparison comparison = compare(MPI_COMM_WORLD, variants, options);
  MPI_Request_free(&persistent);
  const std::string what = options.named(point);
  report.point(what, comparison);
  const Result& chosen = comparison.results.front();
  const Result* best_mpi = best(comparison, [](const Result& result) { return !result.ours; });
  const Result* best_rondo = best(comparison, [&](const Result& result) {
    return result.ours && &result != &chosen && result.name.ends_with(")");
  });
  if (best_mpi == nullptr || best_rondo == nullptr || !chosen.right || chosen.seconds.empty()) {
    report.no_figure(what);
    return;
  }
  report.require(what + ", auto / " + best_mpi->name, ratio(chosen, *best_mpi), limit);
  report.require(what + ", auto / " + best_rondo->name, ratio(chosen, *best_rondo), 1.10);
}

}  // namespace bench
