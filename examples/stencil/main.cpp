// A 2-D stencil on a torus of processes: the halo exchange is a persistent task graph that moves while the interior is
// computed. Reads an image or a NumPy array, runs diffusion or Life, checks the result against a serial run bit for
// bit. The same steps with MPI_Neighbor_alltoallw are run in turns, to say what was gained.
#include "arguments.hpp"
#include "core_share.hpp"
#include "domain.hpp"
#include "grid_io.hpp"
#include "host.hpp"
#include "kernels.hpp"
#include "mpi_exchange.hpp"
#include "phase_log.hpp"
#include "png.hpp"
#include "progress_bar.hpp"
#include "rondo_exchange.hpp"
#include "rounds.hpp"
#include "simulation.hpp"
#include "timeline.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stencil {
namespace {

/// Reads on rank 0 and tells all; a bad file fails on all ranks alike.
Grid read_everywhere(const std::string& path) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Grid grid;
  std::string problem;
  if (rank == 0) {
    try {
      grid = read_grid(path);
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  int shape[] = {problem.empty() ? 1 : 0, grid.rows, grid.columns, grid.channels};
  MPI_Bcast(shape, 4, MPI_INT, 0, MPI_COMM_WORLD);
  if (shape[0] == 0) throw InputError(rank == 0 ? problem : "rank 0 could not read the input");
  grid.rows = shape[1];
  grid.columns = shape[2];
  grid.channels = shape[3];
  return grid;
}

void write_result(const std::string& path, const Grid& grid) {
  if (std::filesystem::path(path).extension() == ".png")
    write_png(path, grid);
  else
    write_grid(path, grid);
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be written");
  file << text;
  if (!file.flush()) throw std::runtime_error(path + ": could not be written whole");
}

std::string frame_name(const std::string& output, int step) {
  const std::filesystem::path path(output);
  char digits[16];
  std::snprintf(digits, sizeof digits, "-%05d", step);
  return (path.parent_path() / (path.stem().string() + digits + path.extension().string())).string();
}

std::size_t plane_size(const Grid& grid) {
  return static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns);
}

/// Where a channel of the grid begins.
template <typename AnyGrid>
auto channel_of(AnyGrid& grid, int channel) {
  return grid.cells.begin() + channel * static_cast<std::ptrdiff_t>(plane_size(grid));
}

/// One way to run all steps: on tiles of its own, so that every way computes every state.
struct Way {
  Way(std::string with, double Round::*step, double Round::*alone, rondo::CartComm& torus,
      const std::vector<int>& processes, const Grid& grid)
      : name(std::move(with)),
        time_of_step(step),
        time_of_exchange(alone),
        domain(torus, processes, grid.rows, grid.columns),
        result(grid) {}

  std::string name;
  double Round::*time_of_step;
  double Round::*time_of_exchange;  ///< null: not of interest
  Domain domain;
  std::unique_ptr<Exchange> exchange;
  Grid result;  ///< on rank 0
};

/// The first is what the arguments ask for; the others are there to be compared with it. Collective.
std::deque<Way> make_ways(const Arguments& arguments, rondo::CartComm& torus, const std::vector<int>& processes,
                          const Grid& grid) {
  std::deque<Way> ways;
  const auto add = [&](const char* name, double Round::*time_of_step, double Round::*time_of_exchange) -> Way& {
    return ways.emplace_back(name, time_of_step, time_of_exchange, torus, processes, grid);
  };
  Way& asked = add("Rondo", &Round::step, &Round::exchange_only);
  asked.exchange = rondo_exchange(arguments.mode, asked.domain, torus);
  if (arguments.rival) {
    Way& rival = add("MPI_Neighbor_alltoallw", &Round::rival, &Round::rival_exchange_only);
    const std::array tiles = {rival.domain.tile(0), rival.domain.tile(1)};
    rival.exchange = std::make_unique<MpiExchange>(torus.native(), torus.sources(), torus.targets(), tiles);
  }
  if (!asked.exchange->blocks()) {
    Way& in_turn = add("Rondo without overlap", &Round::first_exchange, nullptr);
    in_turn.exchange = std::make_unique<AtOnce>(rondo_exchange(arguments.mode, in_turn.domain, torus));
  }
  return ways;
}

/// Three steps in a row as they usually are: the one of median length of many such stretches, of those that were not
/// disturbed if there are any. Collective.
template <typename Kernel>
Timeline usual_steps(const std::string& title, Simulation<Kernel>& simulation, const Host& host, MPI_Comm comm) {
  constexpr std::size_t kStretches = 21;
  constexpr int kSteps = 3;
  constexpr std::size_t kPhasesOfStep = 4;
  struct Stretch {
    bool disturbed;
    double seconds;
    double origin;
    std::vector<Span> spans;
  };
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < kStretches; ++i) {
    MPI_Barrier(comm);
    double origin = seconds_now();
    const CoreShare core_share;
    simulation.step();
    PhaseLog log(kSteps * kPhasesOfStep);
    for (int step = 0; step < kSteps; ++step) simulation.step([&](Phase phase) { log.ended(phase); });
    double seconds = log.spans().back().end - log.spans().front().begin;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (host.only) {  // one clock
      origin = log.spans().front().begin;
      MPI_Allreduce(MPI_IN_PLACE, &origin, 1, MPI_DOUBLE, MPI_MIN, comm);
    }
    stretches.push_back({core_share.least(comm) < kUndisturbedShare, seconds, origin, log.spans()});
  }
  const auto is_disturbed = [](const Stretch& stretch) { return stretch.disturbed; };
  if (!std::ranges::all_of(stretches, is_disturbed)) std::erase_if(stretches, is_disturbed);
  const auto median = stretches.begin() + std::ssize(stretches) / 2;
  std::ranges::nth_element(stretches, median, {}, &Stretch::seconds);
  return {title, gather_spans(median->spans, median->origin, comm)};
}

