#include "collectives/earlier_calls/placed_calls.hpp"

#include "collectives/earlier_calls/scaled_calls.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace rondo::internal {
namespace {

/// Bytes of the longest block that a process may have for itself, where blocks are not reduced. A schedule that is
/// built for longer ones copies them before it posts messages: see start_order() in schedule.cpp.
constexpr std::int64_t kLongestToSelf = (std::int64_t{64} << 10U) - 1;

/// Returns whether a side has blocks of one datatype whose places are given by displacements, or follow from counts.
bool has_displacements_or_none(const CallSide& side) noexcept {
  const bool has_places = side.regular ? side.places == nullptr : side.in_a_row || side.displacements;
  return has_places && !side.type_per_block && side.counts && side.types;
}

bool may_be_placed(const Call& call) noexcept {
  return !call.in_place() && has_displacements_or_none(call.recv) && has_displacements_or_none(call.send);
}

/// Reads the blocks of a side. Returns false if a count or a displacement is out of range, or the buffer is known to be
/// too short. `size`: bytes of an element.
bool read_side(const CallSide& side, std::int64_t size, ExistingBlocks existing, std::vector<PlacedBlock>& blocks) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto count = static_cast<std::int64_t>(blocks.size());
  const bool says_lengths = side.entries >= 0 || side.placed >= 0;
  if (!side.regular && says_lengths && (side.entries != count || (!side.in_a_row && side.placed != count)))
    return false;
  if (side.regular && side.counts[0] < 0) return false;
  std::int64_t before = 0;  // elements
  for (int i = 0; i < static_cast<int>(count); ++i) {
    PlacedBlock& block = blocks[static_cast<std::size_t>(i)];
    block = {};
    if (!existing.empty() && existing[static_cast<std::size_t>(i)] == 0) continue;
    const std::int64_t elements = side.count(i);
    const std::int64_t place = side.regular ? i * elements : side.in_a_row ? before : side.displacements[i];
    if (elements < 0 || elements > kMost / size || place < -kMost || place > kMost) return false;
    before += elements;
    if (elements == 0) continue;
    block = {place * size, elements * size};
    if (side.elements >= 0 && (place < 0 || place + elements > side.elements)) return false;
  }
  return true;
}

/// Returns the bytes from the first byte of the blocks to the last; empty if the blocks have no bytes.
ByteRange range_of(std::span<const PlacedBlock> blocks) noexcept {
  ByteRange range{};
  for (const PlacedBlock& block : blocks) {
    if (block.bytes == 0) continue;
    const bool first = range.begin == range.end;
    range.begin = first ? block.begin : std::min(range.begin, block.begin);
    range.end = first ? block.begin + block.bytes : std::max(range.end, block.begin + block.bytes);
  }
  return range;
}

/// Returns whether the blocks follow each other in memory, upwards or downwards, so that no two of them overlap.
bool are_in_order(std::span<const PlacedBlock> blocks) noexcept {
  bool up = true;
  bool down = true;
  const PlacedBlock* before = nullptr;
  for (const PlacedBlock& block : blocks) {
    if (block.bytes == 0) continue;
    if (before != nullptr) {
      up = up && before->begin + before->bytes <= block.begin;
      down = down && block.begin + block.bytes <= before->begin;
    }
    before = &block;
  }
  return up || down;
}

/// Returns whether a buffer may hold blocks in this range. It may be null if they have no bytes.
bool may_hold(const void* buffer, const ByteRange& range) noexcept {
  constexpr std::uintptr_t kNoPage = 4096;  // handles that are no addresses lie below
  return buffer != MPI_IN_PLACE && (range.begin == range.end || reinterpret_cast<std::uintptr_t>(buffer) >= kNoPage);
}

}  // namespace

PlacedCalls::Kind* PlacedCalls::kind_of(const Call& call) noexcept {
  if (!may_be_placed(call)) return nullptr;
  const auto is_it = [&](const Kind& kind) {
    return kind.name == call.name && kind.collective == call.collective && kind.sent_type == call.send.types[0] &&
           kind.received_type == call.recv.types[0] && kind.op == call.op;
  };
  const auto found = std::ranges::find_if(kinds_, is_it);
  return found == kinds_.end() ? nullptr : &*found;
}

