/// @file
/// The values of rondo_algorithm: one vocabulary for all collectives, as a communicator has one setting. Not every
/// collective has an algorithm of every name.
#ifndef RONDO_COLLECTIVES_SETTINGS_ALGORITHM_NAMES_HPP
#define RONDO_COLLECTIVES_SETTINGS_ALGORITHM_NAMES_HPP

#include <string_view>

namespace rondo::internal {

/// Throws Error, MPI_ERR_INFO_VALUE, unless it is "auto", one of a collective's registry, or kOwnPrefix and a name:
/// which algorithms are offered is the communicators' matter.
void check_algorithm_name(std::string_view name);

}  // namespace rondo::internal

#endif
