// Rows of a matrix become columns, as within a Fourier transform in two dimensions: by Rondo.
#include <mpi.h>
#include <rondo/rondo.hpp>

#include <complex>
#include <cstdio>
#include <vector>

using Complex = std::complex<double>;
constexpr int rows = 10, columns = 14;

static Complex value(auto i, auto j, int step) {
  return {1000.0 * step + static_cast<double>(i), static_cast<double>(j)};
}

static int run() {
  int wrong = 0;
  rondo::Comm comm(MPI_COMM_WORLD);
  const int p = comm.size(), me = comm.rank();
  const auto row_of = [p](int rank) { return rows * rank / p; };  // the first of a process
  const auto column_of = [p](int rank) { return columns * rank / p; };
  const int row = row_of(me), my_rows = row_of(me + 1) - row;
  const int column = column_of(me), my_columns = column_of(me + 1) - column;
  std::vector<Complex> by_rows(my_rows * columns), by_columns(my_columns * rows);
  // A row there becomes a column here.
  MPI_Datatype spread = MPI_DATATYPE_NULL, as_column = MPI_DATATYPE_NULL;
  MPI_Type_vector(my_columns, 1, rows, MPI_CXX_DOUBLE_COMPLEX, &spread);
  MPI_Type_create_resized(spread, 0, sizeof(Complex), &as_column);
  MPI_Type_commit(&as_column);
  std::vector<rondo::SendBlock> sent;
  std::vector<rondo::RecvBlock> received;
  for (int q = 0; q < p; ++q) {
    MPI_Datatype tile = MPI_DATATYPE_NULL;
    MPI_Type_vector(my_rows, column_of(q + 1) - column_of(q), columns, MPI_CXX_DOUBLE_COMPLEX, &tile);
    MPI_Type_commit(&tile);
    sent.push_back({by_rows.data() + column_of(q), 1, tile});
    received.push_back({by_columns.data() + row_of(q), row_of(q + 1) - row_of(q), as_column});
  }
  rondo::Request transpose = comm.alltoallw_init(sent, received);
  for (int step = 1; step <= 3; ++step) {
    for (int i = 0; i < my_rows; ++i)
      for (int j = 0; j < columns; ++j) by_rows[i * columns + j] = value(row + i, j, step);
    transpose.start();
    transpose.wait();
    for (int j = 0; j < my_columns; ++j)
      for (int i = 0; i < rows; ++i) wrong += by_columns[j * rows + i] != value(i, column + j, step);
  }
  for (rondo::SendBlock& block : sent) MPI_Type_free(&block.type);
  MPI_Type_free(&as_column);
  MPI_Type_free(&spread);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int wrong = run();
  std::printf("%d wrong numbers\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
