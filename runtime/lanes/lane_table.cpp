#include "runtime/lanes/lane_table.hpp"

#include "runtime/lanes/process_memory.hpp"

#include <algorithm>
#include <mutex>

namespace rondo::internal {

LaneTable::LaneTable(std::size_t ranks) : ways_(ranks) {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  after_ = process.first_table;
  if (after_ != nullptr) after_->before_ = this;
  process.first_table = this;
}

LaneTable::~LaneTable() {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  (before_ == nullptr ? process.first_table : before_->after_) = after_;
  if (after_ != nullptr) after_->before_ = before_;
}

bool LaneTable::knows(const Lane& lane, std::uint64_t context) noexcept {
  ProcessMemory& process = process_memory();
  const std::scoped_lock lock(process.mutex);
  for (const LaneTable* table = process.first_table; table != nullptr; table = table->after_) {
    const auto is_it = [&](const Way& way) { return way.lane == &lane && way.context == context; };
    if (std::ranges::any_of(table->ways_, is_it)) return true;
  }
  return false;
}

}  // namespace rondo::internal
