#include "datatypes/copy_program.hpp"

#include <algorithm>
#include <cassert>

namespace rondo {
namespace {

/// Walks the pieces of a layout.
class PieceCursor {
 public:
  PieceCursor(const Layout& layout, std::int64_t base) : runs_(layout.runs()), base_(base) {}

  [[nodiscard]] bool at_end() const { return run_ == runs_.size(); }
  [[nodiscard]] std::int64_t address() const {
    return base_ + runs_[run_].offset + piece_ * runs_[run_].stride + within_;
  }
  [[nodiscard]] std::int64_t left_in_piece() const { return runs_[run_].length - within_; }
  void advance(std::int64_t bytes) {
    within_ += bytes;
    if (within_ < runs_[run_].length) return;
    within_ = 0;
    if (++piece_ < runs_[run_].count) return;
    piece_ = 0;
    ++run_;
  }

 private:
  std::span<const Run> runs_;
  std::int64_t base_;
  std::size_t run_ = 0;
  std::int64_t piece_ = 0;
  std::int64_t within_ = 0;
};

template <std::size_t Bytes>
void copy_strided(const CopyRun& run, const std::byte* source, std::byte* target) {
  for (std::int64_t i = 0; i < run.count; ++i) {
    std::memcpy(target, source, Bytes);
    source += run.source_stride;
    target += run.target_stride;
  }
}

}  // namespace

void CopyProgram::append(std::int64_t source, std::int64_t target, std::int64_t bytes) {
  if (bytes <= 0) return;
  bytes_ += bytes;
  if (!runs_.empty()) {
    CopyRun& last = runs_.back();
    if (last.count == 1 && last.source + last.bytes == source && last.target + last.bytes == target) {
      last.bytes += bytes;
      return;
    }
    if (last.bytes == bytes) {
      const std::int64_t source_step = source - (last.source + (last.count - 1) * last.source_stride);
      const std::int64_t target_step = target - (last.target + (last.count - 1) * last.target_stride);
      if (last.count == 1 || (last.source_stride == source_step && last.target_stride == target_step)) {
        ++last.count;
        last.source_stride = source_step;
        last.target_stride = target_step;
        return;
      }
    }
  }
  runs_.push_back({source, target, bytes, 1, 0, 0});
}

void CopyProgram::append(const Layout& from, std::int64_t source, const Layout& to, std::int64_t target) {
  assert(from.size() == to.size());
  PieceCursor read(from, source);
  PieceCursor write(to, target);
  while (!read.at_end() && !write.at_end()) {
    const std::int64_t bytes = std::min(read.left_in_piece(), write.left_in_piece());
    append(read.address(), write.address(), bytes);
    read.advance(bytes);
    write.advance(bytes);
  }
}

void run_copies(std::span<const CopyRun> program, const std::byte* source, std::byte* target) {
  for (const CopyRun& run : program) {
    const std::byte* from = source + run.source;
    std::byte* to = target + run.target;
    if (run.count == 1) {
      copy_bytes(to, from, static_cast<std::size_t>(run.bytes));
      continue;
    }
    switch (run.bytes) {
      case 1:
        copy_strided<1>(run, from, to);
        break;
      case 2:
        copy_strided<2>(run, from, to);
        break;
      case 4:
        copy_strided<4>(run, from, to);
        break;
      case 8:
        copy_strided<8>(run, from, to);
        break;
      case 16:
        copy_strided<16>(run, from, to);
        break;
      default:
        for (std::int64_t i = 0; i < run.count; ++i) {
          copy_bytes(to, from, static_cast<std::size_t>(run.bytes));
          from += run.source_stride;
          to += run.target_stride;
        }
    }
  }
}

}  // namespace rondo
