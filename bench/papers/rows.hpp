/// @file
/// What can be run of each paper: a function for each row of docs/papers.md that is simulated.
#ifndef RONDO_BENCH_PAPERS_ROWS_HPP
#define RONDO_BENCH_PAPERS_ROWS_HPP

#include "figure.hpp"

#include <span>
#include <string_view>

namespace rondo::internal::papers {

/// Quick ones are small enough that data are carried and checked.
enum class Extent : std::uint8_t { full, quick };

struct Row {
  std::string_view name;
  /// False where something is not as it must be.
  bool (*run)(Extent extent, Figure& figure);
};

/// Cartesian Collective Communication, ICPP 2019.
[[nodiscard]] std::span<const Row> cartesian_rows();
/// Isomorphic, Sparse MPI-like Collective Communication Operations, EuroMPI 2015.
[[nodiscard]] std::span<const Row> isomorphic_rows();
/// Implementing a Classic: Zero-copy All-to-all Communication with MPI Datatypes, ICS 2014.
[[nodiscard]] std::span<const Row> bruck_rows();
/// Optimized Alltoall Algorithm for Low-Diameter Network Topologies.
[[nodiscard]] std::span<const Row> slim_fly_rows();

}  // namespace rondo::internal::papers

#endif
