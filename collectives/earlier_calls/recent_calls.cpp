#include "collectives/earlier_calls/recent_calls.hpp"

#include "collectives/blocks/type_probe.hpp"
#include "datatypes/reading/layout_cache.hpp"

#include <algorithm>
#include <utility>

namespace rondo::internal {

void RecentSide::remember(const CallSide& side, const CheckedSide& checked, bool combined) {
  const SideLayouts& layouts = checked.layouts;
  buffer_ = side.buffer;
  form_ = form_of(side);
  count_ = side.regular ? side.counts[0] : 0;
  type_ = side.type_per_block ? MPI_DATATYPE_NULL : side.types[0];
  reads_type_ = combined || !layouts.empty();
  layout_ = combined || side.type_per_block || layouts.empty() ? nullptr : layouts[0].get();
  entries_ = side.entries;
  placed_ = side.placed;
  elements_ = side.elements;
  existing_ = side.regular ? ExistingBlocks() : checked.existing;
  counts_.clear();
  types_.clear();
  places_.clear();
  to_look_up_.clear();
  const auto number = static_cast<std::size_t>(checked.blocks);
  for (std::size_t i = 0; i < number && !side.regular; ++i)
    counts_.push_back(exists(i) ? side.counts[static_cast<int>(i)] : 0);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const MPI_Datatype type = layouts[i] == nullptr ? MPI_DATATYPE_NULL : side.type(static_cast<int>(i));
    if (side.type_per_block) types_.push_back(type);
    const bool may_go = layouts[i] != nullptr && !is_always_known(type);
    if (may_go && (to_look_up_.empty() || to_look_up_.back().type != type)) to_look_up_.push_back({type, layouts[i]});
  }
  looks_up_ = !to_look_up_.empty();
  for (std::size_t i = 0; i < number && has_places(side); ++i)
    places_.push_back(exists(i) ? place_of(side, static_cast<int>(i)) : 0);
}

template <typename T, typename Kept>
[[gnu::hot]] inline bool RecentSide::all_same(const T* array, const std::vector<Kept>& kept) noexcept {
  bool all = true;  // no early end, as several entries can be compared at once
  for (std::size_t i = 0; i < kept.size(); ++i) all &= array[i] == kept[i];
  return all;
}

template <typename Array, typename Kept>
inline bool RecentSide::same_by_block(const Array& array, const std::vector<Kept>& kept) const {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (exists(i) && array[static_cast<int>(i)] != kept[i]) return false;
  }
  return true;
}

/// Returns whether an array has the remembered values, for all blocks that have a neighbor.
[[gnu::hot]] inline bool RecentSide::same(const Integers& array, const std::vector<std::int64_t>& kept) const {
  if (kept.empty()) return true;
  if (!array) return false;
  if (!existing_.empty() || !array.is_dense()) return same_by_block(array, kept);
  return array.ints() != nullptr ? all_same(array.ints(), kept) : all_same(array.wide(), kept);
}

[[gnu::hot]] inline bool RecentSide::same(const Strided<MPI_Datatype>& array,
                                          const std::vector<MPI_Datatype>& kept) const {
  if (kept.empty()) return true;
  if (!array) return false;
  return existing_.empty() && array.is_dense() ? all_same(&array[0], kept) : same_by_block(array, kept);
}

[[gnu::hot]] bool RecentSide::is(const CallSide& side) const {
  if (side.buffer != buffer_ || form_of(side) != form_ || side.entries != entries_ || side.placed != placed_ ||
      side.elements != elements_)
    return false;
  if (side.regular ? side.counts[0] != count_ : !same(side.counts, counts_)) return false;
  if (side.type_per_block ? !same(side.types, types_) : side.types[0] != type_) {
    if (!lies_alike(side)) return false;
  } else if (looks_up_ && !has_layouts()) {
    return false;
  }
  return !has_places(side) || has_places_of(side);
}

/// Returns whether all blocks of a side have one datatype with the remembered layout, whatever its handle. Without
/// blocks, as at one of the two sides of a broadcast, no datatype is read unless it is combined.
bool RecentSide::lies_alike(const CallSide& side) const {
  if (!reads_type_) return true;
  const MPI_Datatype type = side.types[0];
  if (layout_ == nullptr || type == MPI_DATATYPE_NULL) return false;
  return committed_layout(type, type_probe()) == layout_;
}

/// Returns whether all types that may be freed still have their remembered layouts.
bool RecentSide::has_layouts() const {
  return std::ranges::all_of(to_look_up_, [](const Derived& known) {
    return committed_layout(known.type, type_probe()) == known.layout.get();
  });
}

[[gnu::hot]] bool RecentSide::has_places_of(const CallSide& side) const {
  if (side.displacements) return same(side.displacements, places_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (exists(i) && place_of(side, static_cast<int>(i)) != places_[i]) return false;
  }
  return true;
}

[[gnu::hot]] bool RecentCalls::Entry::is(const Call& call) const {
  return name == call.name && collective == call.collective && op == call.op && root == call.root &&
         send_buffer == call.send.buffer && recv.is(call.recv) && (!call.describes_sent() || send.is(call.send));
}

[[gnu::hot]] RecentPools* RecentCalls::find(const Call& call) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::size_t place = (last_ + i) % kCapacity;
    if (!entries_[place].is(call)) continue;
    last_ = place;
    return &entries_[place].pools;
  }
  return nullptr;
}

void RecentCalls::remember(const Call& call, const CheckedSide& sent, const CheckedSide& received, RecentPools pools) {
  if (entries_.empty()) entries_.resize(kCapacity);
  Entry& entry = entries_[next_];
  entry.name = nullptr;  // the entry is empty until all of it is written
  entry.collective = call.collective;
  entry.op = call.op;
  entry.root = call.root;
  entry.send_buffer = call.send.buffer;
  entry.recv.remember(call.recv, received, call.reduces());
  if (call.describes_sent()) entry.send.remember(call.send, sent, call.reduces());
  entry.pools = std::move(pools);
  entry.name = call.name;
  last_ = next_;
  next_ = (next_ + 1) % kCapacity;
}

}  // namespace rondo::internal