bool PlacedCalls::read_blocks(const Call& call, const Kind& kind) {
  const BlockPattern& pattern = kind.pattern;
  const bool one = call.sends_one_block();
  sent_.resize(static_cast<std::size_t>(call.sent_blocks(pattern.targets)));
  received_.resize(static_cast<std::size_t>(call.received_blocks(pattern.sources)));
  if (!read_side(call.send, kind.sent_size, one ? ExistingBlocks() : pattern.existing_targets, sent_) ||
      !read_side(call.recv, kind.received_size, pattern.existing_sources, received_))
    return false;
  for (const BlockPair& pair : pattern.to_self) {
    const std::int64_t bytes = sent_[one ? 0 : pair.sent].bytes;
    if (bytes != received_[call.reduces() ? 0 : pair.received].bytes) return false;
    if (bytes > kLongestToSelf && !call.reduces()) return false;
  }
  if (call.reduces() && std::ranges::find(sent_, 0, &PlacedBlock::bytes) != sent_.end()) return false;
  const ByteRange sent = range_of(sent_);
  const ByteRange received = range_of(received_);
  if (!may_hold(call.send.buffer, sent) || !may_hold(call.recv.buffer, received) || !are_in_order(received_))
    return false;
  const auto first = [](const void* buffer) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(buffer));
  };
  const std::int64_t from = first(call.send.buffer);
  const std::int64_t to = first(call.recv.buffer);
  return sent.begin == sent.end || received.begin == received.end || from + sent.end <= to + received.begin ||
         to + received.end <= from + sent.begin;
}

void PlacedCalls::Kind::add_class(std::int64_t longest) noexcept {
  static_assert(SizeClass::of(SizeClass::kLongest).number < 63, "a bit for each, and not all of them");
  if (classes == kAllClasses) classes = 0;
  classes |= std::uint64_t{1} << SizeClass::of(longest).number;
}

/// Returns whether the blocks that were read are alike, and the class of the longest was added to the kind.
bool PlacedCalls::has_class_of(const Kind& kind) const noexcept {
  // In a reduce-scatter, all ranks know what is sent to each; in an allgather, what each sends.
  const std::vector<PlacedBlock>& blocks = kind.collective == Collective::scatter_reduce ? sent_ : received_;
  std::int64_t longest = 0;
  std::int64_t all = 0;
  for (const PlacedBlock& block : blocks) {
    longest = std::max(longest, block.bytes);
    all += block.bytes;
  }
  return longest > 0 && longest <= SizeClass::kLongest &&
         are_alike(all, longest, static_cast<std::int64_t>(blocks.size())) &&
         (kind.classes >> SizeClass::of(longest).number & 1U) != 0;
}

[[gnu::hot]] PlacedCalls::Kind* PlacedCalls::find(const Call& call) {
  Kind* const kind = kinds_.empty() ? nullptr : kind_of(call);
  if (kind == nullptr || kind->pool == nullptr || !read_blocks(call, *kind)) return nullptr;
  return kind->classes == kAllClasses || has_class_of(*kind) ? kind : nullptr;
}

PlacedCalls::Kind* PlacedCalls::count_build(const Call& call, const BlockPattern& pattern, std::int64_t sent_size,
                                            std::int64_t received_size) {
  Kind* kind = kind_of(call);
  if (kind == nullptr) {
    if (kinds_.size() == kMostKinds || !may_be_placed(call)) return nullptr;
    kinds_.push_back({call.name, call.collective, call.send.types[0], call.recv.types[0], call.op, sent_size,
                      received_size, pattern});
    kind = &kinds_.back();
  }
  if (has_recent_calls_ && kind->built < kMostBuilt) {
    ++kind->built;
    return nullptr;
  }
  if (std::exchange(kind->declined, false) || kind->operations == kMostOperations) return nullptr;
  return read_blocks(call, *kind) ? kind : nullptr;
}

}  // namespace rondo::internal
