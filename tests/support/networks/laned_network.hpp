/// @file
/// Virtual ranks with lanes, for tests: an adversary delays what one rank sees of what another has written.
#ifndef RONDO_TESTS_SUPPORT_NETWORKS_LANED_NETWORK_HPP
#define RONDO_TESTS_SUPPORT_NETWORKS_LANED_NETWORK_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/lanes/lane_table.hpp"
#include "runtime/machine/loopback_transport.hpp"
#include "tests/support/networks/slotted_network.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal {

/// A lane for each direction that the adversary lets have one, of a length of its choice, beside a loopback network.
/// Each sender writes into a copy: the adversary brings a record line by line, in any order, and only after all of them
/// its state to where the receiver looks, and counts back. It may take any time for that; so news come late, and lanes
/// are full.
class LanedNetwork {
 public:
  /// Draws from the network's seed.
  explicit LanedNetwork(LoopbackNetwork& network);

  /// Executions of one operation, one on each rank; `context` tells their messages from those of others with the same
  /// tags.
  void use(std::span<Execution* const> of_ranks, std::uint64_t context);

  /// The adversary's turn, after what a rank has done.
  void step(int rank, SlottedNetwork::Did did);
  /// Whether something is still under way, or somebody might find something.
  [[nodiscard]] bool can_move() const noexcept;
  /// How many records have come.
  [[nodiscard]] std::size_t records() const noexcept { return records_; }

 private:
  using Lines = std::vector<LaneLine<>>;
  struct Way {
    std::size_t lines = 0;  ///< 0: there is no lane
    Lines copy{};           ///< the sender's
    Lines memory{};         ///< the receiver's
    SharedWord consumed_copy = 0;
    SharedWord consumed = 0;
    SharedWord detours_copy = 0;
    SharedWord detours = 0;
    std::size_t head = 0;                ///< line of the next record to be brought
    bool under_way = false;              ///< that one
    std::vector<std::size_t> left = {};  ///< its lines that are not there yet
    std::size_t next = 0;                ///< where the one after it begins
  };
  [[nodiscard]] Way& way(int from, int to) { return ways_[static_cast<std::size_t>(from * network_.ranks() + to)]; }
  [[nodiscard]] Lane& lane(int own, int other) {
    return lanes_[static_cast<std::size_t>(own * network_.ranks() + other)];
  }
  static bool is_news(const Way& way) noexcept;
  void move(int from, int to);
  void bring(Way& way, int to_rank);

  LoopbackNetwork& network_;
  std::size_t line_odds_;
  std::size_t count_odds_;
  std::deque<Way> ways_;  ///< by sender and receiver
  std::deque<Lane> lanes_;
  std::vector<std::unique_ptr<LaneTable>> tables_;
  std::vector<int> empty_polls_;  ///< of each rank, since a record has come for it
  std::size_t records_ = 0;
};

}  // namespace rondo::internal

#endif
