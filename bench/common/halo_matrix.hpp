/// @file
/// Halos of a square matrix on every process of a torus: Rondo's exchange, MPI's, and those written by hand.
#ifndef RONDO_BENCH_HALO_MATRIX_HPP
#define RONDO_BENCH_HALO_MATRIX_HPP

#include "harness.hpp"
#include "plan.hpp"

#include <mpi.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct HaloPoint {
  int n;  ///< order of each process's matrix
  int depth;
  rondo::Stencil stencil;
  MPI_Datatype element;
  int bytes;  ///< of an element
};

/// First index and number of elements along one dimension.
struct Range {
  int begin;
  int count;
};

/// A square matrix on every process of a torus. `allocated`: in memory of Rondo's, which neighbors can read.
class HaloMatrix {
 public:
  explicit HaloMatrix(const HaloPoint& point, bool allocated = false)
      : point_(point),
        width_(point.n + 2 * point.depth),
        grid_(MPI_COMM_WORLD, processes(), rondo::Neighborhood(2)),
        private_(allocated ? 0 : bytes()),
        allocated_(allocated ? bytes() : 0),
        values_(allocated ? allocated_.span() : std::span(private_)) {
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        const bool corner = i != 0 && j != 0;
        if ((i == 0 && j == 0) || (corner && point.stencil == rondo::Stencil::star && point.depth == 1)) continue;
        targets_.push_back(grid_.relative_rank({i, j}));
        sources_.push_back(grid_.relative_rank({-i, -j}));
        send_types_.push_back(region(sent(i), sent(j), corner, -i, -j));
        recv_types_.push_back(region(received(-i), received(-j), corner, -i, -j));
      }
    }
    counts_.assign(targets_.size(), 1);
    places_.assign(targets_.size(), 0);
    const int t = static_cast<int>(targets_.size());
    MPI_Dist_graph_create_adjacent(grid_.native(), t, sources_.data(), MPI_UNWEIGHTED, t, targets_.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
    // Whole slabs, for the exchange of one dimension after the other.
    for (const int direction : {-1, 1}) {
      const Range inside{point.depth, point.n};
      slab_sends_.push_back(region(inside, sent(direction), false, 0, 0));
      slab_recvs_.push_back(region(inside, received(-direction), false, 0, 0));
    }
    for (const int direction : {-1, 1}) {
      slab_sends_.push_back(region(sent(direction), {0, width_}, false, 0, 0));
      slab_recvs_.push_back(region(received(-direction), {0, width_}, false, 0, 0));
    }
  }
  HaloMatrix(const HaloMatrix&) = delete;
  HaloMatrix& operator=(const HaloMatrix&) = delete;
  ~HaloMatrix() {
    for (auto* types : {&send_types_, &recv_types_, &slab_sends_, &slab_recvs_}) {
      for (MPI_Datatype& type : *types) MPI_Type_free(&type);
    }
    requests_.clear();
    MPI_Comm_free(&graph_);
  }

  Variant rondo_halo(const char* algorithm) {
    rondo::Options options;
    options.algorithm = rondo::algorithm_from(algorithm);
    const std::vector<rondo::HaloDepth> depths(2, {point_.depth, point_.depth});
    requests_.push_back(rondo::halo_init(grid_, {values_.data(), -1, point_.element, {width_, width_}, depths},
                                         point_.stencil, options));
    std::string name = std::string("rondo ") + algorithm + (allocated_.empty() ? "" : ", allocated");
    if (std::strcmp(algorithm, "auto") == 0) name += " (" + plan_of(requests_.back()) + ")";
    Rondo_Request request = requests_.back().native();
    return make(std::move(name), true, [request](int times) mutable {
      for (int k = 0; k < times; ++k) {
        Rondo_Start(&request);
        Rondo_Wait(&request, MPI_STATUS_IGNORE);
      }
    });
  }

  Variant mpi_neighbor_alltoallw() {
    return make("MPI_Neighbor_alltoallw", false, [this](int times) {
      for (int k = 0; k < times; ++k) {
        MPI_Neighbor_alltoallw(values_.data(), counts_.data(), places_.data(), send_types_.data(), values_.data(),
                               counts_.data(), places_.data(), recv_types_.data(), graph_);
      }
    });
  }

  Variant isend_irecv() {
    return make("Isend/Irecv", false, [this](int times) {
      std::array<MPI_Request, 16> requests{};
      const std::size_t t = targets_.size();
      for (int k = 0; k < times; ++k) {
        for (std::size_t i = 0; i < t; ++i)
          MPI_Irecv(values_.data(), 1, recv_types_[i], sources_[i], static_cast<int>(i), graph_, &requests[i]);
        for (std::size_t i = 0; i < t; ++i)
          MPI_Isend(values_.data(), 1, send_types_[i], targets_[i], static_cast<int>(i), graph_, &requests[t + i]);
        MPI_Waitall(static_cast<int>(2 * t), requests.data(), MPI_STATUSES_IGNORE);
      }
    });
  }

  /// Columns, then rows with what the columns brought: the four messages that everybody writes for 9 points.
  Variant by_dimension() {
    return make("dimension by dimension", false, [this](int times) {
      for (int k = 0; k < times; ++k) {
        for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
          std::array<MPI_Request, 4> requests{};
          for (std::size_t i = 0; i < 2; ++i) {
            const int step = i == 0 ? -1 : 1;
            const int target = first == 0 ? grid_.relative_rank({0, step}) : grid_.relative_rank({step, 0});
            const int source = first == 0 ? grid_.relative_rank({0, -step}) : grid_.relative_rank({-step, 0});
            const int tag = static_cast<int>(i);
            MPI_Irecv(values_.data(), 1, slab_recvs_[first + i], source, tag, graph_, &requests[i]);
            MPI_Isend(values_.data(), 1, slab_sends_[first + i], target, tag, graph_, &requests[2 + i]);
          }
          MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
        }
      }
    });
  }

 private:
  static std::vector<int> processes() {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    std::vector<int> sizes(2, 0);
    MPI_Dims_create(p, 2, sizes.data());
    return sizes;
  }

  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(width_) * static_cast<std::size_t>(point_.bytes);
  }
  [[nodiscard]] Range sent(int direction) const {
    if (direction == 0) return {point_.depth, point_.n};
    return {direction < 0 ? point_.depth : point_.n, point_.depth};
  }
  [[nodiscard]] Range received(int direction) const {
    if (direction == 0) return {point_.depth, point_.n};
    return {direction < 0 ? 0 : point_.depth + point_.n, point_.depth};
  }

  /// Some rows and columns, or, of a star's corner, a triangle of them; `vertical` and `horizontal`: on which side it
  /// lies of the process that receives it.
  [[nodiscard]] MPI_Datatype region(Range rows, Range columns, bool corner, int vertical, int horizontal) const {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (!corner || point_.stencil == rondo::Stencil::box) {
      const std::array sizes{width_, width_};
      const std::array counts{rows.count, columns.count};
      const std::array begins{rows.begin, columns.begin};
      MPI_Type_create_subarray(2, sizes.data(), counts.data(), begins.data(), MPI_ORDER_C, point_.element, &type);
    } else {
      std::vector<int> lengths;
      std::vector<int> places;
      for (int i = 0; i < rows.count; ++i) {
        const int excess = vertical < 0 ? rows.count - i : i + 1;
        const int length = point_.depth - excess;
        lengths.push_back(length);
        places.push_back((rows.begin + i) * width_ + columns.begin + (horizontal < 0 ? columns.count - length : 0));
      }
      MPI_Type_indexed(rows.count, lengths.data(), places.data(), point_.element, &type);
    }
    MPI_Type_commit(&type);
    return type;
  }

  /// What element (row, column), counted from the first one inside, of a process is, in its first byte.
  [[nodiscard]] char content(int rank, int row, int column) const {
    return static_cast<char>(rank * 29 + row * 7 + column * 3);
  }

  Variant make(std::string name, bool ours, std::function<void(int)> run) {
    return {std::move(name), ours, run, [this, run] { return verify(run); }};
  }

  bool verify(const std::function<void(int)>& run) {
    const auto first_byte = [&](int i, int j) -> char& {
      return values_[(static_cast<std::size_t>(i) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(j)) *
                     static_cast<std::size_t>(point_.bytes)];
    };
    for (int i = 0; i < width_; ++i) {
      for (int j = 0; j < width_; ++j) first_byte(i, j) = content(grid_.rank(), i - point_.depth, j - point_.depth);
    }
    run(1);
    const auto side = [&](int i) { return i < point_.depth ? -1 : i >= point_.depth + point_.n ? 1 : 0; };
    const auto excess = [&](int i) { return std::max({0, point_.depth - i, i - point_.depth - point_.n + 1}); };
    for (int i = 0; i < width_; ++i) {
      for (int j = 0; j < width_; ++j) {
        if (point_.stencil == rondo::Stencil::star && excess(i) + excess(j) > point_.depth) continue;
        const int owner = grid_.relative_rank({side(i), side(j)});
        const int row = i - point_.depth - side(i) * point_.n;
        const int column = j - point_.depth - side(j) * point_.n;
        if (first_byte(i, j) != content(owner, row, column)) return false;
      }
    }
    return true;
  }

  HaloPoint point_;
  int width_;
  rondo::CartComm grid_;
  std::vector<char> private_;
  rondo::Array<char> allocated_;
  std::span<char> values_;  ///< one of them
  std::vector<int> targets_;
  std::vector<int> sources_;
  std::vector<MPI_Datatype> send_types_;
  std::vector<MPI_Datatype> recv_types_;
  std::vector<MPI_Datatype> slab_sends_;  ///< columns left and right, then rows up and down
  std::vector<MPI_Datatype> slab_recvs_;
  std::vector<int> counts_;
  std::vector<MPI_Aint> places_;
  std::vector<rondo::Request> requests_;
  MPI_Comm graph_ = MPI_COMM_NULL;
};

}  // namespace bench

#endif
