/// @file
/// Names of settings that nothing reads: a slip of the user's, which is told in the log.
#ifndef RONDO_COLLECTIVES_SETTINGS_UNKNOWN_NAMES_HPP
#define RONDO_COLLECTIVES_SETTINGS_UNKNOWN_NAMES_HPP

#include <mpi.h>

#include <span>
#include <string>
#include <string_view>

namespace rondo::internal {

/// What to say of a name that is none of `known`, with the nearest of them where one is near; empty where it is.
[[nodiscard]] std::string complaint_about(std::string_view name, std::span<const std::string> known);

/// Warns, once and on rank 0 of MPI_COMM_WORLD alone, of variables of the environment that begin with RONDO_ and that
/// nothing reads, but for those of module files and CMake. `of_settings`: those that settings are taken from. Local.
void warn_of_unknown_variables(std::span<const std::string> of_settings);

/// Warns, once for each and on rank 0 of `comm` alone, of keys that begin with rondo_ and are none of `known`. Local.
/// Throws Error with MPI's class.
void warn_of_unknown_keys(MPI_Info info, std::span<const std::string> known, MPI_Comm comm);

}  // namespace rondo::internal

#endif
