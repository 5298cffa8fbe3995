/// @file
/// A matrix of which each process has some rows, and its transpose, of which each has some rows as well: what goes from
/// one to the other is an alltoall.
#ifndef RONDO_EXAMPLES_FFT2D_TRANSPOSE_HPP
#define RONDO_EXAMPLES_FFT2D_TRANSPOSE_HPP

#include "fft.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace fft2d {

/// [begin, begin + size), which is part `part` of `parts` of all.
struct Range {
  int begin;
  int size;
};
[[nodiscard]] inline Range part_of(int all, int parts, int part) {
  const int begin = static_cast<int>(static_cast<long long>(all) * part / parts);
  const int end = static_cast<int>(static_cast<long long>(all) * (part + 1) / parts);
  return {begin, end - begin};
}

/// The rows of a matrix that this process has, one after the other.
struct Rows {
  Rows(const rondo::Comm& comm, int all_rows, int columns)
      : all(all_rows),
        here(part_of(all_rows, comm.size(), comm.rank())),
        length(columns),
        values(static_cast<std::size_t>(here.size) * static_cast<std::size_t>(columns)) {}

  [[nodiscard]] Complex* at(int row, int column) {
    return values.data() + static_cast<std::ptrdiff_t>(row) * length + column;
  }
  [[nodiscard]] std::span<Complex> row(int i) { return {at(i, 0), static_cast<std::size_t>(length)}; }

  int all;
  Range here;
  int length;
  std::vector<Complex> values;
};

/// Fills `to` with the transpose of `from`, slab by slab: a slab is some of the rows that every process has, and
/// travels in an alltoall of its own. All that can be prepared is prepared here, once.
class Transpose {
 public:
  Transpose(rondo::Comm& comm, Rows& from, Rows& to, int slabs) : here_(from.here.size) {
    // Row i of `from` is column i of `to`. Columns that lie side by side begin one number after the other.
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(to.here.size, 1, to.length, MPI_CXX_DOUBLE_COMPLEX, &spread);
    MPI_Type_create_resized(spread, 0, sizeof(Complex), &column);
    MPI_Type_commit(&column);

    const int p = comm.size();
    for (int slab = 0; slab < slabs; ++slab) {
      const Range rows = part_of(from.here.size, slabs, slab);
      std::vector<rondo::SendBlock> send;
      std::vector<rondo::RecvBlock> recv;
      for (int q = 0; q < p; ++q) {
        // To process q: of each row of the slab the columns that are its rows.
        const Range columns = part_of(to.all, p, q);
        MPI_Datatype tile = MPI_DATATYPE_NULL;
        MPI_Type_vector(rows.size, columns.size, from.length, MPI_CXX_DOUBLE_COMPLEX, &tile);
        MPI_Type_commit(&tile);
        send.push_back({from.at(rows.begin, columns.begin), 1, tile});
        // From process q: the rows of its slab, each as a column here.
        const Range its = part_of(from.all, p, q);
        const Range its_rows = part_of(its.size, slabs, slab);
        recv.push_back({to.at(0, its.begin + its_rows.begin), its_rows.size, column});
      }
      exchanges_.push_back(comm.alltoallw_init(send, recv));
      for (rondo::SendBlock& block : send) MPI_Type_free(&block.type);  // Rondo has what it needs of them
    }
    MPI_Type_free(&column);
    MPI_Type_free(&spread);
  }

  /// Calls `work(i)` for each row i of `from` that this process has, in order; a slab whose rows are done is on its way
  /// while the next one is worked on.
  template <typename Work>
  void run(Work work) {
    const int slabs = static_cast<int>(exchanges_.size());
    for (int slab = 0; slab < slabs; ++slab) {
      const Range rows = part_of(here_, slabs, slab);
      for (int i = rows.begin; i < rows.begin + rows.size; ++i) {
        work(i);
        // Rondo has no thread of its own: messages move on whenever somebody asks.
        if (slab > 0) static_cast<void>(exchange(slab - 1).test());
      }
      exchange(slab).start();
    }
    for (rondo::Request& request : exchanges_) request.wait();
  }

 private:
  rondo::Request& exchange(int slab) { return exchanges_[static_cast<std::size_t>(slab)]; }

  int here_;
  std::vector<rondo::Request> exchanges_;
};

}  // namespace fft2d

#endif
