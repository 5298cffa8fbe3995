#include "collectives/earlier_calls/recent_words.hpp"

#include "collectives/blocks/type_probe.hpp"
#include "datatypes/reading/layout_cache.hpp"

#include <algorithm>
#include <utility>

namespace rondo::internal {

[[gnu::hot]] const KnownPool* RecentWords::find() {
  const auto has_its_layout = [](const WordsType& known) {
    return committed_layout(known.type, type_probe()) == known.layout.get();
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::size_t place = (last_ + i) % kCapacity;
    const Entry& entry = entries_[place];
    if (entry.words.empty() || entry.words != words_ || !std::ranges::all_of(entry.to_look_up, has_its_layout))
      continue;
    last_ = place;
    return &entry.pool;
  }
  return nullptr;
}

void RecentWords::remember(std::vector<WordsType> types, KnownPool pool) {
  std::erase_if(types, [](const WordsType& known) { return is_always_known(known.type); });
  if (entries_.empty()) entries_.resize(kCapacity);
  Entry& entry = entries_[next_];
  entry.words.clear();  // the entry is empty until all of it is written
  entry.to_look_up = std::move(types);
  entry.pool = std::move(pool);
  entry.words = words_;
  last_ = next_;
  next_ = (next_ + 1) % kCapacity;
}

}  // namespace rondo::internal