/// The image as one process alone computes it.
template <typename Kernel>
Grid serial_result(Grid grid, int steps) {
  for (int channel = 0; channel < grid.channels; ++channel) {
    const auto begin = channel_of(grid, channel);
    std::vector<double> plane(begin, begin + static_cast<std::ptrdiff_t>(plane_size(grid)));
    run_serial<Kernel>(plane, grid.rows, grid.columns, steps);
    std::ranges::copy(plane, begin);
  }
  return grid;
}

bool same_bits(const Grid& a, const Grid& b) {
  return std::memcmp(a.cells.data(), b.cells.data(), a.cells.size() * sizeof(double)) == 0;
}

/// What a run leaves behind.
struct Outcome {
  std::vector<Round> rounds;
  std::vector<Grid> frames;  ///< on rank 0, of --images-every
  std::vector<Timeline> timelines;
};

/// Runs one channel in all ways, in turns. Collective.
template <typename Kernel>
void run_channel(const Arguments& arguments, const Grid& grid, int channel, std::deque<Way>& ways, const Host& host,
                 MPI_Comm comm, Outcome& outcome) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const bool first = rank == 0;
  std::vector<double> plane(first ? plane_size(grid) : 0);
  if (first) std::copy_n(channel_of(grid, channel), plane_size(grid), plane.begin());
  std::deque<Simulation<Kernel>> simulations;
  for (Way& way : ways) {
    way.domain.scatter(plane, 0);
    simulations.emplace_back(way.domain, *way.exchange).exchange_only();  // so that no round pays for connections
  }
  ProgressBar bar(arguments.kernel.c_str(), arguments.steps, first);
  std::size_t frame = 0;
  for (int done = 0; done < arguments.steps;) {
    constexpr int kStepsOfRound = 10;
    int turn = std::min(kStepsOfRound, arguments.steps - done);
    if (arguments.images_every > 0) turn = std::min(turn, arguments.images_every - done % arguments.images_every);
    Round& round = outcome.rounds.emplace_back();
    const CoreShare core_share;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t k = (i + outcome.rounds.size()) % ways.size();  // another begins in each round
      round.*ways[k].time_of_step = timed(comm, turn, [&] { simulations[k].step(); });
    }
    for (std::size_t k = 0; k < ways.size(); ++k) {
      if (ways[k].time_of_exchange == nullptr) continue;
      round.*ways[k].time_of_exchange = timed(comm, turn, [&] { simulations[k].exchange_only(); });
    }
    round.core_share = core_share.least(comm);
    done += turn;
    bar.step(done);
    if (arguments.images_every == 0 || done % arguments.images_every != 0) continue;
    ways[0].domain.gather(plane, simulations[0].which());
    if (!first) continue;
    if (frame == outcome.frames.size()) outcome.frames.push_back(grid);
    std::ranges::copy(plane, channel_of(outcome.frames[frame++], channel));
  }
  for (std::size_t k = 0; k < ways.size(); ++k) {
    ways[k].domain.gather(plane, simulations[k].which());
    if (first) std::ranges::copy(plane, channel_of(ways[k].result, channel));
  }
  if (arguments.pictures.empty()) return;
  outcome.timelines.clear();  // the last channel's stay
  for (std::size_t k = 0; k < ways.size(); ++k)
    outcome.timelines.push_back(usual_steps(ways[k].name, simulations[k], host, comm));
}

