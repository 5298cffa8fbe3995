#include "runtime/schedule/schedule_builder.hpp"

#include "runtime/base/count_of.hpp"

#include <rondo/error.hpp>

#include <algorithm>
#include <limits>

namespace rondo::internal {
namespace {

/// Scratch blocks of messages begin on cache lines.
constexpr std::int64_t kScratchAlignment = 64;

}  // namespace

void ScheduleBuilder::fail(const std::string& what) const {
  throw Error(MPI_ERR_INTERN,
              "schedule, phase " + std::to_string(phase_) + ", round " + std::to_string(round_) + ": " + what);
}

void ScheduleBuilder::fail_to_find(BlockId id, const char* use) const {
  fail("block " + std::to_string(id.index) + " to " + use + " is out of range: there are " +
       std::to_string(blocks_.size()));
}

BlockId ScheduleBuilder::add(const Block& block) {
  if (block.bytes < 0) fail("block " + std::to_string(blocks_.size()) + " has a negative number of bytes");
  blocks_.push_back(block);
  return {static_cast<std::uint32_t>(blocks_.size() - 1)};
}

void ScheduleBuilder::reserve_blocks(std::size_t blocks) {
  blocks_.reserve(blocks_.size() + blocks);
  readers_.reserve(blocks_.size() + blocks);
}

void ScheduleBuilder::reserve_tasks(std::size_t tasks) {
  parts_.tasks.reserve(parts_.tasks.size() + tasks);
  edge_stamp_.reserve(edge_stamp_.size() + tasks);
}

void ScheduleBuilder::check_reserved(std::int64_t offset, std::int64_t bytes) const {
  if (offset >= 0 && bytes >= 0 && offset + bytes <= parts_.scratch_bytes) return;
  fail("a block of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
       " of scratch memory, which was not reserved");
}

BlockId ScheduleBuilder::block(Space space, std::int64_t offset, std::int64_t bytes) {
  if (space == Space::scratch) check_reserved(offset, bytes);
  return add({.offset = offset, .bytes = bytes, .space = space, .placed = true, .written = space == Space::send});
}

BlockId ScheduleBuilder::block(Space space, std::int64_t offset, const Layout& layout) {
  if (layout.is_contiguous()) return block(space, offset + layout.true_begin(), layout.size());
  return add({.offset = offset,
              .bytes = layout.size(),
              .layout = &layout,
              .space = space,
              .placed = true,
              .written = space == Space::send});
}

void ScheduleBuilder::set_in_place() {
  if (!parts_.tasks.empty()) fail("set in place too late: there are tasks already");
  parts_.in_place = true;
}

BlockId ScheduleBuilder::view(std::int64_t offset, const Layout& layout, std::span<const BlockId> received) {
  if (!parts_.in_place) fail("a view of a buffer, in an operation that is not in place");
  const BlockId id = block(Space::recv, offset, layout);
  blocks_[id.index].written = true;
  views_.push_back({id.index, {received.begin(), received.end()}});
  return id;
}

void ScheduleBuilder::set_filled(BlockId id) {
  if (!parts_.in_place) fail("a receive buffer that holds something, in an operation that is not in place");
  Block& block = at(id, "read from the start");
  if (block.space != Space::recv || block.written)
    fail(std::string(name(block.space)) + " block " + std::to_string(id.index) + " is already filled");
  block.written = true;
}

const ScheduleBuilder::View* ScheduleBuilder::view_of(BlockId block) const {
  if (views_.empty()) return nullptr;
  const auto found = std::ranges::lower_bound(views_, block.index, {}, &View::block);
  return found != views_.end() && found->block == block.index ? &*found : nullptr;
}

BlockId ScheduleBuilder::transit(std::int64_t bytes) {
  return add({.offset = 0, .bytes = bytes, .space = Space::scratch, .placed = false});
}

std::int64_t ScheduleBuilder::reserve_scratch(std::int64_t bytes) {
  if (bytes < 0) fail("a negative number of bytes of scratch memory");
  return take_scratch(bytes);
}

void ScheduleBuilder::refill(BlockId bucket, std::int64_t bytes) {
  Block& block = at(bucket, "refill");
  if (block.space != Space::scratch || !block.placed || block.operand != kNoOperand)
    fail("block " + std::to_string(bucket.index) + " is not a bucket: it does not lie in reserved scratch memory");
  check_reserved(block.offset, bytes);
  block.bytes = bytes;
  block.written = false;
}

void ScheduleBuilder::set_reduction(std::shared_ptr<const Reduction> reduction) {
  if (reduction == nullptr) fail("a reduction that is null");
  auto& reductions = parts_.reductions;
  const auto known = std::ranges::find(reductions, reduction);
  reduction_ = static_cast<std::uint16_t>(known - reductions.begin());
  if (known != reductions.end()) return;
  if (reduction_ > std::numeric_limits<decltype(Task::reduction)>::max()) fail("more than 256 reductions");
  reductions.push_back(std::move(reduction));
}

BlockId ScheduleBuilder::operand() {
  if (reduction_ == kNoOperand) fail("an operand without a reduction: set_reduction() comes first");
  const Layout& layout = reduction().layout();
  return add({.offset = 0,
              .bytes = layout.size(),
              .layout = layout.is_contiguous() ? nullptr : &layout,
              .space = Space::scratch,
              .placed = false,
              .operand = reduction_});
}

/// Takes `bytes` bytes of scratch memory. Returns a place on a cache line; the bytes begin `first` bytes after it.
std::int64_t ScheduleBuilder::take_scratch(std::int64_t bytes, std::int64_t first) {
  const std::int64_t offset = (parts_.scratch_bytes - first + kScratchAlignment - 1) & -kScratchAlignment;
  parts_.scratch_bytes = offset + first + bytes;
  return offset;
}

/// Gives a block of scratch memory a place that it shares with no other block.
void ScheduleBuilder::place(Block& block) {
  block.placed = true;
  if (block.operand == kNoOperand) {
    block.offset = take_scratch(block.bytes);
    return;
  }
  const Reduction& reduction = *parts_.reductions[block.operand];
  block.offset = take_scratch(reduction.room_end() - reduction.room_begin(), reduction.room_begin());
  if (block.layout == nullptr) block.offset += reduction.layout().true_begin();
}

/// Returns whether the data of a block may lie contiguously at this offset of scratch memory.
bool ScheduleBuilder::may_lie_at(const Block& block, std::int64_t offset) const {
  if (block.operand == kNoOperand) return true;
  const Reduction& reduction = *parts_.reductions[block.operand];
  const Layout& layout = reduction.layout();
  // Other data lie beside the block, so the operation must not touch more than the block's data.
  return block.layout == nullptr && (offset - layout.true_begin()) % reduction.alignment() == 0 &&
         layout.true_begin() == reduction.room_begin() && layout.true_end() == reduction.room_end();
}

TaskId ScheduleBuilder::add_task(const Task& task) {
  const auto id = static_cast<TaskId>(parts_.tasks.size());
  parts_.tasks.push_back(task);
  edge_stamp_.push_back(kNoTask);
  if (join_ != kNoTask) add_edge(join_, id);
  return id;
}

void ScheduleBuilder::add_edge(TaskId from, TaskId to) {
  // All edges into a task are added before the next task is made. So one stamp for each task finds repeated edges.
  if (edge_stamp_[from] == to || from == to) return;
  edge_stamp_[from] = to;
  parts_.edges.emplace_back(from, to);
}

void ScheduleBuilder::read(TaskId task, BlockId id) {
  Block& block = blocks_[id.index];
  if (!block.written) {
    fail(std::string(name(block.space)) + " block " + std::to_string(id.index) + " is read before anything wrote it");
  }
  if (const View* view = view_of(id)) {
    for (const BlockId part : view->received) read(task, part);
    return;
  }
  if (block.writer != kNoTask) add_edge(block.writer, task);
  readers_.push_back({task, block.last_reader});
  block.last_reader = static_cast<std::uint32_t>(readers_.size() - 1);
}

void ScheduleBuilder::write(TaskId task, BlockId id) {
  Block& block = blocks_[id.index];
  if (block.space == Space::send)
    fail("send block " + std::to_string(id.index) + " is written, but it belongs to the user");
  if (view_of(id) != nullptr) fail("block " + std::to_string(id.index) + " is written, but it is a view");
  if (block.writer != kNoTask && block.last_reader == kNoReader) {
    fail(std::string(name(block.space)) + " block " + std::to_string(id.index) +
         " is written twice without order: nothing reads what task " + std::to_string(block.writer) + " wrote");
  }
  for (std::uint32_t i = block.last_reader; i != kNoReader; i = readers_[i].next) {
    if (readers_[i].task == task)
      fail(std::string(name(block.space)) + " block " + std::to_string(id.index) + " is read and written by one task");
    add_edge(readers_[i].task, task);
  }
  block.writer = task;
  block.written = true;
  block.last_reader = kNoReader;
}

/// Records that a task updates a block in place, possibly several times.
void ScheduleBuilder::update(TaskId task, BlockId id, const char* how) {
  Block& block = blocks_[id.index];
  if (block.space == Space::send)
    fail("send block " + std::to_string(id.index) + " is " + how + ", but it belongs to the user");
  if (!block.written) {
    fail(std::string(name(block.space)) + " block " + std::to_string(id.index) + " is " + how +
         " before anything wrote it");
  }
  if (view_of(id) != nullptr) fail("block " + std::to_string(id.index) + " is " + how + ", but it is a view");
  // If the block has readers, they come after its writer.
  if (block.last_reader == kNoReader && block.writer != kNoTask) add_edge(block.writer, task);
  for (std::uint32_t i = block.last_reader; i != kNoReader; i = readers_[i].next) add_edge(readers_[i].task, task);
  block.writer = task;
  block.last_reader = kNoReader;
}

/// Checks that a window, or batches, of `exchanges` exchanges may be set now.
void ScheduleBuilder::limit_exchanges(std::uint32_t exchanges, const char* what) const {
  if (exchanges == 0) fail(std::string(what) + " of 0 exchanges: at least 1 must be in flight");
  if (window_.is_open() || batches_.is_open())
    fail(std::string(what) + " beside another limit: a schedule has one window, or batches");
  const auto is_message = [](const Task& task) {
    return task.kind == TaskKind::send || task.kind == TaskKind::receive;
  };
  if (std::ranges::any_of(parts_.tasks, is_message)) fail(std::string(what) + " too late: there are messages already");
}

void ScheduleBuilder::set_window(std::uint32_t exchanges) {
  limit_exchanges(exchanges, "a window");
  window_.open(exchanges);
}

void ScheduleBuilder::set_batches(std::uint32_t exchanges) {
  limit_exchanges(exchanges, "batches");
  batches_.open(exchanges);
}

void ScheduleBuilder::end_batch() {
  if (!batches_.is_open()) fail("the end of a batch, and there are none: set_batches() comes first");
  batches_.end();
}

/// Adds a task that does nothing, in the current round.
TaskId ScheduleBuilder::add_join() {
  Task join{};
  join.kind = TaskKind::join;
  join.peer = -1;
  join.phase = phase_;
  join.round = round_;
  return add_task(join);
}

void ScheduleBuilder::begin_phase() {
  if (ordering_ == Ordering::phases && parts_.tasks.size() > phase_begin_) {
    const auto end = static_cast<TaskId>(parts_.tasks.size());
    const TaskId id = add_join();
    for (TaskId task = phase_begin_; task < end; ++task) add_edge(task, id);
    join_ = id;
    phase_begin_ = static_cast<TaskId>(parts_.tasks.size());
  }
  if (!parts_.tasks.empty()) ++phase_;
  round_ = 0;
  in_exchange_ = false;
}

void ScheduleBuilder::append_copy(const Block& from, const Block& to) {
  if (from.layout == nullptr && to.layout == nullptr) {
    program_.append(from.offset, to.offset, from.bytes);
    return;
  }
  const Layout source = from.layout == nullptr ? Layout::contiguous(from.bytes) : Layout{};
  const Layout target = to.layout == nullptr ? Layout::contiguous(to.bytes) : Layout{};
  program_.append(from.layout == nullptr ? source : *from.layout, from.offset,
                  to.layout == nullptr ? target : *to.layout, to.offset);
}

/// Adds the current copy program as a task.
TaskId ScheduleBuilder::add_copy(Space source, Space target) {
  Task task{};
  task.kind = TaskKind::copy;
  task.source_space = source;
  task.target_space = target;
  task.peer = -1;
  task.round = round_;
  task.phase = phase_;
  task.bytes = program_.bytes();
  program_.finish();
  const auto runs = program_.runs();
  if (runs.size() == 1 && runs.front().count == 1) {
    task.source_offset = runs.front().source;
    task.target_offset = runs.front().target;
  } else {
    task.first_part = static_cast<std::uint32_t>(parts_.runs.size());
    task.part_count = static_cast<std::uint32_t>(runs.size());
    parts_.runs.insert(parts_.runs.end(), runs.begin(), runs.end());
  }
  return add_task(task);
}

void ScheduleBuilder::check_copied(const Block& block, BlockId id, Space space, bool written) {
  if (block.space != space) fail("a copy between more than two spaces");
  if (!written && !block.placed) fail("block " + std::to_string(id.index) + " is copied before anything wrote it");
}

/// Adds the current copy program as a task that reads and writes these blocks.
void ScheduleBuilder::end_copy(std::span<const BlockId> from, std::span<const BlockId> to) {
  if (program_.bytes() == 0) fail("a copy without bytes");
  const TaskId id = add_copy(at(from.front(), "copy").space, at(to.front(), "copy").space);
  for (const BlockId block : from) read(id, block);
  for (const BlockId block : to) write(id, block);
  end_round();
}

void ScheduleBuilder::copy(std::span<const BlockId> from, std::span<const BlockId> to) {
  if (from.size() != to.size())
    fail("a copy of " + count_of(from.size(), "block") + " to " + std::to_string(to.size()));
  if (from.empty()) fail("a copy without blocks");
  const Space source = at(from.front(), "copy").space;
  const Space target = at(to.front(), "copy").space;
  program_.clear();
  for (std::size_t i = 0; i < from.size(); ++i) {
    Block& read_from = at(from[i], "copy");
    Block& written_to = at(to[i], "copy");
    check_copied(read_from, from[i], source, false);
    check_copied(written_to, to[i], target, true);
    if (read_from.bytes != written_to.bytes) {
      fail("a copy of " + std::to_string(read_from.bytes) + " bytes to " + std::to_string(written_to.bytes));
    }
    if (!written_to.placed) place(written_to);
    append_copy(read_from, written_to);
  }
  end_copy(from, to);
}

void ScheduleBuilder::copy_in_order(std::span<const BlockId> from, std::span<const BlockId> to) {
  if (from.empty() || to.empty()) fail("a copy without blocks");
  const Space source = at(from.front(), "copy").space;
  const Space target = at(to.front(), "copy").space;
  const auto append = [](Layout& all, const Block& block) {
    all.append(block.layout == nullptr ? Layout::contiguous(block.bytes) : *block.layout, block.offset);
  };
  Layout all_read;
  for (const BlockId id : from) {
    const Block& block = at(id, "copy");
    check_copied(block, id, source, false);
    append(all_read, block);
  }
  Layout all_written;
  for (const BlockId id : to) {
    Block& block = at(id, "copy");
    check_copied(block, id, target, true);
    if (!block.placed) place(block);
    append(all_written, block);
  }
  if (all_read.size() != all_written.size())
    fail("a copy of " + std::to_string(all_read.size()) + " bytes to " + std::to_string(all_written.size()));
  program_.clear();
  program_.append(all_read, 0, all_written, 0);
  end_copy(from, to);
}

/// Returns whether operands of this reduction lie in memory like operands of the current reduction.
bool ScheduleBuilder::may_stand_for(std::uint16_t number) const {
  if (number == kNoOperand) return false;
  const Reduction& other = *parts_.reductions[number];
  return other.alignment() % reduction().alignment() == 0 &&
         std::ranges::equal(other.layout().items(), reduction().layout().items());
}

/// Returns the address of a block that the operation is given.
std::int64_t ScheduleBuilder::address_of_operand(BlockId id) {
  const Block& block = at(id, "reduce");
  const Layout& layout = reduction().layout();
  const auto is_it = [&] {
    if (block.operand == reduction_) return true;
    if (block.space == Space::scratch) return may_stand_for(block.operand);
    if (block.layout == nullptr) return layout.is_contiguous() && block.bytes == layout.size();
    return block.layout == &layout || std::ranges::equal(block.layout->items(), layout.items());
  };
  if (!is_it())
    fail("block " + std::to_string(id.index) + " is not an operand: it does not have the reduction's layout");
  return block.layout == nullptr ? block.offset - layout.true_begin() : block.offset;
}

/// Adds one task for pairs that lie in the same spaces.
void ScheduleBuilder::add_reduce(std::span<const BlockId> from, std::span<const BlockId> into) {
  Task task{};
  task.kind = TaskKind::reduce;
  task.source_space = at(from.front(), "reduce").space;
  task.target_space = at(into.front(), "reduce").space;
  task.peer = -1;
  task.round = round_;
  task.phase = phase_;
  task.reduction = static_cast<std::uint8_t>(reduction_);
  task.bytes = std::ssize(from) * reduction().layout().size();
  if (from.size() == 1) {
    task.source_offset = address_of_operand(from.front());
    task.target_offset = address_of_operand(into.front());
  } else {
    task.first_part = static_cast<std::uint32_t>(parts_.operand_pairs.size());
    task.part_count = static_cast<std::uint32_t>(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      parts_.operand_pairs.push_back({address_of_operand(from[i]), address_of_operand(into[i])});
  }
  const TaskId id = add_task(task);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].index == into[i].index) fail("block " + std::to_string(from[i].index) + " is reduced into itself");
    read(id, from[i]);
    update(id, into[i], "reduced into");
  }
}

