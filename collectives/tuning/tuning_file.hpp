/// @file
/// The tuning file: costs that were measured on a machine, with an MPI and a number of ranks.
#ifndef RONDO_COLLECTIVES_TUNING_TUNING_FILE_HPP
#define RONDO_COLLECTIVES_TUNING_TUNING_FILE_HPP

#include "collectives/tuning/dense_costs.hpp"
#include "collectives/tuning/measured_times.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal {

struct TuningEntry {
  int ranks;
  double ranks_per_core;
  CostParameters costs;
  MeasuredTimes times{};         ///< that the costs were fitted to
  Medium through = Medium::mpi;  ///< of the messages that were measured
};

struct TuningFile {
  std::string mpi;      ///< mpi_name() of what was measured
  std::string machine;  ///< machine_name() of where it was measured, for people
  std::vector<TuningEntry> entries;
};

/// Name and version of the MPI that runs: "Open MPI v4.1.4".
[[nodiscard]] std::string mpi_name();

/// Name and cores of the machine that runs: "node7, 64 cores".
[[nodiscard]] std::string machine_name();
/// The latter part of such a name.
[[nodiscard]] std::string_view cores_of(std::string_view machine);

/// As JSON, and back. The latter throws Error, MPI_ERR_FILE, that names what is missing or wrong. An entry that does
/// not say through what it was measured is of MPI.
[[nodiscard]] std::string print_tuning(const TuningFile& tuning);
[[nodiscard]] TuningFile parse_tuning(std::string_view json);

/// Reads a file. Throws Error: MPI_ERR_NO_SUCH_FILE; MPI_ERR_FILE for one that is not a tuning file, that has no
/// entries, or that is of another MPI.
[[nodiscard]] TuningFile read_tuning(const std::string& path);

/// Of what was measured through that medium, the entry of the nearest number of ranks among those of the nearest load
/// of the cores. Null where nothing was.
[[nodiscard]] const TuningEntry* nearest_entry(const TuningFile& tuning, Medium through, int ranks,
                                               double ranks_per_core);
/// As the file has it: "mpi", "slots", "lanes".
[[nodiscard]] std::string_view name_of(Medium medium) noexcept;

}  // namespace rondo::internal

#endif