/// Prints what the results are equal to, bit for bit; returns whether to all that they were compared with.
template <typename Kernel>
bool compare(const Arguments& arguments, const Grid& grid, const std::deque<Way>& ways) {
  const Grid& result = ways[0].result;
  std::string equal;
  std::string different;
  const auto compare_with = [&](const Grid& other, const std::string& name) {
    std::string& names = same_bits(other, result) ? equal : different;
    names += (names.empty() ? "" : ", ") + name;
  };
  if (arguments.check) compare_with(serial_result<Kernel>(grid, arguments.steps), "a serial run");
  for (std::size_t k = 1; k < ways.size(); ++k) compare_with(ways[k].result, ways[k].name);
  if (!equal.empty()) std::printf("  bit for bit equal to: %s\n", equal.c_str());
  if (!different.empty()) std::printf("  DIFFERS from: %s\n", different.c_str());
  return different.empty();
}

void write_files(const Arguments& arguments, const Grid& grid, const Grid& result, const Outcome& outcome,
                 const std::string& caption) {
  if (!arguments.output.empty()) {
    write_result(arguments.output, result);
    for (std::size_t k = 0; k < outcome.frames.size(); ++k) {
      write_result(frame_name(arguments.output, static_cast<int>(k + 1) * arguments.images_every), outcome.frames[k]);
    }
  }
  if (!arguments.pictures.empty()) {
    const std::string& prefix = arguments.pictures;
    write_png(prefix + "-before.png", grid);
    write_png(prefix + "-after.png", result);
    write_text(prefix + "-timeline.svg", draw(outcome.timelines, caption));
    std::printf("  wrote %s-before.png, %s-after.png and %s-timeline.svg\n", prefix.c_str(), prefix.c_str(),
                prefix.c_str());
  }
}

/// Runs all channels; returns whether the result is right (on all ranks alike).
template <typename Kernel>
bool run(const Arguments& arguments, Grid grid) {
  if (!arguments.pictures.empty() && grid.channels != 1 && grid.channels != 3) {
    throw InputError("--pictures: there are " + std::to_string(grid.channels) + " channels, must be 1 or 3");
  }
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> processes(2, 0);
  MPI_Dims_create(p, 2, processes.data());
  rondo::CartComm torus(MPI_COMM_WORLD, processes, rondo::moore(2, 1));
  const Host host = this_host(torus.native());
  if (torus.rank() == 0 && arguments.kernel == "life") {
    for (double& cell : grid.cells) cell = cell > grid.white / 2 ? 1.0 : 0.0;
    grid.white = 1.0;
  }
  std::deque<Way> ways = make_ways(arguments, torus, processes, grid);
  Outcome outcome;
  for (int channel = 0; channel < grid.channels; ++channel)
    run_channel<Kernel>(arguments, grid, channel, ways, host, torus.native(), outcome);

  int wrong = 0;
  if (torus.rank() == 0) {
    char what[256];
    std::snprintf(what, sizeof what, "%s, %d x %d cells, %d channel%s, %d steps, %d rank%s as %d x %d",
                  arguments.kernel.c_str(), grid.rows, grid.columns, grid.channels, grid.channels == 1 ? "" : "s",
                  arguments.steps, p, p == 1 ? "" : "s", processes[0], processes[1]);
    std::printf("%s\n", what);
    if (!outcome.rounds.empty()) {
      const std::vector<Round> rounds = select_rounds(outcome.rounds, host.crowded);
      print_step(rounds, static_cast<double>(plane_size(grid)));
      if (!ways[0].exchange->blocks()) print_overlap(rounds);
      if (arguments.rival) print_rival(rounds);
    }
    wrong = compare<Kernel>(arguments, grid, ways) ? 0 : 1;
    write_files(arguments, grid, ways[0].result, outcome,
                std::string(what) + ": three steps in a row, of median length" +
                    (host.only ? "" : "; hosts are put together at a barrier, not exactly"));
  }
  MPI_Bcast(&wrong, 1, MPI_INT, 0, torus.native());
  return wrong == 0;
}

}  // namespace
}  // namespace stencil

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 1;
  try {
    const stencil::Arguments arguments = stencil::parse(argc, argv);
    if (arguments.help) {
      if (rank == 0) std::fputs(stencil::kUsage, stdout);
      status = 0;
    } else {
      stencil::Grid grid = stencil::read_everywhere(arguments.input);
      const bool right = arguments.kernel == "life" ? stencil::run<stencil::Life>(arguments, std::move(grid))
                                                    : stencil::run<stencil::Diffusion>(arguments, std::move(grid));
      status = right ? 0 : 1;
    }
  } catch (const stencil::InputError& error) {  // thrown on all ranks alike
    if (rank == 0) std::fprintf(stderr, "stencil: %s\n", error.what());
  } catch (const std::exception& error) {  // the others would wait for ever
    std::fprintf(stderr, "stencil: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
