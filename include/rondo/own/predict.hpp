/// @file
/// What a collective of one's own takes on a machine that need not exist.
#ifndef RONDO_OWN_PREDICT_HPP
#define RONDO_OWN_PREDICT_HPP

#include <rondo/basics/cpp20.hpp>

#include <rondo/basics/machine.hpp>
#include <rondo/options.hpp>
#include <rondo/schedule.hpp>

#include <cstdint>
#include <vector>

namespace rondo {

/// What a predict() has found.
struct PredictedTime {
  double nanoseconds = 0;          ///< until the last rank has ended, where all start at once
  std::vector<double> ranks{};     ///< until each has
  std::int64_t far_messages = 0;   ///< sent from node to node
  std::int64_t far_bytes = 0;      ///< in these
  std::int64_t near_messages = 0;  ///< sent on a node
  std::int64_t near_bytes = 0;     ///< in these
};

/// Runs all ranks of `size` in this process on a simulated machine, in which each rank has a clock: messages queue at
/// the ports of their nodes, and cores spend time on messages, copies and reductions; functions of compute tasks are
/// not called and take no time. No data moves, and nothing is random: the same lowering takes the same time always.
/// `schedule` and `messages` of `options` count.
///
/// Local. 10,000 messages take some 30 ms. MPI must run where the lowering uses MPI datatypes. Throws Error:
/// MPI_ERR_ARG where `size` is less than 1, where costs are negative or `machine.nodes` has not a node for each rank,
/// and where the messages of the ranks do not match, or hang (check() tells which); and what the lowering throws.
[[nodiscard]] PredictedTime predict(const Lowering& lower, int size, const Machine& machine,
                                    const Options& options = {});

}  // namespace rondo

#endif