void ScheduleBuilder::reduce(std::span<const BlockId> from, std::span<const BlockId> into) {
  if (reduction_ == kNoOperand) fail("a reduce without a reduction: set_reduction() comes first");
  if (from.size() != into.size())
    fail("a reduce of " + count_of(from.size(), "block") + " into " + std::to_string(into.size()));
  if (from.empty()) fail("a reduce without blocks");
  if (reduction().layout().size() == 0) fail("a reduce without bytes");
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= from.size(); ++end) {
    const auto same = [&](std::span<const BlockId> side) {
      return at(side[begin], "reduce").space == at(side[end], "reduce").space;
    };
    if (end < from.size() && same(from) && same(into)) continue;
    add_reduce(from.subspan(begin, end - begin), into.subspan(begin, end - begin));
    begin = end;
  }
  end_round();
}

void ScheduleBuilder::reduce(BlockId from, BlockId into) { reduce({&from, 1}, {&into, 1}); }

/// Adds a block of a compute task to the blocks that its function will see.
void ScheduleBuilder::declare(Computation& computation, BlockId id) {
  const Block& block = blocks_[id.index];
  ComputedBlock declared{block.offset, block.bytes, static_cast<std::uint32_t>(block.space),
                         ComputedBlock::kContiguous};
  if (block.layout != nullptr) {
    declared.layout = static_cast<std::uint32_t>(computation.layouts.size());
    computation.layouts.push_back(*block.layout);
  }
  computation.blocks.push_back(declared);
}

