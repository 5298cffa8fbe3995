/// @file
/// EdgeContext: the state that Rondo keeps for the edges of a communicator with an MPI topology.
#ifndef RONDO_COLLECTIVES_COMMUNICATORS_EDGE_CONTEXT_HPP
#define RONDO_COLLECTIVES_COMMUNICATORS_EDGE_CONTEXT_HPP

#include <mpi.h>

#include "collectives/blocks/block_pattern.hpp"
#include "collectives/comm_state/comm_state.hpp"
#include "collectives/edges/lists.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::internal {

class EdgeContext {
 public:
  /// Makes the context of an intracommunicator with a topology, with the environment's settings. Collective,
  /// blocking: a duplicate, two small allreduces, and the making of lanes if some rank wants shared memory.
  /// `trouble`: why this rank cannot go on, of which the others are informed. Throws Error on all ranks alike.
  explicit EdgeContext(MPI_Comm comm, std::exception_ptr trouble = nullptr);

  [[nodiscard]] const edges::Lists& lists() const noexcept { return lists_; }
  [[nodiscard]] CallState& calls() noexcept { return *calls_; }
  [[nodiscard]] double ranks_per_core() const noexcept { return calls_->on()->ranks_per_core(); }
  /// Returns whether there are several ranks, all on one node and with lanes; the same on all of them.
  [[nodiscard]] bool is_all_in_lanes() const noexcept {
    const CommState& state = *calls_->on();
    return state.size() > 1 && state.on_one_node() && state.counts_on_lanes();
  }
  /// Returns whether some process has two edges that lead to one process.
  [[nodiscard]] bool has_parallel_edges() const noexcept { return parallel_edges_; }
  /// Returns the most edges, in or out, that any rank has.
  [[nodiscard]] std::size_t most_edges() const noexcept { return most_edges_; }
  /// Returns the most tags that an operation needs on any rank.
  [[nodiscard]] std::uint32_t most_tags() const noexcept { return most_tags_; }
  [[nodiscard]] BlockPattern pattern() const noexcept;

 private:
  edges::Lists lists_;
  std::size_t most_edges_ = 0;
  bool parallel_edges_ = false;
  std::uint32_t most_tags_ = 0;
  std::vector<char> existing_targets_;  ///< see ExistingBlocks
  std::vector<char> existing_sources_;
  std::vector<BlockPair> to_self_;
  std::optional<CallState> calls_;
};

}  // namespace rondo::internal

#endif
