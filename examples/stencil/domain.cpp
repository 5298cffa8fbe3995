#include "domain.hpp"

#include <algorithm>
#include <string>

namespace stencil {
namespace {

/// The part of a dimension of `cells` at the process's coordinate `k`; throws when there are too few cells.
Extent my_part(const rondo::CartComm& torus, const std::vector<int>& processes, std::size_t k, int cells) {
  if (cells < processes[k]) {
    throw InputError("the grid has " + std::to_string(cells) + (k == 0 ? " rows" : " columns") + " for " +
                     std::to_string(processes[k]) + " processes: use fewer ranks or a larger grid");
  }
  return part_of(cells, processes[k], torus.coordinates()[k]);
}

}  // namespace

Extent part_of(int cells, int parts, int part) {
  const int begin = part * (cells / parts) + std::min(part, cells % parts);
  return {begin, cells / parts + (part < cells % parts ? 1 : 0)};
}

ColumnType::ColumnType(int rows, int columns) {
  MPI_Type_vector(rows, 1, columns + 2, MPI_DOUBLE, &type_);
  MPI_Type_commit(&type_);
}

Domain::Domain(rondo::CartComm& torus, std::vector<int> processes, int rows, int columns)
    : torus_(torus),
      processes_(std::move(processes)),
      all_rows_(rows),
      all_columns_(columns),
      rows_(my_part(torus, processes_, 0, rows)),
      columns_(my_part(torus, processes_, 1, columns)),
      column_(rows_.size, columns_.size) {
  for (auto& cells : cells_) {
    cells.assign(static_cast<std::size_t>(rows_.size + 2) * static_cast<std::size_t>(columns_.size + 2), 0.0);
  }
}

std::vector<rondo::SendBlock> Domain::halo_out(int which) {
  const Tile<double> own = tile(which);
  std::vector<rondo::SendBlock> blocks;
  for (int a = -1; a <= 1; ++a) {
    for (int b = -1; b <= 1; ++b) {
      if (a == 0 && b == 0) continue;
      double* first = &own.at(a > 0 ? own.rows - 1 : 0, b > 0 ? own.columns - 1 : 0);
      if (a == 0)
        blocks.push_back({first, 1, column_.get()});
      else
        blocks.push_back({first, b == 0 ? own.columns : 1, MPI_DOUBLE});
    }
  }
  return blocks;
}

std::vector<rondo::RecvBlock> Domain::halo_in(int which) {
  const Tile<double> own = tile(which);
  std::vector<rondo::RecvBlock> blocks;
  for (int a = -1; a <= 1; ++a) {
    for (int b = -1; b <= 1; ++b) {
      if (a == 0 && b == 0) continue;
      // What was sent towards (a, b) comes from -(a, b): the opposite side of the border.
      double* first = &own.at(a > 0 ? -1 : a < 0 ? own.rows : 0, b > 0 ? -1 : b < 0 ? own.columns : 0);
      if (a == 0)
        blocks.push_back({first, 1, column_.get()});
      else
        blocks.push_back({first, b == 0 ? own.columns : 1, MPI_DOUBLE});
    }
  }
  return blocks;
}

template <typename Visit>
void Domain::for_each_rank_piece(Visit visit) const {
  for (int rank = 0; rank < torus_.size(); ++rank) {
    visit(rank, part_of(all_rows_, processes_[0], rank / processes_[1]),
          part_of(all_columns_, processes_[1], rank % processes_[1]));
  }
}

void Domain::scatter(const std::vector<double>& plane, int which) {
  const MPI_Comm comm = torus_.native();
  std::vector<double> piece;
  const auto unpack = [&] {
    const Tile<double> own = tile(which);
    for (int i = 0; i < own.rows; ++i) std::copy_n(piece.begin() + i * own.columns, own.columns, &own.at(i, 0));
  };
  if (torus_.rank() != 0) {
    piece.resize(static_cast<std::size_t>(rows_.size) * static_cast<std::size_t>(columns_.size));
    MPI_Recv(piece.data(), static_cast<int>(piece.size()), MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    unpack();
    return;
  }
  std::vector<double> own_piece;
  for_each_rank_piece([&](int rank, Extent rows, Extent columns) {
    piece.clear();
    for (int i = rows.begin; i < rows.begin + rows.size; ++i) {
      const auto row = plane.begin() + std::ptrdiff_t{i} * all_columns_ + columns.begin;
      piece.insert(piece.end(), row, row + columns.size);
    }
    if (rank == 0)
      own_piece = piece;
    else
      MPI_Send(piece.data(), static_cast<int>(piece.size()), MPI_DOUBLE, rank, 0, comm);
  });
  piece = own_piece;
  unpack();
}

void Domain::gather(std::vector<double>& plane, int which) {
  const MPI_Comm comm = torus_.native();
  std::vector<double> own_piece;
  const Tile<double> own = tile(which);
  for (int i = 0; i < own.rows; ++i) own_piece.insert(own_piece.end(), &own.at(i, 0), &own.at(i, 0) + own.columns);
  if (torus_.rank() != 0) {
    MPI_Send(own_piece.data(), static_cast<int>(own_piece.size()), MPI_DOUBLE, 0, 0, comm);
    return;
  }
  for_each_rank_piece([&](int rank, Extent rows, Extent columns) {
    std::vector<double> piece = own_piece;
    piece.resize(static_cast<std::size_t>(rows.size) * static_cast<std::size_t>(columns.size));
    if (rank != 0) MPI_Recv(piece.data(), static_cast<int>(piece.size()), MPI_DOUBLE, rank, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < rows.size; ++i) {
      std::copy_n(piece.begin() + std::ptrdiff_t{i} * columns.size, columns.size,
                  plane.begin() + std::ptrdiff_t{rows.begin + i} * all_columns_ + columns.begin);
    }
  });
}

}  // namespace stencil
