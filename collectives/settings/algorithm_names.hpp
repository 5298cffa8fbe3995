/// @file
/// The values of rondo_algorithm: one vocabulary for all collectives, as a communicator has one setting. Not every
/// collective has an algorithm of every name.
#ifndef RONDO_COLLECTIVES_SETTINGS_ALGORITHM_NAMES_HPP
#define RONDO_COLLECTIVES_SETTINGS_ALGORITHM_NAMES_HPP

#include <string>
#include <string_view>

namespace rondo::internal {

/// Kinds of collectives for which rondo_algorithm can name an algorithm of their own; see also kind_of_dense().
inline constexpr std::string_view kHaloKind = "halo";
inline constexpr std::string_view kCartAlltoallKind = "cart_alltoall";
inline constexpr std::string_view kCartAllgatherKind = "cart_allgather";
inline constexpr std::string_view kCartReduceKind = "cart_reduce";

/// A value of rondo_algorithm: a name, or names of kinds and of their algorithms, with commas between them.
struct AskedAlgorithms {
  std::string of_others = "auto";  ///< of the kinds that are not in the list
  std::string of_kinds{};          ///< "halo:combining,bcast:tree", or empty
};

/// Takes such a value apart. Throws Error, MPI_ERR_INFO_VALUE, unless each name is "auto", one of its kind's registry
/// or, where no kind is given, of any; or kOwnPrefix and a name, as which algorithms are offered is the communicators'
/// matter.
[[nodiscard]] AskedAlgorithms parse_algorithms(std::string_view value);

/// Returns the algorithm of a kind in a list as of AskedAlgorithms, or nothing.
[[nodiscard]] std::string_view algorithm_in(std::string_view of_kinds, std::string_view kind) noexcept;

}  // namespace rondo::internal

#endif
