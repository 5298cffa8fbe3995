/// @file
/// Computation: the function of a compute task, and the blocks that it declares.
#ifndef RONDO_RUNTIME_SCHEDULE_COMPUTATION_HPP
#define RONDO_RUNTIME_SCHEDULE_COMPUTATION_HPP

#include <rondo/basics/compute.hpp>

#include "datatypes/layout/layout.hpp"
#include "runtime/schedule/task.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::internal {

/// A function with its blocks in the form in which it is called. All that a run of functions reads lies in a row.
struct ComputeCall {
  ComputeFunction function;
  const ComputedBlock* blocks;  ///< blocks that are read, then blocks that are written
  std::uint32_t reads;
  std::uint32_t writes;

  /// Calls the function with buffers. Throws what the function throws.
  void run(const std::array<std::byte*, kSpaces>& bases) const {
    function(ComputeBlocks(blocks, reads, writes, bases.data()));
  }
};

/// The function of a compute task and its blocks. Immutable, and shared by a schedule and its users; the buffers are
/// not part of it. Executions of one schedule share the function, too.
struct Computation {
  ComputeFunction function{};  ///< empty if it belongs to another rank: can be inspected, not run
  std::string name{};
  std::vector<ComputedBlock> blocks{};  ///< blocks that are read, then blocks that are written
  std::uint32_t reads = 0;
  std::vector<Layout> layouts{};  ///< layouts of blocks that are not one piece
  bool for_worker = false;        ///< runs on a worker if there are any; otherwise on the driving thread

  [[nodiscard]] std::uint32_t writes() const noexcept { return static_cast<std::uint32_t>(blocks.size()) - reads; }
  /// Calls visit(space, offset, bytes, writes) for each piece of the blocks.
  template <typename Visit>
  void for_each_access(Visit visit) const {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const ComputedBlock& block = blocks[i];
      const auto space = static_cast<Space>(block.space);
      const bool written = i >= reads;
      if (block.bytes == 0) continue;
      if (block.layout == ComputedBlock::kContiguous) {
        visit(space, block.offset, block.bytes, written);
      } else {
        layouts[block.layout].for_each_piece(
            [&](std::int64_t offset, std::int64_t bytes) { visit(space, offset, bytes, written); }, block.offset);
      }
    }
  }
};

}  // namespace rondo::internal

#endif
