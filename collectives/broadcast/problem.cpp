#include "collectives/broadcast/problem.hpp"

#include "datatypes/layout/layout_cut.hpp"

#include <algorithm>
#include <utility>

namespace rondo::internal::broadcast {
namespace {

constexpr std::int64_t kCacheLine = 64;

std::int64_t rounded_up(std::int64_t all, std::int64_t each) { return (all + each - 1) / each; }

}  // namespace

Segments segments_of(std::int64_t block, std::int64_t wanted, std::int64_t most) {
  const std::int64_t at_least = std::max<std::int64_t>({1, wanted, rounded_up(block, most)});
  const std::int64_t bytes = rounded_up(at_least, kCacheLine) * kCacheLine;
  return {bytes, static_cast<int>(rounded_up(block, bytes))};
}

Parts::Parts(const Problem& problem, const Segments& segments, int sends, ScheduleBuilder& builder) {
  if (segments.count == 0) return;
  const Layout& layout = *problem.block.layout;
  travels_.reserve(static_cast<std::size_t>(segments.count));
  if (layout.is_contiguous()) {
    const std::int64_t begin = problem.block.offset + layout.true_begin();
    for (std::int64_t at = 0; at < layout.size(); at += segments.bytes)
      travels_.push_back(builder.block(problem.space(), begin + at, std::min(segments.bytes, layout.size() - at)));
    return;
  }
  for (Layout& part : cut(layout, segments.bytes))
    travels_.push_back(builder.block(problem.space(), problem.block.offset, builder.keep(std::move(part))));
  const bool is_staged = std::ranges::any_of(travels_, [&](BlockId part) { return builder.is_staged({&part, 1}); });
  if (!is_staged || sends < (problem.is_root() ? 2 : 1)) return;
  user_ = travels_;
  for (BlockId& part : travels_) part = builder.transit(builder.bytes(part));
  if (problem.is_root()) builder.copy(user_, travels_);
}

void Parts::land(std::span<const int> parts, ScheduleBuilder& builder) const {
  if (user_.empty()) return;
  for (const int part : parts) {
    const auto at = static_cast<std::size_t>(part);
    builder.copy({&travels_[at], 1}, {&user_[at], 1});
  }
}

}  // namespace rondo::internal::broadcast
