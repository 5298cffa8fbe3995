#include "runtime/shared_memory/segment_space.hpp"

#include <rondo/error.hpp>

#include "runtime/shared_memory/region_closing.hpp"

#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::internal {

namespace {

/// Maximum bytes of a segment that is made larger than needed, to have space for later regions.
constexpr std::size_t kLargestStep = std::size_t{64} << 20U;

}  // namespace

static_assert(kSegmentHeader % kCacheLine == 0, "regions begin after it, on a cache line");

std::size_t segment_budget() {
  constexpr std::size_t kMost = std::size_t{1} << 40U;
  const char* const set = std::getenv("RONDO_SHM_BYTES");
  if (set == nullptr || *set == '\0') return std::size_t{8} << 20U;
  const std::string_view text = set;
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error == std::errc() && end == text.data() + text.size() && bytes <= kMost) return bytes;
  throw Error(MPI_ERR_INFO_VALUE, "RONDO_SHM_BYTES: is " + std::string(text) +
                                      ", must be a number of bytes from 0 to " + std::to_string(kMost));
}

Attempt<Region> SegmentSpace::take(std::size_t bytes, std::size_t soon) {
  // No segment is larger than the budget. This check also keeps the sizes below from overflowing.
  if (bytes > budget_) return Refusal{"the budget, RONDO_SHM_BYTES, is smaller than what is needed"};
  const std::size_t whole = (std::max(bytes, std::size_t{1}) + kCacheLine - 1) / kCacheLine * kCacheLine;
  Attempt<Region> region = take_from_segments(whole);
  if (!region && aside_ > 0) {
    reclaim();
    region = take_from_segments(whole);
  }
  if (!region) {
    if (const std::optional<Refusal> refusal = add_segment(whole)) return *refusal;
    region = take_from_segments(whole);
  }
  if (region) clear(*region, soon);
  return region;
}

void SegmentSpace::clear(const Region& region, std::size_t soon) noexcept {
  std::uint64_t& fresh = parts_[region.segment].fresh;
  const std::uint64_t end = region.offset + region.bytes;
  const std::size_t used = std::clamp(fresh, region.offset, end) - region.offset;
  std::memset(region.data, 0, std::max(used, std::min(soon, region.bytes)));
  fresh = std::max(fresh, end);
}

Attempt<Region> SegmentSpace::take_from_segments(std::size_t bytes) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    bool none_before = true;
    for (auto at = part.blocks.lower_bound(part.first_free); at != part.blocks.end(); ++at) {
      auto& [offset, block] = *at;
      if (block.state != State::free) continue;
      if (std::exchange(none_before, false)) part.first_free = offset;
      if (block.bytes < bytes) continue;
      if (block.bytes > bytes) part.blocks.emplace_hint(std::next(at), offset + bytes, Block{block.bytes - bytes});
      block.bytes = bytes;
      block.state = State::taken;
      return Region{static_cast<std::uint32_t>(i), offset, bytes, part.segment.memory().data() + offset};
    }
    if (none_before) part.first_free = part.segment.memory().size();
  }
  return Refusal{"no free memory in the segments"};
}

std::optional<Refusal> SegmentSpace::add_segment(std::size_t bytes) {
  const std::size_t needed = bytes + kSegmentHeader;
  const std::size_t left = budget_ - bytes_;
  if (needed > left) return Refusal{"the budget, RONDO_SHM_BYTES, is used up"};
  const std::optional<Refusal> refusal = make_segment(std::min(std::max(needed, next_size_), left));
  if (!refusal) next_size_ = std::min(2 * next_size_, kLargestStep);
  return refusal;
}

void SegmentSpace::reserve(std::size_t bytes) {
  const std::size_t needed = bytes + kSegmentHeader;
  if (needed > next_size_ && needed <= budget_ - bytes_) static_cast<void>(make_segment(needed));
}

std::optional<Refusal> SegmentSpace::make_segment(std::size_t bytes) {
  Attempt<Segment> made = Segment::make(bytes);
  if (!made) return made.refusal();
  const std::size_t size = made->memory().size();
  Blocks blocks;
  blocks.emplace(kSegmentHeader, Block{size - kSegmentHeader});
  parts_.push_back({std::move(*made), std::move(blocks), kSegmentHeader, kSegmentHeader});
  bytes_ += size;
  return std::nullopt;
}

void SegmentSpace::give_back(const Region& region, std::vector<const SharedWord*> closed_words) noexcept {
  Part& part = parts_[region.segment];
  const auto at = part.blocks.find(region.offset);
  if (closed_words.empty()) {
    free(part, at);
    return;
  }
  at->second.state = State::aside;
  at->second.open = std::move(closed_words);
  ++aside_;
}

void SegmentSpace::reclaim() noexcept {
  for (Part& part : parts_) {
    for (auto at = part.blocks.begin(); at != part.blocks.end(); ++at) {
      Block& block = at->second;
      if (block.state != State::aside) continue;
      std::erase_if(block.open, [](const SharedWord* word) { return is_closed(*word); });
      if (!block.open.empty()) continue;
      --aside_;
      at = free(part, at);
    }
  }
}

SegmentSpace::Blocks::iterator SegmentSpace::free(Part& part, Blocks::iterator block) noexcept {
  block->second.state = State::free;
  block->second.open = {};
  const auto join = [&](Blocks::iterator one, Blocks::iterator next) {
    one->second.bytes += next->second.bytes;
    part.blocks.erase(next);
  };
  if (const auto next = std::next(block); next != part.blocks.end() && next->second.state == State::free)
    join(block, next);
  if (block != part.blocks.begin()) {
    if (const auto before = std::prev(block); before->second.state == State::free) {
      join(before, block);
      block = before;
    }
  }
  part.first_free = std::min(part.first_free, block->first);
  return block;
}

}  // namespace rondo::internal
