/// @file
/// Choosing among the algorithms of a collective of the user's own.
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

/// One algorithm of a collective of the user's own: see OwnAlgorithm.
struct OwnWay {
  std::string name;
  OwnLowering lower;
  std::function<double(const rondo::Machine&, int)> predict{};
};

/// What an own collective that has but one algorithm reports.
inline constexpr const char* kOwnAlgorithm = "own";

/// Which of several ways runs, and what each is predicted to take.
struct OwnChoice {
  std::size_t way = 0;
  std::vector<Candidate> candidates{};  ///< the chosen one first; none where there is but one way
};

/// Throws Error, MPI_ERR_ARG, where there are none, or names that do not tell them apart.
void check_ways(std::span<const OwnWay> ways);
/// Which ways these are, as one number.
[[nodiscard]] std::uint64_t hash_of_names(std::span<const OwnWay> ways);
/// What each of them is predicted to take, in nanoseconds. Local; throws what they throw.
void predict_ways(std::span<const OwnWay> ways, const CallState& calls, const Settings& settings,
                  std::span<double> times);
/// Of several, the one that is predicted to be the fastest; of those, the first.
[[nodiscard]] OwnChoice fastest(std::span<const OwnWay> ways, std::span<const double> times);

/// For people: what was chosen, from what and why, and what this rank sends.
[[nodiscard]] std::string explain_own(const Chosen& chosen);

}  // namespace rondo::internal

#endif
