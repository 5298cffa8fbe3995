// A 2-D stencil on a torus of processes: the halo exchange is a persistent task graph that moves while the interior is
// computed. Reads an image or a NumPy array, runs diffusion or Life, checks the result against a serial run bit for
// bit.
#include "domain.hpp"
#include "grid_io.hpp"
#include "kernels.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stencil {
namespace {

enum class Mode { overlap, blocking, nonblocking };

struct Arguments {
  std::string input;
  std::string output;
  std::string kernel = "diffusion";
  Mode mode = Mode::overlap;
  int steps = 200;
  int images_every = 0;
  bool check = true;
  bool help = false;
};

constexpr const char* kUsage = R"(usage: mpirun -np N stencil INPUT [options]

  INPUT                image (.pgm, .ppm) or NumPy array (.npy), any size; its edges are joined
  --kernel NAME        diffusion (default) or life (cells above half of white are alive)
  --steps N            number of steps (default 200)
  --mode NAME          overlap: persistent halo exchange beside the interior (default)
                       nonblocking: the same with a new nonblocking exchange each step
                       blocking: exchange first, then compute
  --output FILE        write the result (.pgm, .ppm or .npy)
  --images-every K     write FILE-000K.EXT every K steps as well
  --no-check           do not compare with a serial run
  --help               this text
)";

int number(const char* name, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw InputError(std::string(name) + ": is \"" + text + "\", must be a number of at least 0");
  }
  return value;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  const auto value_of = [&](int& i) -> std::string {
    if (i + 1 >= argc) throw InputError(std::string(argv[i]) + ": lacks a value");
    return argv[++i];
  };
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help")
      arguments.help = true;
    else if (name == "--kernel")
      arguments.kernel = value_of(i);
    else if (name == "--steps")
      arguments.steps = number("--steps", value_of(i));
    else if (name == "--images-every")
      arguments.images_every = number("--images-every", value_of(i));
    else if (name == "--output")
      arguments.output = value_of(i);
    else if (name == "--no-check")
      arguments.check = false;
    else if (name == "--mode") {
      const std::string mode = value_of(i);
      if (mode == "overlap")
        arguments.mode = Mode::overlap;
      else if (mode == "blocking")
        arguments.mode = Mode::blocking;
      else if (mode == "nonblocking")
        arguments.mode = Mode::nonblocking;
      else
        throw InputError("--mode: is \"" + mode + "\", must be overlap, nonblocking or blocking");
    } else if (name.starts_with("--"))
      throw InputError(name + ": is not an option, see --help");
    else
      arguments.input = name;
  }
  if (arguments.kernel != "diffusion" && arguments.kernel != "life") {
    throw InputError("--kernel: is \"" + arguments.kernel + "\", must be diffusion or life");
  }
  if (arguments.images_every > 0 && arguments.output.empty()) {
    throw InputError("--images-every: needs --output to name the images after");
  }
  if (arguments.input.empty() && !arguments.help) throw InputError("no input file, see --help");
  return arguments;
}

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

/// A bar on standard error when that is a terminal.
class ProgressBar {
 public:
  ProgressBar(const char* what, int steps, bool wanted)
      : what_(what), steps_(steps), shown_(wanted && isatty(2) != 0) {}
  ~ProgressBar() {
    if (shown_) std::fprintf(stderr, "\r%60s\r", "");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void step(int done) {
    const int percent = 100 * done / std::max(steps_, 1);
    if (!shown_ || percent == last_) return;
    last_ = percent;
    std::fprintf(stderr, "\r%-12s [%-30.*s] %3d%%", what_, percent * 30 / 100, "##############################",
                 percent);
  }

 private:
  const char* what_;
  int steps_;
  bool shown_;
  int last_ = -1;
};

/// The tiles of one channel, advanced from step to step; tile `which` is the current state.
template <typename Kernel>
class Simulation {
 public:
  Simulation(Domain& domain, rondo::CartComm& torus, Mode mode) : domain_(domain), torus_(torus), mode_(mode) {
    for (int which = 0; which < 2; ++which) {
      out_[which] = domain.halo_out(which);
      in_[which] = domain.halo_in(which);
      halo_[which] = torus.alltoallw_init(out_[which], in_[which]);
    }
  }

  void step() {
    if (mode_ == Mode::blocking) {
      torus_.alltoallw(out_[which_], in_[which_]);
      interior();
    } else if (mode_ == Mode::nonblocking) {
      rondo::Request halo = torus_.ialltoallw(out_[which_], in_[which_]);
      interior();
      halo.wait();
    } else {
      halo_[which_].start();
      interior();
      halo_[which_].wait();
    }
    border();
    which_ = 1 - which_;
  }
  void exchange_only() {
    halo_[which_].start();
    halo_[which_].wait();
  }
  void compute_only() {
    interior();
    border();
  }
  [[nodiscard]] int which() const { return which_; }

 private:
  void interior() { update_interior(Kernel{}, domain_.old(which_), domain_.tile(1 - which_)); }
  void border() { update_border(Kernel{}, domain_.old(which_), domain_.tile(1 - which_)); }

