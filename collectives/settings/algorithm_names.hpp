/// @file
/// parse_algorithms(): reads values of rondo_algorithm. The names are the same for all collectives, because a
/// communicator has one setting. Not every collective has an algorithm of every name.
#ifndef RONDO_COLLECTIVES_SETTINGS_ALGORITHM_NAMES_HPP
#define RONDO_COLLECTIVES_SETTINGS_ALGORITHM_NAMES_HPP

#include <string>
#include <string_view>

namespace rondo::internal {

/// Names of kinds of collectives for which rondo_algorithm can name a separate algorithm; see also kind_of_dense().
inline constexpr std::string_view kHaloKind = "halo";
inline constexpr std::string_view kCartAlltoallKind = "cart_alltoall";
inline constexpr std::string_view kCartAllgatherKind = "cart_allgather";
inline constexpr std::string_view kCartReduceKind = "cart_reduce";

/// A parsed value of rondo_algorithm: a name, or names of kinds and of their algorithms, with commas between them.
struct AskedAlgorithms {
  std::string of_others = "auto";  ///< for kinds that are not in the list
  std::string of_kinds{};          ///< for kinds: "halo:combining,bcast:tree", or empty
};

/// Parses a value of rondo_algorithm. Throws Error (MPI_ERR_INFO_VALUE) unless each name is "auto", one of its kind's
/// registry or, if no kind is given, of any; or, for dense kinds or without a kind, kOwnPrefix and a name, because it
/// depends on the communicator which algorithms are offered. Also throws if a kind is unknown, or a kind or a name
/// without a kind comes twice.
[[nodiscard]] AskedAlgorithms parse_algorithms(std::string_view value);

/// Returns the algorithm of a kind in a list such as AskedAlgorithms::of_kinds, or an empty name if there is none.
[[nodiscard]] std::string_view algorithm_in(std::string_view of_kinds, std::string_view kind) noexcept;

}  // namespace rondo::internal

#endif
