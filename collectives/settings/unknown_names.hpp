/// @file
/// Functions that warn of names of settings that nothing reads, because of a typing error of the user.
#ifndef RONDO_COLLECTIVES_SETTINGS_UNKNOWN_NAMES_HPP
#define RONDO_COLLECTIVES_SETTINGS_UNKNOWN_NAMES_HPP

#include <mpi.h>

#include <span>
#include <string>
#include <string_view>

namespace rondo::internal {

/// Returns a complaint about a name that is not in `known`, with the nearest known name if one is near. Returns an
/// empty text if the name is known or `known` is empty.
[[nodiscard]] std::string complaint_about(std::string_view name, std::span<const std::string> known);

/// Warns in the log, once and only on rank 0 of MPI_COMM_WORLD, of environment variables that begin with RONDO_ and
/// that nothing reads, except those of module files, CMake and tests. `of_settings`: the variables of settings. Local.
void warn_of_unknown_variables(std::span<const std::string> of_settings);

/// Warns in the log, once for each key and only on rank 0 of `comm`, of keys that begin with rondo_ and are not in
/// `known`. Local. Throws Error with MPI's class.
void warn_of_unknown_keys(MPI_Info info, std::span<const std::string> known, MPI_Comm comm);

}  // namespace rondo::internal

#endif
