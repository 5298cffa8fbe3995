// Averages over a neighborhood by a reduction: each process of a mesh holds a profile of samples and replaces it, step
// by step, by the average of its own and those of all processes around it, corners included. At the edge there are
// fewer of them: a sample that is one everywhere counts them. Checked against the same done by one process for all.
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int kSamples = 24;
constexpr int kSteps = 10;

double first_sample(int rank, int j) { return std::sin(1.3 * rank + 0.7 * j) + 0.01 * rank; }

/// All processes' profiles after all steps, on a mesh of rows x columns: a plain loop.
std::vector<double> serial(int rows, int columns) {
  const auto at = [&](int row, int column, int j) {
    return static_cast<std::size_t>((row * columns + column) * kSamples + j);
  };
  std::vector<double> now(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * kSamples);
  for (int rank = 0; rank < rows * columns; ++rank) {
    for (int j = 0; j < kSamples; ++j) now[at(0, rank, j)] = first_sample(rank, j);
  }
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> before = now;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        for (int j = 0; j < kSamples; ++j) {
          double sum = 0;
          int count = 0;
          for (int r = std::max(0, row - 1); r <= std::min(rows - 1, row + 1); ++r) {
            for (int c = std::max(0, column - 1); c <= std::min(columns - 1, column + 1); ++c) {
              sum += before[at(r, c, j)];
              ++count;
            }
          }
          now[at(row, column, j)] = sum / count;
        }
      }
    }
  }
  return now;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    std::vector<int> sizes{0, 0};
    MPI_Dims_create(p, 2, sizes.data());
    // The process itself and the eight around it, on a mesh: what would lie beyond the edge is left out.
    constexpr std::array kNoPeriods{0, 0};
    rondo::CartComm mesh(MPI_COMM_WORLD, sizes, kNoPeriods, rondo::box(2, 3, -1));

    std::array<double, kSamples + 1> profile{};
    for (int j = 0; j < kSamples; ++j) profile[static_cast<std::size_t>(j)] = first_sample(mesh.rank(), j);
    profile.back() = 1;
    std::array<double, kSamples + 1> sums{};
    rondo::Request reduction = mesh.reduce_init(profile, sums, MPI_SUM);
    for (int step = 0; step < kSteps; ++step) {
      reduction.start();
      reduction.wait();
      for (int j = 0; j < kSamples; ++j)
        profile[static_cast<std::size_t>(j)] = sums[static_cast<std::size_t>(j)] / sums.back();
    }

    const std::vector<double> expected = serial(sizes[0], sizes[1]);
    double difference = 0;
    for (int j = 0; j < kSamples; ++j) {
      const double right = expected[static_cast<std::size_t>(mesh.rank() * kSamples + j)];
      difference = std::max(difference, std::abs(profile[static_cast<std::size_t>(j)] - right));
    }
    std::printf("rank %d: %.0f processes around, first sample %.6f, %.1e from the serial run, algorithm %s\n",
                mesh.rank(), sums.back(), profile[0], difference, reduction.algorithm().c_str());
    status = difference < 1e-12 ? 0 : 1;
  }
  MPI_Finalize();
  return status;
}
