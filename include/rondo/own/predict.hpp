/// @file
/// Predicts the time of a user-defined collective on a machine that need not exist.
#ifndef RONDO_OWN_PREDICT_HPP
#define RONDO_OWN_PREDICT_HPP

#include <rondo/basics/cpp20.hpp>

#include <rondo/basics/machine.hpp>
#include <rondo/options.hpp>
#include <rondo/schedule.hpp>

#include <cstdint>
#include <vector>

namespace rondo {

/// The result of a predict().
struct PredictedTime {
  double nanoseconds = 0;          ///< until the last rank has ended, if all start at once
  std::vector<double> ranks{};     ///< until each rank has ended
  std::int64_t far_messages = 0;   ///< sent from node to node
  std::int64_t far_bytes = 0;      ///< bytes of the messages from node to node
  std::int64_t near_messages = 0;  ///< sent on a node
  std::int64_t near_bytes = 0;     ///< bytes of the messages on a node
};

/// Simulates all `size` ranks in this process on a machine in which each rank has a clock: messages queue at the ports
/// of their nodes, and cores spend time on messages, copies and reductions; functions of compute tasks are not called
/// and take no time. No data moves, and nothing is random: the same lowering always takes the same time. Of `options`,
/// `schedule` and `messages` count.
///
/// Local. 10,000 messages take some 30 ms. MPI must run if the lowering uses MPI datatypes. Throws Error: MPI_ERR_ARG
/// if `size` is less than 1, if costs are negative or `machine.nodes` lacks the node of a rank, and if the messages of
/// the ranks do not match, or hang (check() says which); and the exceptions of the lowering.
[[nodiscard]] PredictedTime predict(const Lowering& lower, int size, const Machine& machine,
                                    const Options& options = {});

}  // namespace rondo

#endif
