/// @file
/// Functions and classes that cut the blocks of a round into messages that MPI can count.
#ifndef RONDO_COLLECTIVES_BLOCKS_MESSAGE_CUT_HPP
#define RONDO_COLLECTIVES_BLOCKS_MESSAGE_CUT_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

namespace rondo::internal {

/// Maximum number of bytes of a message of several blocks, because MPI's counts are ints. A longer block travels alone.
inline constexpr std::int64_t kLongestMessage = std::numeric_limits<int>::max();

/// The numbers of blocks and bytes in a message to which blocks are being added.
struct OpenMessage {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;

  /// Returns whether a block of `added` bytes fits into the message; false if the message has no blocks yet.
  [[nodiscard]] bool has_room_for(std::int64_t added) const noexcept {
    return blocks > 0 && bytes + added <= kLongestMessage;
  }
  void add(std::int64_t added) noexcept {
    ++blocks;
    bytes += added;
  }
};

/// The number of messages that blocks fill, in the order in which they are added. Fewer or shorter blocks in the same
/// order never need more messages.
class MessageCount {
 public:
  void add(std::int64_t bytes) noexcept {
    if (!open_.has_room_for(bytes)) {
      ++messages_;
      open_ = {};
    }
    open_.add(bytes);
  }
  [[nodiscard]] std::uint32_t messages() const noexcept { return messages_; }

 private:
  std::uint32_t messages_ = 0;
  OpenMessage open_;
};

/// Returns the maximum number of blocks in a message if each block has so many bytes.
[[nodiscard]] constexpr std::int64_t blocks_in_message(std::int64_t bytes) noexcept {
  return std::max<std::int64_t>(1, kLongestMessage / std::max<std::int64_t>(1, bytes));
}

/// Returns the number of messages that so many blocks of so many bytes each fill.
[[nodiscard]] constexpr std::uint32_t messages_of(std::int64_t blocks, std::int64_t bytes) noexcept {
  const std::int64_t most = blocks_in_message(bytes);
  return static_cast<std::uint32_t>((blocks + most - 1) / most);
}

/// Calls visit(begin, number of blocks) for each message that equal blocks fill. `begin`: the number of blocks before
/// it.
template <typename Visit>
void for_each_message(std::int64_t blocks, std::int64_t bytes, Visit visit) {
  const std::int64_t most = blocks_in_message(bytes);
  for (std::int64_t begin = 0; begin < blocks; begin += most) visit(begin, std::min(most, blocks - begin));
}

}  // namespace rondo::internal

#endif
