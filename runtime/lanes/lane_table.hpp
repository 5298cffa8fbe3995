/// @file
/// LaneTable: which ranks of a communicator this process has lanes with.
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

/// A message that lay before one that was waited for, and was taken out of the lane.
struct DrainedMessage {
  LaneHeader header{};
  std::unique_ptr<std::byte[]> data{};
  std::size_t room = 0;  ///< bytes
};

/// What this process has with another one: a lane each way, for all communicators that they share. Once made it stays,
/// and so does what the two ends count.
struct Lane {
  /// Of the own end: a line with the position of the receiver, one with the number of detours, then the lane's.
  Region region{};
  static constexpr std::size_t kLinesBefore = 2;
  std::optional<LaneReceiver<>> receiver;
  std::optional<LaneSender<>> sender;
  /// How many messages have found no room and taken MPI: a hint where to search. Written by the sender, in the
  /// receiver's memory.
  const SharedWord* detours_here = nullptr;
  SharedWord* detours_there = nullptr;

  // By the progress token's holder.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t first_awaited = kNone;  ///< see LaneTransport
  std::uint32_t last_awaited = kNone;
  bool is_looked_at = false;  ///< by the next pass
  std::uint64_t detours_sent = 0;
  std::uint64_t detours_found = 0;
  std::deque<DrainedMessage> drained;  ///< the oldest first
  std::vector<DrainedMessage> spare;   ///< memory for the next ones, which is kept of so many, and of short ones
  static constexpr std::size_t kMostSpare = 64;
  static constexpr std::size_t kLongestSpare = 4096;
  std::size_t drained_limit = 64;  ///< of `drained`, before it is looked whom they are for
};

/// The lanes of a communicator. A number tells its messages from those of others between the same two processes.
class LaneTable {
 public:
  struct Way {
    Lane* lane = nullptr;
    std::uint64_t context = 0;
    std::int32_t longest_sent = 0;  ///< bytes of the longest message to that rank through a lane; 0: there is none
    std::int32_t longest_received = 0;
    std::uint32_t lines_sent = 0;  ///< of a lane, the most that messages of one operation to that rank may take
    std::uint32_t lines_received = 0;
  };

  /// Of so many ranks, none of which has a lane yet. Throws std::bad_alloc.
  explicit LaneTable(std::size_t ranks);
  LaneTable(const LaneTable&) = delete;
  LaneTable& operator=(const LaneTable&) = delete;
  ~LaneTable();

  [[nodiscard]] const Way& operator[](int rank) const noexcept { return ways_[static_cast<std::size_t>(rank)]; }
  /// To be used with the ProcessMemory locked.
  [[nodiscard]] Way& at(int rank) noexcept { return ways_[static_cast<std::size_t>(rank)]; }

  /// Whether any table of this process has messages with that number. Any thread.
  [[nodiscard]] static bool knows(const Lane& lane, std::uint64_t context) noexcept;

 private:
  std::vector<Way> ways_;
  LaneTable* before_ = nullptr;  ///< in the list of all of them
  LaneTable* after_ = nullptr;
};

}  // namespace rondo::internal

#endif
