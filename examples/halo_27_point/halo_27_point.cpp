// A 27-point kernel in three dimensions: the halo of a cube is exchanged in place, while what needs no neighbor is
// computed. Every process also runs the whole torus alone and compares its part bit for bit.
//
//     mpirun -np 8 halo_27_point [STEPS]
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

using Sizes = std::array<int, 3>;

/// A box of elements with one more on all sides.
class Cube {
 public:
  explicit Cube(const Sizes& inside) : inside_(inside) {
    values_.resize(static_cast<std::size_t>(inside[0] + 2) * static_cast<std::size_t>(inside[1] + 2) *
                   static_cast<std::size_t>(inside[2] + 2));
  }
  [[nodiscard]] const Sizes& inside() const { return inside_; }
  [[nodiscard]] std::vector<int> sizes() const { return {inside_[0] + 2, inside_[1] + 2, inside_[2] + 2}; }
  [[nodiscard]] std::span<double> values() { return values_; }
  /// Counted from the first element inside.
  [[nodiscard]] double& at(int i, int j, int k) {
    return values_[(static_cast<std::size_t>(i + 1) * static_cast<std::size_t>(inside_[1] + 2) +
                    static_cast<std::size_t>(j + 1)) *
                       static_cast<std::size_t>(inside_[2] + 2) +
                   static_cast<std::size_t>(k + 1)];
  }

 private:
  Sizes inside_;
  std::vector<double> values_;
};

double initial(int i, int j, int k) { return (i * 5 + j * 11 + k * 17) % 23; }

/// The average of an element and its 26 neighbors.
double updated(Cube& cube, int i, int j, int k) {
  double sum = 0;
  for (int a = -1; a <= 1; ++a) {
    for (int b = -1; b <= 1; ++b) {
      for (int c = -1; c <= 1; ++c) sum += cube.at(i + a, j + b, k + c);
    }
  }
  return sum / 27;
}

/// The elements inside at least (`border` false) or less (true) than one element from the halo.
void update(Cube& from, Cube& to, bool border) {
  const auto [n, m, l] = from.inside();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      for (int k = 0; k < l; ++k) {
        const bool at_border = i == 0 || i == n - 1 || j == 0 || j == m - 1 || k == 0 || k == l - 1;
        if (at_border == border) to.at(i, j, k) = updated(from, i, j, k);
      }
    }
  }
}

void fill(Cube& cube, const Sizes& begin) {
  const auto [n, m, l] = cube.inside();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      for (int k = 0; k < l; ++k) cube.at(i, j, k) = initial(begin[0] + i, begin[1] + j, begin[2] + k);
    }
  }
}

/// The whole torus on one process.
Cube run_alone(const Sizes& sizes, int steps) {
  Cube now(sizes);
  Cube next(sizes);
  fill(now, {0, 0, 0});
  const auto [n, m, l] = sizes;
  for (int step = 0; step < steps; ++step) {
    for (int i = -1; i <= n; ++i) {
      for (int j = -1; j <= m; ++j) {
        for (int k = -1; k <= l; ++k) now.at(i, j, k) = now.at((i + n) % n, (j + m) % m, (k + l) % l);
      }
    }
    update(now, next, false);
    update(now, next, true);
    std::swap(now, next);
  }
  return now;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    const int steps = argc > 1 ? std::atoi(argv[1]) : 6;
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    std::vector<int> processes(3, 0);
    MPI_Dims_create(p, 3, processes.data());
    const rondo::CartComm torus(MPI_COMM_WORLD, processes, rondo::moore(3, 1));

    const Sizes inside{6, 5, 7};
    const std::vector<int> place = torus.coordinates();
    const Sizes begin{place[0] * inside[0], place[1] * inside[1], place[2] * inside[2]};
    Cube now(inside);
    Cube next(inside);
    fill(now, begin);
    rondo::Request halo = rondo::halo_init(torus, rondo::HaloArray::of<double>(now.values(), now.sizes(), 1));
    rondo::Request halo_of_next = rondo::halo_init(torus, rondo::HaloArray::of<double>(next.values(), next.sizes(), 1));
    for (int step = 0; step < steps; ++step) {
      halo.start();
      update(now, next, false);
      halo.wait();
      update(now, next, true);
      std::swap(now, next);
      std::swap(halo, halo_of_next);
    }

    Cube alone = run_alone({inside[0] * processes[0], inside[1] * processes[1], inside[2] * processes[2]}, steps);
    for (int i = 0; i < inside[0]; ++i) {
      for (int j = 0; j < inside[1]; ++j) {
        for (int k = 0; k < inside[2]; ++k)
          wrong += now.at(i, j, k) != alone.at(begin[0] + i, begin[1] + j, begin[2] + k) ? 1 : 0;
      }
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, torus.native());
    if (torus.rank() == 0) {
      std::printf("%d steps on %dx%dx%d processes, algorithm %s: %d wrong elements\n", steps, processes[0],
                  processes[1], processes[2], halo.algorithm().c_str(), wrong);
    }
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
