/// @file
/// BlockRow: the blocks of a buffer, one after the other.
#ifndef RONDO_BENCH_SIMULATED_BLOCK_ROW_HPP
#define RONDO_BENCH_SIMULATED_BLOCK_ROW_HPP

#include "collectives/blocks/block_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::internal::simulated {

class BlockRow {
 public:
  explicit BlockRow(std::span<const std::int64_t> sizes) {
    layouts_.reserve(sizes.size());  // shapes point to them
    for (const std::int64_t bytes : sizes) {
      layouts_.push_back(Layout::contiguous(bytes));
      shapes_.push_back({bytes_, &layouts_.back()});
      bytes_ += bytes;
    }
  }
  BlockRow(int count, std::int64_t bytes) : BlockRow(std::vector(static_cast<std::size_t>(count), bytes)) {}
  BlockRow(const BlockRow&) = delete;
  BlockRow& operator=(const BlockRow&) = delete;
  ~BlockRow() = default;

  [[nodiscard]] std::span<const BlockShape> shapes() const { return shapes_; }
  /// All of them together.
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(bytes_); }

 private:
  std::vector<Layout> layouts_;
  std::vector<BlockShape> shapes_;
  std::int64_t bytes_ = 0;
};

}  // namespace rondo::internal::simulated

#endif
