/// @file
/// The Cartesian alltoall algorithms, and the table of them from which one is chosen.
#ifndef RONDO_COLLECTIVES_ALLTOALL_ALGORITHMS_HPP
#define RONDO_COLLECTIVES_ALLTOALL_ALGORITHMS_HPP

#include "collectives/alltoall_problem.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace rondo {

/// Which blocks for one process share a message.
enum class Coalescing : std::uint8_t {
  always,        ///< all of them
  where_it_pays  ///< as the cost model says: a message that grows past the eager limit costs more than it saves
};

void build_direct_alltoall(const AlltoallProblem& problem, ScheduleBuilder& builder);
void build_coalesced_alltoall(const AlltoallProblem& problem, ScheduleBuilder& builder, Coalescing coalescing);
/// Needs a uniform problem: a process must know the sizes of the blocks that only pass through it.
void build_combining_alltoall(const AlltoallProblem& problem, ScheduleBuilder& builder);

/// One row of the registry.
struct AlltoallAlgorithm {
  std::string_view name;
  bool needs_uniform;  ///< applies only where block sizes are known to agree
  bool selectable;     ///< by name; the others are candidates of `auto` only
  void (*build)(const AlltoallProblem&, ScheduleBuilder&);
};
[[nodiscard]] std::span<const AlltoallAlgorithm> alltoall_algorithms();

/// A schedule and what it is called.
struct ChosenAlltoall {
  std::shared_ptr<const Schedule> schedule;
  std::string algorithm;
  std::string note;  ///< what was asked for and could not be had; empty otherwise
};

/// Builds the algorithm of that name, or for "auto" the candidate that the cost model predicts to be cheapest. Decided
/// from what all ranks know, so that all choose alike. Throws Error, MPI_ERR_INFO_VALUE, for an unknown name.
[[nodiscard]] ChosenAlltoall choose_alltoall(const AlltoallProblem& problem, std::string_view algorithm,
                                             Ordering ordering, MessageForm form = MessageForm::automatic);

/// Whether `name` is "auto" or a selectable algorithm.
[[nodiscard]] bool is_alltoall_algorithm(std::string_view name);

}  // namespace rondo

#endif
