/// @file
/// TuningFile: costs that were measured on a machine, with an MPI and a number of ranks, and the file that has them.
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
  MeasuredTimes times{};         ///< times to which the costs were fitted
  Medium through = Medium::mpi;  ///< medium of the measured messages
};

struct TuningFile {
  std::string mpi;      ///< mpi_name() of the measured MPI
  std::string machine;  ///< machine_name() of the measured machine, for people
  std::vector<TuningEntry> entries;
};

/// Returns the name and number of cores of this machine: "node7, 64 cores".
[[nodiscard]] std::string machine_name();
/// Returns the number of cores in a name of machine_name(): "64 cores". Returns all of another name.
[[nodiscard]] std::string_view cores_of(std::string_view machine);

/// print_tuning() returns the JSON text of a tuning file, parse_tuning() the tuning file of a text. parse_tuning()
/// throws Error (MPI_ERR_FILE) that names what is missing or wrong. An entry that does not name its medium is of MPI.
[[nodiscard]] std::string print_tuning(const TuningFile& tuning);
[[nodiscard]] TuningFile parse_tuning(std::string_view json);

/// Reads the tuning file at `path`. Throws Error: MPI_ERR_NO_SUCH_FILE if it cannot be read; MPI_ERR_FILE if it is not
/// a tuning file, has no entries, or is of another MPI.
[[nodiscard]] TuningFile read_tuning(const std::string& path);

/// Returns the entry for a medium with the nearest number of ranks among those with the nearest load of the cores.
/// Returns null if nothing was measured through that medium.
[[nodiscard]] const TuningEntry* nearest_entry(const TuningFile& tuning, Medium through, int ranks,
                                               double ranks_per_core);
/// Returns the name of a medium in tuning files: "mpi", "slots" or "lanes".
[[nodiscard]] std::string_view name_of(Medium medium) noexcept;

}  // namespace rondo::internal

#endif
