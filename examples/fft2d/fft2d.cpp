// Heat that spreads over a periodic plate, by a two-dimensional Fourier transform of a real field: where it is hot at
// first an image says, or a formula. A process has some rows of the plate; after their transforms it takes columns
// instead. Everybody has a block for everybody: a dense alltoall, persistent as it comes again in every step, and in
// slabs, so that one travels while the next is computed.
//
//     mpirun -np 4 fft2d [FILE.pgm | ROWSxCOLUMNS] [STEPS] [SLABS]
#include "fft.hpp"
#include "transpose.hpp"

#include "../stencil/grid_io.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace fft2d {
namespace {

/// How far heat gets in a step.
constexpr double kSpread = 0.5;

struct Plate {
  int rows;
  int columns;
  std::vector<double> heat;

  [[nodiscard]] double at(int i, int j) const {
    return heat[static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(j)];
  }
};

/// `what`: an image's file, or "512x384" for a few waves and a hot corner.
Plate make_plate(const std::string& what) {
  int rows = 0;
  int columns = 0;
  if (std::sscanf(what.c_str(), "%dx%d", &rows, &columns) != 2) {
    stencil::Grid image = stencil::read_grid(what);
    image.cells.resize(static_cast<std::size_t>(image.rows) * static_cast<std::size_t>(image.columns));  // one channel
    return {image.rows, image.columns, std::move(image.cells)};
  }
  if (rows < 1 || columns < 1) throw std::runtime_error(what + ": must be ROWSxCOLUMNS, both at least 1");
  Plate plate{rows, columns, {}};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      plate.heat.push_back(std::sin(0.1 * i) * std::cos(0.07 * j) + (4 * i < rows && 4 * j < columns ? 2 : 0));
  }
  return plate;
}

/// What is left of a wave after a step: number u of `rows`, v of `columns` waves.
double damping(int u, int rows, int v, int columns) {
  const double x = std::min(u, rows - u) / static_cast<double>(rows);
  const double y = std::min(v, columns - v) / static_cast<double>(columns);
  return std::exp(-4 * std::numbers::pi * std::numbers::pi * kSpread * (x * x + y * y));
}

/// The plate on all processes, by rows, and its transform, by columns.
class DistributedPlate {
 public:
  DistributedPlate(rondo::Comm& comm, const Plate& plate, int slabs)
      : by_rows_(comm, plate.rows, plate.columns),
        by_columns_(comm, plate.columns, plate.rows),
        along_rows_(static_cast<std::size_t>(plate.columns)),
        along_columns_(static_cast<std::size_t>(plate.rows)),
        to_columns_(comm, by_rows_, by_columns_, slabs),
        to_rows_(comm, by_columns_, by_rows_, slabs) {
    for (int i = 0; i < by_rows_.here.size; ++i) {
      for (int j = 0; j < plate.columns; ++j) *by_rows_.at(i, j) = plate.at(by_rows_.here.begin + i, j);
    }
  }

  void step() {
    to_columns_.run([&](int i) { along_rows_.forward(by_rows_.row(i)); });
    to_rows_.run([&](int v) {
      const std::span<Complex> column = by_columns_.row(v);
      along_columns_.forward(column);
      for (int u = 0; u < by_rows_.all; ++u)
        column[static_cast<std::size_t>(u)] *= damping(u, by_rows_.all, by_columns_.here.begin + v, by_columns_.all);
      along_columns_.inverse(column);
    });
    for (int i = 0; i < by_rows_.here.size; ++i) along_rows_.inverse(by_rows_.row(i));
  }

  [[nodiscard]] Rows& rows() { return by_rows_; }

 private:
  Rows by_rows_;
  Rows by_columns_;
  Fft along_rows_;
  Fft along_columns_;
  Transpose to_columns_;
  Transpose to_rows_;
};

/// The same by one process, without anything of the above but the transform of a line.
Plate serial(Plate plate, int steps) {
  const auto rows = static_cast<std::size_t>(plate.rows);
  const auto columns = static_cast<std::size_t>(plate.columns);
  Fft along_rows(columns);
  Fft along_columns(rows);
  std::vector<Complex> all(plate.heat.begin(), plate.heat.end());
  std::vector<Complex> column(rows);
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < rows; ++i) along_rows.forward({&all[i * columns], columns});
    for (std::size_t v = 0; v < columns; ++v) {
      for (std::size_t i = 0; i < rows; ++i) column[i] = all[i * columns + v];
      along_columns.forward(column);
      for (std::size_t u = 0; u < rows; ++u)
        column[u] *= damping(static_cast<int>(u), plate.rows, static_cast<int>(v), plate.columns);
      along_columns.inverse(column);
      for (std::size_t i = 0; i < rows; ++i) all[i * columns + v] = column[i];
    }
    for (std::size_t i = 0; i < rows; ++i) along_rows.inverse({&all[i * columns], columns});
  }
  for (std::size_t k = 0; k < all.size(); ++k) plate.heat[k] = all[k].real();
  return plate;
}

/// Seconds for a step, on the slowest process; the greatest difference from `expected` goes to `wrong`.
double run(rondo::Comm& comm, const Plate& start, const Plate& expected, int steps, int slabs, double& wrong) {
  DistributedPlate plate(comm, start, slabs);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) plate.step();
  double seconds = (MPI_Wtime() - begin) / std::max(steps, 1);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  Rows& rows = plate.rows();
  for (int i = 0; i < rows.here.size; ++i) {
    for (int j = 0; j < rows.length; ++j)
      wrong = std::max(wrong, std::abs(*rows.at(i, j) - expected.at(rows.here.begin + i, j)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

int number(const char* text, const char* what, int least) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != '\0' || end == text || value < least || value > 1000000)
    throw std::runtime_error(std::string(what) + ": is " + text + ", must be a number from " + std::to_string(least));
  return static_cast<int>(value);
}

/// Whether all went well.
bool program(int argc, char** argv) {
  const Plate plate = make_plate(argc > 1 ? argv[1] : "384x256");
  const int steps = argc > 2 ? number(argv[2], "STEPS", 1) : 10;
  const int slabs = argc > 3 ? number(argv[3], "SLABS", 1) : 4;
  const Plate expected = serial(plate, steps);
  const double hottest = std::abs(*std::ranges::max_element(plate.heat, {}, [](double t) { return std::abs(t); }));

  rondo::Comm comm(MPI_COMM_WORLD);
  double wrong = 0;
  const double at_once = run(comm, plate, expected, steps, 1, wrong);
  const double in_slabs = run(comm, plate, expected, steps, slabs, wrong);
  if (comm.rank() == 0) {
    std::printf("%d x %d on %d processes: %.3f ms a step, %.3f ms overlapped in %d slabs; off by %.1e at most\n",
                plate.rows, plate.columns, comm.size(), 1e3 * at_once, 1e3 * in_slabs, slabs, wrong);
  }
  return wrong <= 1e-10 * (1 + hottest);
}

}  // namespace
}  // namespace fft2d

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool well = false;
  try {
    well = fft2d::program(argc, argv);
  } catch (const std::exception& error) {  // alike on all processes
    std::fprintf(stderr, "fft2d: %s\n", error.what());
  }
  MPI_Finalize();
  return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
