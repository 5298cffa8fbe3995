#include "datatypes/layout.hpp"

#include <algorithm>

namespace rondo {

Layout Layout::contiguous(std::int64_t bytes) {
  Layout layout;
  layout.append({0, bytes, 1, 0});
  layout.set_extent(bytes);
  return layout;
}

std::int64_t Layout::true_begin() const noexcept {
  if (runs_.empty()) return 0;
  std::int64_t begin = INT64_MAX;
  for (const Run& run : runs_) begin = std::min({begin, run.offset, run.offset + (run.count - 1) * run.stride});
  return begin;
}

std::int64_t Layout::true_end() const noexcept {
  if (runs_.empty()) return 0;
  std::int64_t end = INT64_MIN;
  for (const Run& run : runs_) {
    end = std::max(end, std::max(run.offset, run.offset + (run.count - 1) * run.stride) + run.length);
  }
  return end;
}

void Layout::append(const Run& run) {
  if (run.length <= 0 || run.count <= 0) return;
  size_ += run.length * run.count;
  Run added = run;
  if (added.count > 1 && added.stride == added.length) added = {run.offset, run.length * run.count, 1, 0};
  if (added.count == 1) added.stride = 0;
  if (!runs_.empty()) {
    Run& last = runs_.back();
    if (last.count == 1 && added.count == 1 && last.offset + last.length == added.offset) {
      last.length += added.length;
      return;
    }
    if (last.length == added.length) {
      const std::int64_t step = added.offset - (last.offset + (last.count - 1) * last.stride);
      const bool last_fits = last.count == 1 || last.stride == step;
      const bool added_fits = added.count == 1 || added.stride == step;
      if (last_fits && added_fits) {
        last.count += added.count;
        last.stride = step;
        return;
      }
    }
  }
  runs_.push_back(added);
}

void Layout::append(const Layout& other, std::int64_t displacement) {
  for (const Run& run : other.runs_) append({run.offset + displacement, run.length, run.count, run.stride});
}

Layout Layout::repeated(std::int64_t count) const {
  Layout result;
  if (count > 0 && runs_.size() == 1 && runs_.front().count == 1) {
    const Run& piece = runs_.front();
    result.append({piece.offset, piece.length, count, extent_});
  } else if (!runs_.empty()) {
    for (std::int64_t i = 0; i < count; ++i) result.append(*this, i * extent_);
  }
  result.set_extent(count * extent_);
  return result;
}

}  // namespace rondo
