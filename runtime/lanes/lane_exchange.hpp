/// @file
/// LaneExchange: how the ranks of a communicator come to use lanes.
#ifndef RONDO_RUNTIME_LANES_LANE_EXCHANGE_HPP
#define RONDO_RUNTIME_LANES_LANE_EXCHANGE_HPP

#include <mpi.h>

#include "runtime/lanes/lane_table.hpp"
#include "runtime/shared_memory/node_card.hpp"
#include "runtime/shared_memory/segment.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rondo::internal {

/// The offer of a rank to another rank of its node: a lane in the offering rank's memory, into which the other
/// rank may write.
struct LaneOffer {
  NodeCard node;
  SegmentCard segment;
  std::uint64_t region;   ///< offset in the segment
  std::uint64_t lines;    ///< length of the lane in cache lines; 0: there is no lane
  std::uint64_t context;  ///< a number that this rank has drawn for the communicator; the number of the lower of the
                          ///< two ranks counts
};
static_assert(std::is_trivially_copyable_v<LaneOffer>);

/// Returns a number that is equal for all ranks that might share memory, as far as one number can tell; 0 if this rank
/// shares memory with no other.
[[nodiscard]] std::uint64_t node_number(const NodeCard& card) noexcept;

/// Returns how many of the `processes` of an MPI_COMM_WORLD may be on this node: all, unless the launcher says in the
/// environment how many are.
[[nodiscard]] int processes_with_lanes(int processes) noexcept;

/// Returns the lines of a lane to one partner, for a budget of `budget` bytes and up to `processes` processes on the
/// node. All lanes together take at most a quarter of the budget, unless even the shortest lanes do not fit. Each end
/// of a pair decides on the lane in its own memory, and tells the other end its length.
[[nodiscard]] std::size_t lines_of_lane(std::size_t budget, int processes) noexcept;

/// Agrees with partners on lanes. Ranks of one node send each other offers; then each tells the other whether it can
/// write there. Both then know what goes through lanes. All memory is allocated before the first offer, so that nothing
/// can fail on one rank alone afterwards. Two processes that already have lanes use them.
class LaneExchange {
 public:
  /// A rank with the same node_number() as this one.
  struct Candidate {
    int rank;
    int world_rank;  ///< the candidate's rank in the MPI_COMM_WORLD of this process
  };
  /// Takes part on a communicator of `ranks` ranks. Throws std::bad_alloc, and Error if the environment is wrong.
  LaneExchange(int rank, int ranks, std::span<const Candidate> candidates, SharedMemory use);

  struct Partner {
    int rank;
    LaneOffer own;
    LaneOffer theirs;
    std::uint64_t own_answer;  ///< 1: this rank writes into the partner's lane
    std::uint64_t their_answer;
  };
  [[nodiscard]] std::span<Partner> partners() noexcept { return partners_; }
  /// Returns memory for the requests of one exchange: one message each way with each partner.
  [[nodiscard]] std::span<MPI_Request> requests() noexcept { return requests_; }
  /// Finds the answers. Call when the offers of all partners have arrived. A partner may use its lane as soon as it has
  /// an answer.
  void answer() noexcept;
  /// Returns the table of lanes, or null if there is no lane. Call when the answers of all partners have arrived.
  [[nodiscard]] std::shared_ptr<const LaneTable> settle() noexcept;
  /// Returns why some ranks of this node have no lane, for people: one line for each reason.
  [[nodiscard]] const std::vector<std::string>& obstacles() const noexcept { return obstacles_; }

 private:
  void open(std::size_t place);
  void note(const std::string& obstacle);

  int rank_;
  std::vector<Partner> partners_;
  std::vector<Lane*> lanes_;  ///< at the same places as partners_
  std::vector<MPI_Request> requests_;
  std::shared_ptr<LaneTable> table_;
  std::vector<std::string> obstacles_;
};

}  // namespace rondo::internal

#endif
