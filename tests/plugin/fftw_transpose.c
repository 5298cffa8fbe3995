/* FFTW's transforms of a matrix that is distributed over the ranks: its transposition is an alltoall. */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include "parts/outcome.h"

static const double pi = 3.14159265358979323846;

static double complex value(ptrdiff_t i, ptrdiff_t j) {
  return (double)((7 * i + 3 * j + i * j) % 17) + I * (double)((5 * i + 11 * j) % 13);
}

/* One number of the transform, from its definition. */
static double complex transformed(ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t u, ptrdiff_t v) {
  double complex sum = 0;
  ptrdiff_t i = 0, j = 0;
  for (i = 0; i < rows; i++) {
    for (j = 0; j < columns; j++) {
      const double turns = (double)(u * i % rows) / (double)rows + (double)(v * j % columns) / (double)columns;
      sum += value(i, j) * cexp(-2 * pi * I * turns);
    }
  }
  return sum;
}

static int differ(double complex a, double complex b, double scale) { return cabs(a - b) > 1e-12 * scale; }

/* Out of place, and with the rows and columns of the result exchanged: what FFTW's users ask for to have one alltoall
 * each way, where it would otherwise send messages in pairs. */
static void transform(ptrdiff_t rows, ptrdiff_t columns, unsigned effort) {
  const double scale = 30.0 * (double)(rows * columns);
  ptrdiff_t mine = 0, first = 0, my_columns = 0, first_column = 0, i = 0, j = 0;
  const ptrdiff_t room =
      fftw_mpi_local_size_2d_transposed(rows, columns, MPI_COMM_WORLD, &mine, &first, &my_columns, &first_column);
  fftw_complex *before = fftw_alloc_complex((size_t)room), *after = fftw_alloc_complex((size_t)room);
  fftw_plan there = fftw_mpi_plan_dft_2d(rows, columns, before, after, MPI_COMM_WORLD, FFTW_FORWARD,
                                         effort | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_OUT);
  fftw_plan back = fftw_mpi_plan_dft_2d(rows, columns, after, before, MPI_COMM_WORLD, FFTW_BACKWARD,
                                        effort | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_IN);
  for (i = 0; i < mine; i++) {
    for (j = 0; j < columns; j++) before[i * columns + j] = value(first + i, j);
  }
  fftw_execute(there);
  for (j = 0; j < my_columns; j++) {
    for (i = j % 5; i < rows; i += 7) {
      if (differ(after[j * rows + i], transformed(rows, columns, i, first_column + j), scale))
        wrong("%td x %td: number (%td, %td) of the transform", rows, columns, i, first_column + j);
    }
  }
  fftw_execute(back);
  for (i = 0; i < mine; i++) {
    for (j = 0; j < columns; j++) {
      if (differ(before[i * columns + j] / (double)(rows * columns), value(first + i, j), scale))
        wrong("%td x %td: number (%td, %td), there and back", rows, columns, first + i, j);
    }
  }
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  fftw_free(before);
  fftw_free(after);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  transform(16, 24, FFTW_ESTIMATE);
  transform(17, 30, FFTW_ESTIMATE); /* unequal parts: alltoallv */
  transform(24, 16, FFTW_MEASURE);  /* tries several ways */
  fftw_mpi_cleanup();
  return finish();
}
