// Conjugate gradients with one allreduce a step, which travels while the matrix, a 5-point stencil on a torus, is
// applied (Ghysels and Vanroose, "Hiding global synchronization latency in the preconditioned Conjugate Gradient
// algorithm", Parallel Computing 40, 2014, algorithm 3).
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {
constexpr int kRows = 60, kColumns = 40;  // of each rank

/// The rank's part of a vector, with a halo of one cell around it.
struct Field {
  std::vector<double> cells = std::vector<double>(std::size_t{kRows + 2} * (kColumns + 2));
  double& at(int row, int column) { return cells[static_cast<std::size_t>(row * (kColumns + 2) + column)]; }
};

template <typename Body>
void for_each_cell(Body body) {
  for (int row = 1; row <= kRows; ++row)
    for (int column = 1; column <= kColumns; ++column) body(row, column);
}

/// `to` = A `from`, whose halo must be filled. A is symmetric and positive definite.
void apply(Field& from, Field& to) {
  for_each_cell([&](int i, int j) {
    to.at(i, j) = 4.01 * from.at(i, j) - from.at(i - 1, j) - from.at(i + 1, j) - from.at(i, j - 1) - from.at(i, j + 1);
  });
}

double local_dot(Field& a, Field& b) {
  double sum = 0;
  for_each_cell([&](int i, int j) { sum += a.at(i, j) * b.at(i, j); });
  return sum;
}

/// `y` = `a` x + `b` y
void combine(double a, Field& x, double b, Field& y) {
  for_each_cell([&](int i, int j) { y.at(i, j) = a * x.at(i, j) + b * y.at(i, j); });
}

rondo::HaloArray with_halo(Field& field) { return rondo::HaloArray::of(field.cells, {kRows + 2, kColumns + 2}, 1); }

/// Solves A x = b, from x = 0, and returns the number of steps. `b` becomes the residual.
int solve(const rondo::CartComm& torus, rondo::Comm& comm, Field& x, Field& b) {
  Field &r = b, w, q, z, s, p;
  std::array<double, 2> mine{}, dots{};
  rondo::Request halo_of_w = rondo::halo_init(torus, with_halo(w), rondo::Stencil::star);
  rondo::Request allreduce = comm.allreduce_init(mine, dots, MPI_SUM);
  rondo::halo_exchange(torus, with_halo(r), rondo::Stencil::star);
  apply(r, w);
  double first = 0, before = 0, alpha = 0;
  for (int step = 0;; ++step) {
    mine = {local_dot(r, r), local_dot(w, r)};
    allreduce.start();
    halo_of_w.start();
    halo_of_w.wait();  // makes progress of both
    apply(w, q);
    allreduce.wait();
    const auto [gamma, delta] = dots;
    if (step == 0) first = gamma;
    if (gamma <= 1e-20 * first) return step;
    const double beta = step == 0 ? 0 : gamma / before;
    alpha = gamma / (step == 0 ? delta : delta - beta * gamma / alpha);
    before = gamma;
    combine(1, q, beta, z);  // z = A s
    combine(1, w, beta, s);  // s = A p
    combine(1, r, beta, p);
    combine(alpha, p, 1, x);
    combine(-alpha, s, 1, r);
    combine(-alpha, z, 1, w);  // w = A r
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = true;
  {
    rondo::Comm comm(MPI_COMM_WORLD);
    const rondo::CartComm torus(MPI_COMM_WORLD, rondo::dims_create(MPI_COMM_WORLD, 2), rondo::Neighborhood(2));
    Field b, x, product;
    for_each_cell([&](int i, int j) { b.at(i, j) = std::sin(comm.rank() + 0.3 * i) * std::cos(0.2 * j * j); });
    Field residual = b;
    const int steps = solve(torus, comm, x, residual);
    rondo::halo_exchange(torus, with_halo(x), rondo::Stencil::star);
    apply(x, product);
    combine(-1, product, 1, b);  // b - A x, computed anew
    std::array<double, 1> square{local_dot(b, b)};
    comm.allreduce(rondo::in_place, square, MPI_SUM);
    right = square[0] < 1e-12;
    if (comm.rank() == 0) std::printf("%d ranks: %d steps, |b - A x|^2 = %.1e\n", comm.size(), steps, square[0]);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
