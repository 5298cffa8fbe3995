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

/// What a rank tells another one that is on its node: who it is, and where that one may write.
struct LaneOffer {
  NodeCard node;
  SegmentCard segment;
  std::uint64_t region;   ///< offset in it
  std::uint64_t lines;    ///< of the lane; 0: there is none
  std::uint64_t context;  ///< a number that the lower of the two ranks has drawn for the communicator
};
static_assert(std::is_trivially_copyable_v<LaneOffer>);

/// The same for all ranks that might share memory, as far as one number can tell; 0: with nobody.
[[nodiscard]] std::uint64_t node_number(const NodeCard& card) noexcept;

/// Returns how many of the `processes` of an MPI_COMM_WORLD may be on this node: all, unless the launcher says in the
/// environment how many are.
[[nodiscard]] int processes_with_lanes(int processes) noexcept;

/// Lines of the lane that a process has for each partner, of its `budget` bytes and on a node with so many `processes`:
/// all lanes together take a quarter of the budget at most, unless there are so many that the shortest do not fit. Each
/// end of a pair decides on the lane in its own memory, and tells the other one how long that is.
[[nodiscard]] std::size_t lines_of_lane(std::size_t budget, int processes) noexcept;

/// Ranks of one node tell each other their offers, then each tells the other whether it can write there; both know then
/// what goes through lanes. All memory is taken before the first offer, so that nothing can fail on one rank alone
/// afterwards. Lanes are those that the two processes have already, if there are any.
class LaneExchange {
 public:
  /// A rank with the same node_number().
  struct Candidate {
    int rank;
    int world_rank;  ///< its rank in the MPI_COMM_WORLD of this process
  };
  /// On a communicator of so many ranks. Throws std::bad_alloc, and Error for what the environment says.
  LaneExchange(int rank, int ranks, std::span<const Candidate> candidates, SharedMemory use);

  struct Partner {
    int rank;
    LaneOffer own;
    LaneOffer theirs;
    std::uint64_t own_answer;  ///< 1: it writes into the partner's lane
    std::uint64_t their_answer;
  };
  [[nodiscard]] std::span<Partner> partners() noexcept { return partners_; }
  /// For the messages by which that is told, one each way with each partner.
  [[nodiscard]] std::span<MPI_Request> requests() noexcept { return requests_; }
  /// When all offers of partners are there: finds the answers. A partner may use its lane as soon as it has one.
  void answer() noexcept;
  /// When all answers are. Null where there is no lane.
  [[nodiscard]] std::shared_ptr<const LaneTable> settle() noexcept;
  /// Why some rank on this node has no lane, for people: one line for each reason.
  [[nodiscard]] const std::vector<std::string>& obstacles() const noexcept { return obstacles_; }

 private:
  void open(std::size_t place);
  void note(const std::string& obstacle);

  int rank_;
  std::vector<Partner> partners_;
  std::vector<Lane*> lanes_;  ///< of the same places
  std::vector<MPI_Request> requests_;
  std::shared_ptr<LaneTable> table_;
  std::vector<std::string> obstacles_;
};

}  // namespace rondo::internal

#endif
