/// @file
/// LaneTable: the ranks of a communicator with which this process has lanes.
#ifndef RONDO_RUNTIME_LANES_LANE_TABLE_HPP
#define RONDO_RUNTIME_LANES_LANE_TABLE_HPP

#include "runtime/schedule/message_form_costs.hpp"
#include "runtime/shared_memory/lane.hpp"
#include "runtime/shared_memory/segment_space.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace rondo::internal {

/// A message that lay in the lane before an awaited message, and was moved out of the lane into private memory.
struct DrainedMessage {
  LaneHeader header{};
  std::unique_ptr<std::byte[]> data{};
  std::size_t room = 0;  ///< size of `data` in bytes, at least that of the message
};

/// A Lane is the state of this process toward one other process: a lane each way, for all communicators that they
/// share. Once made, a Lane stays, and so do the counts at its two ends.
struct Lane {
  /// Memory of this rank's own end: one line with the position of the receiver, one with the count of detours, then the
  /// lane itself.
  Region region{};
  static constexpr std::size_t kLinesBefore = 2;
  std::optional<LaneReceiver<>> receiver;
  std::optional<LaneSender<>> sender;
  /// Number of messages that found no room in the lane and went over MPI instead: a hint where to search for messages.
  /// The sender writes this count in the receiver's memory.
  const SharedWord* detours_here = nullptr;
  SharedWord* detours_there = nullptr;

  // Used by the holder of the progress token only.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t first_awaited = kNone;  ///< place of the first awaited message, see LaneTransport
  std::uint32_t last_awaited = kNone;
  bool is_looked_at = false;  ///< the next pass looks into this lane
  std::uint64_t detours_sent = 0;
  std::uint64_t detours_found = 0;
  std::deque<DrainedMessage> drained;  ///< oldest first
  std::vector<DrainedMessage> spare;   ///< memory for up to kMostSpare more messages, each at most kLongestSpare bytes
  static constexpr std::size_t kMostSpare = 64;
  static constexpr std::size_t kLongestSpare = 4096;
  std::size_t drained_limit = 64;  ///< length of `drained` at which messages of communicators that are gone are removed
};

/// A LaneTable says, for each rank of a communicator, which lane leads to that rank (if any) and how long messages in
/// the lane may be. A lane serves all communicators of its two processes; the context, a number, tells their messages
/// apart.
class LaneTable {
 public:
  struct Way {
    Lane* lane = nullptr;
    std::uint64_t context = 0;
    std::int32_t longest_sent = 0;  ///< bytes of the longest message to that rank through a lane; 0: there is no lane
    std::int32_t longest_received = 0;
    std::uint32_t lines_sent = 0;  ///< the most lines of a lane that messages of one operation to that rank may take
    std::uint32_t lines_received = 0;
  };

  /// Makes a table of `ranks` ranks, none of which has a lane yet. Throws std::bad_alloc.
  explicit LaneTable(std::size_t ranks);
  LaneTable(const LaneTable&) = delete;
  LaneTable& operator=(const LaneTable&) = delete;
  ~LaneTable();

  [[nodiscard]] const Way& operator[](int rank) const noexcept { return ways_[static_cast<std::size_t>(rank)]; }
  /// Returns the entry of a rank, to be changed. Call with the ProcessMemory locked.
  [[nodiscard]] Way& at(int rank) noexcept { return ways_[static_cast<std::size_t>(rank)]; }

  /// Returns whether any table of this process receives messages with this context through `lane`. Thread-safe.
  [[nodiscard]] static bool knows(const Lane& lane, std::uint64_t context) noexcept;

 private:
  std::vector<Way> ways_;
  LaneTable* before_ = nullptr;  ///< in the list of all tables
  LaneTable* after_ = nullptr;
};

}  // namespace rondo::internal

#endif
