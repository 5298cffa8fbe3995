#include "tests/support/block_oracle.hpp"

#include <algorithm>

namespace rondo::internal {

BlockOracle::BlockOracle(const UserBlocks& blocks, Execution& execution)
    : in_place_(execution.schedule().in_place()),
      arrived_(static_cast<std::size_t>(blocks.received)),
      overwritten_(static_cast<std::size_t>(blocks.sent)),
      claimed_(arrived_),
      watch_(execution.schedule(), blocks) {
  for (int i = 0; i < blocks.received; ++i) received_.push_back(blocks.received_block(i));
  for (int i = 0; i < blocks.sent; ++i) sent_.push_back(blocks.sent_block(i));
  execution.watch_blocks(watch_);
}

void BlockOracle::begin() {
  watch_.begin();
  for (auto* flags : {&arrived_, &overwritten_, &claimed_}) std::ranges::fill(*flags, 0);
}

std::string BlockOracle::look(const WatchedBuffers& buffers) {
  for (std::size_t i = 0; i < received_.size(); ++i) {
    if (std::string wrong = look_at_received(i, buffers); !wrong.empty()) return wrong;
  }
  while (const auto block = watch_.claim()) {
    const auto i = static_cast<std::size_t>(*block);
    if (claimed_[i] != 0) return "receive block " + std::to_string(i) + " was claimed twice";
    if (arrived_[i] == 0) return "receive block " + std::to_string(i) + " was claimed and has not arrived";
    claimed_[i] = 1;
  }
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    if (overwritten_[i] != 0 || !watch_.is_done(BlockSide::sent, static_cast<int>(i))) continue;
    overwritten_[i] = 1;
    overwrite(sent_[i], buffers);
  }
  return {};
}

std::string BlockOracle::look_at_received(std::size_t i, const WatchedBuffers& buffers) {
  if (!watch_.is_done(BlockSide::received, static_cast<int>(i)))
    return arrived_[i] == 0 ? std::string{} : "receive block " + std::to_string(i) + " had arrived before";
  arrived_[i] = 1;
  std::string wrong;
  const auto look_at = [&](std::int64_t begin, std::int64_t bytes) {
    for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(begin + bytes); ++at) {
      if (buffers.recv[at] == buffers.expected_recv[at]) continue;
      wrong = "receive block " + std::to_string(i) + " has arrived, byte " + std::to_string(at) + " is wrong";
    }
  };
  received_[i].layout.for_each_piece(look_at, received_[i].offset);
  return wrong;
}

void BlockOracle::overwrite(const UserBlock& block, const WatchedBuffers& buffers) const {
  const std::span<std::byte> buffer = in_place_ ? buffers.recv : buffers.send;
  const std::span<std::byte> expected = in_place_ ? buffers.expected_recv : buffers.expected_send;
  const auto garble = [&](std::int64_t begin, std::int64_t bytes) {
    for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(begin + bytes); ++at)
      buffer[at] = expected[at] = static_cast<std::byte>(at * 37 + 0x5A);
  };
  block.layout.for_each_piece(garble, block.offset);
}

std::string BlockOracle::look_at_end() const {
  const auto missing = [](const std::vector<char>& flags) { return std::ranges::find(flags, 0) - flags.begin(); };
  const std::string in_the_end = " in the end";
  if (const auto i = missing(arrived_); i < std::ssize(arrived_))
    return "receive block " + std::to_string(i) + " has not arrived" + in_the_end;
  if (const auto i = missing(overwritten_); i < std::ssize(overwritten_))
    return "send block " + std::to_string(i) + " was not sent" + in_the_end;
  if (const auto i = missing(claimed_); i < std::ssize(claimed_))
    return "receive block " + std::to_string(i) + " was not claimed" + in_the_end;
  return watch_.all_claimed() ? std::string{} : "not all blocks are claimed" + in_the_end;
}

}  // namespace rondo::internal