  Domain& domain_;
  rondo::CartComm& torus_;
  Mode mode_;
  int which_ = 0;
  std::vector<rondo::SendBlock> out_[2];
  std::vector<rondo::RecvBlock> in_[2];
  rondo::Request halo_[2];
};

/// Seconds that a round of `steps` calls takes until all ranks are through: ranks that share a core wait for each
/// other.
template <typename Body>
double timed(MPI_Comm comm, int steps, Body body) {
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) body(step);
  MPI_Barrier(comm);
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

template <typename Kernel>
void run_serial(std::vector<double>& plane, int rows, int columns, int steps) {
  std::vector<double> states[2];
  for (auto& state : states) state.resize(static_cast<std::size_t>(rows + 2) * static_cast<std::size_t>(columns + 2));
  const auto tile = [&](int which) { return Tile<double>{states[which].data(), rows, columns}; };
  for (int i = 0; i < rows; ++i) std::copy_n(plane.begin() + std::ptrdiff_t{i} * columns, columns, &tile(0).at(i, 0));
  int which = 0;
  for (int step = 0; step < steps; ++step) {
    const Tile<double> old = tile(which);
    for (int i = -1; i <= rows; ++i) {
      for (int j = -1; j <= columns; ++j) old.at(i, j) = old.at((i + rows) % rows, (j + columns) % columns);
    }
    update(Kernel{}, Tile<const double>{old.cells, rows, columns}, tile(1 - which), 0, rows, 0, columns);
    which = 1 - which;
  }
  for (int i = 0; i < rows; ++i)
    std::copy_n(&tile(which).at(i, 0), columns, plane.begin() + std::ptrdiff_t{i} * columns);
}

std::string frame_name(const std::string& output, int step) {
  const std::filesystem::path path(output);
  char digits[16];
  std::snprintf(digits, sizeof digits, "-%05d", step);
  return (path.parent_path() / (path.stem().string() + digits + path.extension().string())).string();
}

/// Runs all channels; returns whether the result is right (on all ranks alike).
template <typename Kernel>
bool run(const Arguments& arguments, Grid grid) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  std::vector<int> processes(2, 0);
  MPI_Dims_create(p, 2, processes.data());
  rondo::CartComm torus(MPI_COMM_WORLD, processes, rondo::moore(2, 1));
  const bool first = torus.rank() == 0;
  const std::size_t plane_size = static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns);
  if (first && arguments.kernel == "life") {
    for (double& cell : grid.cells) cell = cell > grid.white / 2 ? 1.0 : 0.0;
    grid.white = 1.0;
  }
  const Grid original = grid;

  Domain domain(torus, processes, grid.rows, grid.columns);
  double overlapped = 0;
  double exchange = 0;
  double compute = 0;
  std::vector<Grid> frames;
  for (int channel = 0; channel < grid.channels; ++channel) {
    std::vector<double> plane(first ? plane_size : 0);
    const auto in_file = [&](Grid& of) { return of.cells.begin() + channel * static_cast<std::ptrdiff_t>(plane_size); };
    if (first) std::copy_n(in_file(grid), plane_size, plane.begin());
    domain.scatter(plane, 0);
    Simulation<Kernel> simulation(domain, torus, arguments.mode);
    // In short turns, so that what else the machine does meets all three alike.
    ProgressBar bar(arguments.kernel.c_str(), arguments.steps, first);
    std::size_t frame = 0;
    for (int done = 0; done < arguments.steps;) {
      int turn = std::min(20, arguments.steps - done);
      if (arguments.images_every > 0) turn = std::min(turn, arguments.images_every - done % arguments.images_every);
      overlapped += timed(torus.native(), turn, [&](int) { simulation.step(); });
      exchange += timed(torus.native(), turn, [&](int) { simulation.exchange_only(); });
      compute += timed(torus.native(), turn, [&](int) { simulation.compute_only(); });
      done += turn;
      bar.step(done);
      if (arguments.images_every == 0 || done % arguments.images_every != 0) continue;
      domain.gather(plane, simulation.which());
      if (!first) continue;
      if (frame == frames.size()) frames.push_back(original);
      std::ranges::copy(plane, in_file(frames[frame++]));
    }
    domain.gather(plane, simulation.which());
    if (first) std::ranges::copy(plane, in_file(grid));
  }

  int wrong = 0;
  if (first) {
    const double cells = static_cast<double>(plane_size) * grid.channels * arguments.steps;
    const double per_step = 1e6 / std::max(arguments.steps * grid.channels, 1);
    std::printf("%s, %d x %d cells, %d channel%s, %d steps, %d ranks as %d x %d\n", arguments.kernel.c_str(), grid.rows,
                grid.columns, grid.channels, grid.channels == 1 ? "" : "s", arguments.steps, p, processes[0],
                processes[1]);
    std::printf("  %.1f million cell updates per second\n", cells / overlapped / 1e6);
    std::printf("  a step takes %.1f us; alone, the exchange takes %.1f us and the computation %.1f us\n",
                overlapped * per_step, exchange * per_step, compute * per_step);
    const double hidden = (exchange + compute - overlapped) / exchange;
    std::printf("  %.0f%% of the exchange was hidden%s\n", 100 * std::clamp(hidden, 0.0, 1.0),
                p > sysconf(_SC_NPROCESSORS_ONLN) ? " (more ranks than cores: little is to be hidden)" : "");
    if (!arguments.output.empty()) {
      write_grid(arguments.output, grid);
      for (std::size_t k = 0; k < frames.size(); ++k) {
        write_grid(frame_name(arguments.output, static_cast<int>(k + 1) * arguments.images_every), frames[k]);
      }
    }
    if (arguments.check) {
      Grid serial = original;
      for (int channel = 0; channel < grid.channels; ++channel) {
        const auto begin = serial.cells.begin() + channel * static_cast<std::ptrdiff_t>(plane_size);
        std::vector<double> plane(begin, begin + static_cast<std::ptrdiff_t>(plane_size));
        run_serial<Kernel>(plane, grid.rows, grid.columns, arguments.steps);
        std::ranges::copy(plane, begin);
      }
      wrong = std::memcmp(serial.cells.data(), grid.cells.data(), grid.cells.size() * sizeof(double)) != 0 ? 1 : 0;
      std::printf("  %s\n", wrong == 0 ? "equal to a serial run, bit for bit" : "DIFFERS from a serial run");
    }
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
