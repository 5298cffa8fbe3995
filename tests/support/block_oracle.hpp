/// @file
/// Holds a BlockWatch against the buffers of an operation.
#ifndef RONDO_TESTS_BLOCK_ORACLE_HPP
#define RONDO_TESTS_BLOCK_ORACLE_HPP

#include "runtime/execution/block_watch.hpp"
#include "runtime/execution/execution.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// Buffers as they are, and as they should be in the end.
struct WatchedBuffers {
  std::span<std::byte> send;
  std::span<std::byte> recv;
  std::span<std::byte> expected_send;
  std::span<std::byte> expected_recv;
};

/// What a user may do with blocks, done at once: one that has arrived is read, again and again, one that was sent is
/// overwritten with garbage.
class BlockOracle {
 public:
  /// The execution may be active, but all that is complete must have been told to it.
  BlockOracle(const UserBlocks& blocks, Execution& execution);

  /// The execution is started anew.
  void begin();
  /// What is wrong; empty when nothing is.
  [[nodiscard]] std::string look(const WatchedBuffers& buffers);
  /// After the end, which was not a failure.
  [[nodiscard]] std::string look_at_end() const;

 private:
  std::string look_at_received(std::size_t i, const WatchedBuffers& buffers);
  void overwrite(const UserBlock& block, const WatchedBuffers& buffers) const;

  bool in_place_;
  std::vector<UserBlock> received_;
  std::vector<UserBlock> sent_;
  std::vector<char> arrived_;
  std::vector<char> overwritten_;
  std::vector<char> claimed_;
  BlockWatch watch_;
};

}  // namespace rondo::internal

#endif
