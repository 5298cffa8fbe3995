// Rows of a matrix become columns, as within a Fourier transform in two dimensions: by FFTW over MPI.
#include <fftw3-mpi.h>
#include <mpi.h>

#include <complex>
#include <cstddef>
#include <cstdio>
#include <vector>

using Complex = std::complex<double>;
constexpr int rows = 10, columns = 14;

static Complex value(auto i, auto j, int step) {
  return {1000.0 * step + static_cast<double>(i), static_cast<double>(j)};
}

static int run() {
  int wrong = 0;
  std::ptrdiff_t my_rows = 0, row = 0, my_columns = 0, column = 0;
  const std::ptrdiff_t room =
      fftw_mpi_local_size_2d_transposed(rows, columns, MPI_COMM_WORLD, &my_rows, &row, &my_columns, &column);
  std::vector<Complex> by_rows(room), by_columns(room);
  const fftw_plan transpose = fftw_mpi_plan_many_transpose(
      rows, columns, 2, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, reinterpret_cast<double*>(by_rows.data()),
      reinterpret_cast<double*>(by_columns.data()), MPI_COMM_WORLD, FFTW_ESTIMATE);
  for (int step = 1; step <= 3; ++step) {
    for (int i = 0; i < my_rows; ++i)
      for (int j = 0; j < columns; ++j) by_rows[i * columns + j] = value(row + i, j, step);
    fftw_execute(transpose);
    for (int j = 0; j < my_columns; ++j)
      for (int i = 0; i < rows; ++i) wrong += by_columns[j * rows + i] != value(i, column + j, step);
  }
  fftw_destroy_plan(transpose);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const int wrong = run();
  fftw_mpi_cleanup();
  std::printf("%d wrong numbers\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
