#include "runtime/execution/block_watch.hpp"

#include "datatypes/layout/overlap.hpp"
#include "runtime/schedule/task_access.hpp"

#include <algorithm>

namespace rondo::internal {
namespace {

/// An index that finds the blocks of one side that contain given bytes.
class BlockFinder {
 public:
  BlockFinder(int blocks, const std::function<UserBlock(int)>& block_at) {
    for (int i = 0; i < blocks; ++i) {
      const UserBlock block = block_at(i);
      if (block.layout.size() == 0) continue;
      Placed& placed = placed_.emplace_back();
      placed.layout.append(block.layout, block.offset);
      placed.block = static_cast<std::uint32_t>(i);
    }
    std::ranges::sort(placed_, {}, [](const Placed& it) { return it.layout.true_begin(); });
    std::int64_t reach = INT64_MIN;
    for (Placed& it : placed_) it.reach = reach = std::max(reach, it.layout.true_end());
  }

  /// Calls visit(block) once for each block that has a byte in `touched`.
  template <typename Visit>
  void for_each_in(const Layout& touched, Visit visit) {
    ++round_;
    std::size_t met = 0;
    touched.for_each_piece([&](std::int64_t begin, std::int64_t bytes) {
      if (met == placed_.size()) return;  // all blocks were found
      const auto after =
          std::ranges::lower_bound(placed_, begin + bytes, {}, [](const Placed& it) { return it.layout.true_begin(); });
      for (auto at = after; at != placed_.begin() && (--at)->reach > begin;) {
        if (at->met == round_ || at->layout.true_end() <= begin) continue;
        at->met = round_;
        ++met;
        if (at->layout.is_contiguous() || shares_bytes(touched, at->layout)) visit(at->block);
      }
    });
  }

 private:
  struct Placed {
    Layout layout;  ///< from the beginning of the buffer
    std::uint32_t block = 0;
    std::uint32_t met = 0;   ///< the round in which the block was last considered
    std::int64_t reach = 0;  ///< the end of this block and all before it
  };

  static bool shares_bytes(const Layout& one, const Layout& other) {
    const PlacedLayout first{0, &one};
    const PlacedLayout second{0, &other};
    return find_overlap({&first, 1}, {&second, 1}).has_value();
  }

  std::vector<Placed> placed_;  ///< sorted by first byte
  std::uint32_t round_ = 0;
};

}  // namespace

BlockWatch::BlockWatch(const Schedule& schedule, const UserBlocks& blocks)
    : received_(static_cast<Number>(blocks.received)),
      tasks_(static_cast<std::size_t>(blocks.received) + static_cast<std::size_t>(blocks.sent)),
      left_(std::make_unique<std::atomic<std::uint32_t>[]>(tasks_.size())),
      arrivals_(std::make_unique<Number[]>(received_)) {
  BlockFinder received(blocks.received, blocks.received_block);
  BlockFinder sent(blocks.sent, blocks.sent_block);
  const Space sent_from = schedule.in_place() ? Space::recv : Space::send;
  first_of_task_.reserve(schedule.tasks().size() + 1);
  for (const Task& task : schedule.tasks()) {
    first_of_task_.push_back(blocks_of_tasks_.size());
    Layout written;
    Layout touched;
    for_each_access(schedule, task, [&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
      if (bytes == 0) return;
      if (writes && space == Space::recv) written.append({offset, bytes, 1, 0});
      if (space == sent_from) touched.append({offset, bytes, 1, 0});
    });
    received.for_each_in(written, [&](Number block) { blocks_of_tasks_.push_back(block); });
    sent.for_each_in(touched, [&](Number block) { blocks_of_tasks_.push_back(received_ + block); });
  }
  first_of_task_.push_back(blocks_of_tasks_.size());
  for (const Number block : blocks_of_tasks_) ++tasks_[block];
  begin();
}

void BlockWatch::begin() noexcept {
  // relaxed: a thread that asks was told of the start by the thread that started
  for (std::size_t block = 0; block < tasks_.size(); ++block)
    left_[block].store(tasks_[block], std::memory_order_relaxed);
  note_arrived();
}

void BlockWatch::begin_amid(const Schedule& schedule, std::span<const TaskId> under_way) {
  std::vector<char> incomplete(schedule.tasks().size());
  for (const TaskId task : under_way) incomplete[task] = 1;
  for (std::size_t block = 0; block < tasks_.size(); ++block) left_[block].store(0, std::memory_order_relaxed);
  for (TaskId task = 0; task < incomplete.size(); ++task) {
    if (incomplete[task] == 0) continue;
    // Edges lead to higher tasks: a task that is marked in this step is reached later.
    for (const TaskId successor : schedule.successors(schedule.tasks()[task])) incomplete[successor] = 1;
    for (const Number block : blocks_of(task)) left_[block].fetch_add(1, std::memory_order_relaxed);
  }
  note_arrived();
}

/// Notes the blocks that have arrived already, in ascending order; none was claimed.
void BlockWatch::note_arrived() noexcept {
  arrived_.store(0, std::memory_order_relaxed);
  claimed_.store(0, std::memory_order_relaxed);
  for (Number block = 0; block < received_; ++block) {
    if (left_[block].load(std::memory_order_relaxed) == 0) arrive(block);
  }
}

void BlockWatch::complete(TaskId task) noexcept {
  for (const Number block : blocks_of(task)) {
    // relaxed: nobody else counts, and the token orders this after the counting of its last holder
    const std::uint32_t left = left_[block].load(std::memory_order_relaxed) - 1;
    left_[block].store(left, std::memory_order_release);  // release: the data before the news of its arrival
    if (left == 0 && block < received_) arrive(block);
  }
}

void BlockWatch::end() noexcept {
  for (Number block = 0; block < tasks_.size(); ++block) {
    if (left_[block].load(std::memory_order_relaxed) == 0) continue;  // relaxed: as in complete()
    left_[block].store(0, std::memory_order_release);
    if (block < received_) arrive(block);
  }
}

void BlockWatch::arrive(Number block) noexcept {
  const Number before = arrived_.load(std::memory_order_relaxed);  // relaxed: as in complete()
  arrivals_[before] = block;
  arrived_.store(before + 1, std::memory_order_release);  // release: the data, and which block it is
}

std::optional<int> BlockWatch::claim() noexcept {
  Number next = claimed_.load(std::memory_order_relaxed);  // relaxed: the value only says which arrival is next
  do {
    if (next == arrived_.load(std::memory_order_acquire)) return std::nullopt;  // acquire: see arrive()
  } while (!claimed_.compare_exchange_weak(next, next + 1, std::memory_order_relaxed));
  return static_cast<int>(arrivals_[next]);
}

}  // namespace rondo::internal
