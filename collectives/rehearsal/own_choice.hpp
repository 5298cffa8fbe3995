/// @file
/// OwnWay, OwnChoice, and functions that choose among the algorithms of a user-defined collective.
#ifndef RONDO_COLLECTIVES_REHEARSAL_OWN_CHOICE_HPP
#define RONDO_COLLECTIVES_REHEARSAL_OWN_CHOICE_HPP

#include <rondo/basics/machine.hpp>

#include "collectives/comm_state/comm_state.hpp"
#include "collectives/own/own_builder.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/settings/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// One algorithm of a user-defined collective: see OwnAlgorithm.
struct OwnWay {
  std::string name;
  OwnLowering lower;
  std::function<double(const rondo::Machine&, int)> predict{};
};

/// Name of the algorithm that a user-defined collective reports if it has only one.
inline constexpr const char* kOwnAlgorithm = "own";

/// The choice among several ways: the index of the way that runs, and the predicted time of each way.
struct OwnChoice {
  std::size_t way = 0;
  std::vector<Candidate> candidates{};  ///< the chosen one first; empty if there is only one way
};

/// Checks the ways. Throws Error (MPI_ERR_ARG) if there are none, or if two have the same name or one has no name.
void check_ways(std::span<const OwnWay> ways);
/// Returns a hash of the names of the ways.
[[nodiscard]] std::uint64_t hash_of_names(std::span<const OwnWay> ways);
/// Writes the predicted time of each way, in nanoseconds, to `times`. Local. Throws what the ways throw.
void predict_ways(std::span<const OwnWay> ways, const CallState& calls, const Settings& settings,
                  std::span<double> times);
/// Chooses the way that is predicted to be the fastest; if several are, the first of them.
[[nodiscard]] OwnChoice fastest(std::span<const OwnWay> ways, std::span<const double> times);

/// Returns a text for people that says which algorithm was chosen, among which and why, and which messages this rank
/// sends and receives.
[[nodiscard]] std::string explain_own(const Chosen& chosen);

}  // namespace rondo::internal

#endif