void ScheduleBuilder::compute(std::span<const BlockId> reads, std::span<const BlockId> writes, ComputeFunction function,
                              std::string name, bool for_worker) {
  if (reads.empty() && writes.empty()) fail("a compute task without blocks");
  Computation made{.function = std::move(function), .name = std::move(name), .for_worker = for_worker};
  for (const BlockId id : reads) {
    const Block& block = at(id, "compute");
    if (!block.placed && block.bytes > 0)
      fail("block " + std::to_string(id.index) + " is read before anything wrote it");
    declare(made, id);
  }
  made.reads = static_cast<std::uint32_t>(reads.size());
  Task task{};
  task.kind = TaskKind::compute;
  task.peer = -1;
  task.round = round_;
  task.phase = phase_;
  task.first_part = static_cast<std::uint32_t>(parts_.computations.size());
  for (const BlockId id : writes) {
    Block& block = at(id, "compute");
    if (!block.placed) place(block);
    declare(made, id);
    task.bytes += block.bytes;
  }
  const auto sorted = [&](std::span<const BlockId> ids) {
    std::vector<std::uint32_t> numbers;
    for (const BlockId id : ids) {
      if (blocks_[id.index].bytes > 0) numbers.push_back(id.index);
    }
    std::ranges::sort(numbers);
    return numbers;
  };
  std::vector<std::uint32_t> read_ones = sorted(reads);
  const std::vector<std::uint32_t> written_ones = sorted(writes);
  if (const auto twice = std::ranges::adjacent_find(written_ones); twice != written_ones.end())
    fail("block " + std::to_string(*twice) + " is written twice by one compute task");
  read_ones.erase(std::unique(read_ones.begin(), read_ones.end()), read_ones.end());
  const TaskId id = add_task(task);
  for (const std::uint32_t number : read_ones) {
    if (!std::ranges::binary_search(written_ones, number)) read(id, {number});
  }
  for (const std::uint32_t number : written_ones) {
    if (std::ranges::binary_search(read_ones, number))
      update(id, {number}, "updated");
    else
      write(id, {number});
  }
  parts_.computations.push_back(std::make_shared<const Computation>(std::move(made)));
  end_round();
}

void ScheduleBuilder::reserve_tags(std::uint32_t tags) { parts_.tags = std::max(parts_.tags, tags); }

Schedule ScheduleBuilder::build() && {
  if (!parts_.tasks.empty()) parts_.phases = parts_.tasks.back().phase + 1;
  reduction_ = kNoOperand;
  return Schedule(std::exchange(parts_, {}));
}

}  // namespace rondo::internal
