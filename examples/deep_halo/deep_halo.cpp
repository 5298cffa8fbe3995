// The 5-point and 9-point kernels with a halo of depth k (EuroMPI 2015, section 2): after one exchange, k steps need no
// other. A matrix between two walls, closed to a ring sideways, is averaged over neighbors; every process also runs all
// of it alone and compares its part bit for bit.
//
//     mpirun -np 4 deep_halo [DEPTH [STEPS]]
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int kRows = 61;
constexpr int kColumns = 46;
constexpr double kUpperWall = 1.0;
constexpr double kLowerWall = -1.0;

double initial(int row, int column) { return (row * 7 + column * 13) % 17; }

/// Some rows and columns of the matrix, with `halo` more on all sides.
class Block {
 public:
  Block(int rows, int columns, int halo)
      : halo_(halo),
        width_(columns + 2 * halo),
        values_(static_cast<std::size_t>(rows + 2 * halo) * static_cast<std::size_t>(width_)) {}
  /// Row and column count from the first one inside.
  [[nodiscard]] double& at(int row, int column) {
    return values_[static_cast<std::size_t>(row + halo_) * static_cast<std::size_t>(width_) +
                   static_cast<std::size_t>(column + halo_)];
  }
  [[nodiscard]] std::span<double> values() { return values_; }

 private:
  int halo_;
  int width_;
  std::vector<double> values_;
};

double updated(Block& block, int i, int j, rondo::Stencil stencil) {
  double sum = block.at(i, j) + block.at(i - 1, j) + block.at(i + 1, j) + block.at(i, j - 1) + block.at(i, j + 1);
  if (stencil == rondo::Stencil::star) return sum / 5;
  sum += block.at(i - 1, j - 1) + block.at(i - 1, j + 1) + block.at(i + 1, j - 1) + block.at(i + 1, j + 1);
  return sum / 9;
}

/// The whole matrix on one process, exchanging with itself by hand.
Block run_alone(rondo::Stencil stencil, int steps) {
  Block now(kRows, kColumns, 1);
  for (int j = -1; j <= kColumns; ++j) {
    now.at(-1, j) = kUpperWall;
    now.at(kRows, j) = kLowerWall;
    for (int i = 0; i < kRows; ++i) now.at(i, j) = initial(i, j);
  }
  Block next = now;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < kRows; ++i) {
      now.at(i, -1) = now.at(i, kColumns - 1);
      now.at(i, kColumns) = now.at(i, 0);
    }
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kColumns; ++j) next.at(i, j) = updated(now, i, j, stencil);
    }
    std::swap(now, next);
  }
  return now;
}

/// Elements [begin, end) of `all`, the part of process `coordinate` of `processes`.
struct Share {
  Share(int all, int coordinate, int processes)
      : begin(all * coordinate / processes), end(all * (coordinate + 1) / processes) {}
  [[nodiscard]] int size() const { return end - begin; }
  int begin;
  int end;
};

/// Number of elements that differ from the run alone.
int run_together(const rondo::CartComm& grid, std::span<const int> processes, rondo::Stencil stencil, int depth,
                 int steps) {
  const std::vector<int> place = grid.coordinates();
  const Share rows(kRows, place[0], processes[0]);
  const Share columns(kColumns, place[1], processes[1]);
  Block now(rows.size(), columns.size(), depth);
  for (int i = -depth; i < rows.size() + depth; ++i) {
    for (int j = -depth; j < columns.size() + depth; ++j) {
      const int row = rows.begin + i;
      now.at(i, j) = row < 0 ? kUpperWall : row >= kRows ? kLowerWall : initial(row, columns.begin + j);
    }
  }
  Block next = now;

  const std::vector<int> sizes{rows.size() + 2 * depth, columns.size() + 2 * depth};
  rondo::Request exchange = rondo::halo_init(grid, rondo::HaloArray::of<double>(now.values(), sizes, depth), stencil);
  rondo::Request exchange_of_next =
      rondo::halo_init(grid, rondo::HaloArray::of<double>(next.values(), sizes, depth), stencil);

  for (int step = 0; step < steps; ++step) {
    if (step % depth == 0) {
      exchange.start();
      exchange.wait();
    }
    // So far outside is what the next steps, until the next exchange, will need; but walls stay.
    const int reach = depth - 1 - step % depth;
    const int first = std::max(-reach, -rows.begin);
    const int last = std::min(rows.size() + reach, kRows - rows.begin);
    for (int i = first; i < last; ++i) {
      const int outside = std::max({0, -i, i - rows.size() + 1});
      const int width = stencil == rondo::Stencil::box ? reach : reach - outside;  // a star has triangular corners
      for (int j = -width; j < columns.size() + width; ++j) next.at(i, j) = updated(now, i, j, stencil);
    }
    std::swap(now, next);  // the memory goes along, and so do the requests
    std::swap(exchange, exchange_of_next);
  }

  Block alone = run_alone(stencil, steps);
  int wrong = 0;
  for (int i = 0; i < rows.size(); ++i) {
    for (int j = 0; j < columns.size(); ++j)
      wrong += now.at(i, j) != alone.at(rows.begin + i, columns.begin + j) ? 1 : 0;
  }
  if (grid.rank() == 0) {
    std::printf("%s, depth %d: %d exchanges for %d steps, algorithm %s\n",
                stencil == rondo::Stencil::star ? "5-point" : "9-point", depth, (steps + depth - 1) / depth, steps,
                exchange.algorithm().c_str());
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    const int deepest = argc > 1 ? std::atoi(argv[1]) : 4;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 20;
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    std::vector<int> processes(2, 0);
    MPI_Dims_create(p, 2, processes.data());
    const std::vector<int> periods{0, 1};
    const rondo::CartComm grid(MPI_COMM_WORLD, processes, periods, rondo::Neighborhood(2));
    for (int depth = 1; depth <= deepest; ++depth) {
      for (const rondo::Stencil stencil : {rondo::Stencil::star, rondo::Stencil::box})
        wrong += run_together(grid, processes, stencil, depth, steps);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, grid.native());
    if (grid.rank() == 0) std::printf("%d wrong elements\n", wrong);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
