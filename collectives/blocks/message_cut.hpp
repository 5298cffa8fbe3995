/// @file
/// How the blocks of a round are cut into messages that MPI can count.
#ifndef RONDO_COLLECTIVES_BLOCKS_MESSAGE_CUT_HPP
#define RONDO_COLLECTIVES_BLOCKS_MESSAGE_CUT_HPP

#include <algorithm>
#include <cstdint>
#include <limits>

namespace rondo::internal {

/// Most bytes that travel as one message of several blocks: MPI's counts are ints. A longer block travels alone.
inline constexpr std::int64_t kLongestMessage = std::numeric_limits<int>::max();

/// A message that blocks are being put into.
struct OpenMessage {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;

  [[nodiscard]] bool has_room_for(std::int64_t added) const noexcept {
    return blocks > 0 && bytes + added <= kLongestMessage;
  }
  void add(std::int64_t added) noexcept {
    ++blocks;
    bytes += added;
  }
};

/// Counts the messages that blocks fill, in the order in which they are added. Fewer or shorter blocks in the same
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

/// Most blocks in a message, where each has so many bytes.
[[nodiscard]] constexpr std::int64_t blocks_in_message(std::int64_t bytes) noexcept {
  return std::max<std::int64_t>(1, kLongestMessage / std::max<std::int64_t>(1, bytes));
}

/// The messages that so many blocks of so many bytes each fill.
[[nodiscard]] constexpr std::uint32_t messages_of(std::int64_t blocks, std::int64_t bytes) noexcept {
  const std::int64_t most = blocks_in_message(bytes);
  return static_cast<std::uint32_t>((blocks + most - 1) / most);
}

/// Calls visit(begin, blocks) for each of them, where the blocks before it are `begin`.
template <typename Visit>
void for_each_message(std::int64_t blocks, std::int64_t bytes, Visit visit) {
  const std::int64_t most = blocks_in_message(bytes);
  for (std::int64_t begin = 0; begin < blocks; begin += most) visit(begin, std::min(most, blocks - begin));
}

}  // namespace rondo::internal

#endif
