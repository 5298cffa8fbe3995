#include "runtime/schedule_builder.hpp"

#include <rondo/error.hpp>

#include <algorithm>
#include <limits>

namespace rondo {
namespace {

constexpr std::uint32_t kNoReader = std::numeric_limits<std::uint32_t>::max();
/// Most bytes of a contiguous message that MPI can count; a longer one needs a layout.
constexpr std::int64_t kLongestCount = std::numeric_limits<int>::max();
/// Scratch blocks of messages start on cache lines.
constexpr std::int64_t kScratchAlignment = 64;

}  // namespace

void ScheduleBuilder::fail(const std::string& what) const {
  throw Error(MPI_ERR_INTERN,
              "schedule, phase " + std::to_string(phase_) + ", round " + std::to_string(round_) + ": " + what);
}

ScheduleBuilder::Block& ScheduleBuilder::at(BlockId id, const char* use) {
  if (id.index >= blocks_.size()) {
    fail("block " + std::to_string(id.index) + " to " + use + " is out of range: there are " +
         std::to_string(blocks_.size()));
  }
  return blocks_[id.index];
}

BlockId ScheduleBuilder::add(const Block& block) {
  if (block.bytes < 0) fail("block " + std::to_string(blocks_.size()) + " has a negative number of bytes");
  blocks_.push_back(block);
  return {static_cast<std::uint32_t>(blocks_.size() - 1)};
}

BlockId ScheduleBuilder::block(Space space, std::int64_t offset, std::int64_t bytes) {
  return add({space, true, offset, bytes, nullptr, kNoTask, space == Space::send, kNoReader});
}

BlockId ScheduleBuilder::block(Space space, std::int64_t offset, const Layout& layout) {
  if (layout.is_contiguous()) return block(space, offset + layout.true_begin(), layout.size());
  return add({space, true, offset, layout.size(), &layout, kNoTask, space == Space::send, kNoReader});
}

BlockId ScheduleBuilder::transit(std::int64_t bytes) {
  return add({Space::scratch, false, 0, bytes, nullptr, kNoTask, false, kNoReader});
}

std::int64_t ScheduleBuilder::take_scratch(std::int64_t bytes) {
  const std::int64_t offset = (parts_.scratch_bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  parts_.scratch_bytes = offset + bytes;
  return offset;
}

TaskId ScheduleBuilder::add_task(const Task& task) {
  const auto id = static_cast<TaskId>(parts_.tasks.size());
  parts_.tasks.push_back(task);
  edge_stamp_.push_back(kNoTask);
  if (join_ != kNoTask) add_edge(join_, id);
  return id;
}

void ScheduleBuilder::add_edge(TaskId from, TaskId to) {
  // All edges into a task are added before the next task is made, so one stamp each finds repetitions.
  if (edge_stamp_[from] == to) return;
  edge_stamp_[from] = to;
  parts_.edges.emplace_back(from, to);
}

void ScheduleBuilder::read(TaskId task, BlockId id) {
  Block& block = blocks_[id.index];
  if (!block.written) {
    fail(std::string(name(block.space)) + " block " + std::to_string(id.index) + " is read before anything wrote it");
  }
  if (block.writer != kNoTask) add_edge(block.writer, task);
  readers_.push_back({task, block.last_reader});
  block.last_reader = static_cast<std::uint32_t>(readers_.size() - 1);
}

void ScheduleBuilder::write(TaskId task, BlockId id) {
  Block& block = blocks_[id.index];
  if (block.space == Space::send)
    fail("send block " + std::to_string(id.index) + " is written: it is the user's to keep");
  if (block.writer != kNoTask && block.last_reader == kNoReader) {
    fail(std::string(name(block.space)) + " block " + std::to_string(id.index) +
         " is written twice without order: nothing reads what task " + std::to_string(block.writer) + " wrote");
  }
  for (std::uint32_t i = block.last_reader; i != kNoReader; i = readers_[i].next) add_edge(readers_[i].task, task);
  block.writer = task;
  block.written = true;
  block.last_reader = kNoReader;
}

void ScheduleBuilder::begin_phase() {
  if (ordering_ == Ordering::phases && parts_.tasks.size() > phase_begin_) {
    const auto end = static_cast<TaskId>(parts_.tasks.size());
    Task join{};
    join.kind = TaskKind::join;
    join.peer = -1;
    join.phase = phase_;
    join.round = round_;
    const TaskId id = add_task(join);
    for (TaskId task = phase_begin_; task < end; ++task) add_edge(task, id);
    join_ = id;
    phase_begin_ = static_cast<TaskId>(parts_.tasks.size());
  }
  if (!parts_.tasks.empty()) ++phase_;
  round_ = 0;
}

void ScheduleBuilder::exchange(int target, int source, std::uint32_t tag, std::span<const BlockId> outgoing,
                               std::span<const BlockId> incoming) {
  send(target, tag, outgoing);
  --round_;  // the two halves of an exchange are one round
  receive(source, tag, incoming);
}

Task ScheduleBuilder::message(TaskKind kind, int peer, std::uint32_t tag, std::size_t blocks) {
  if (peer < 0) fail("peer " + std::to_string(peer) + " is not a rank");
  parts_.tags = std::max(parts_.tags, tag + 1);
  Task task{};
  task.kind = kind;
  task.peer = peer;
  task.tag = tag;
  task.round = round_;
  task.phase = phase_;
  task.first_part = kContiguous;
  task.part_count = static_cast<std::uint32_t>(blocks);
  return task;
}

bool ScheduleBuilder::fits_one_piece(std::span<const BlockId> blocks) const {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks_[blocks[i].index];
    if (block.layout != nullptr || !block.placed) return false;
    if (i == 0) continue;
    const Block& before = blocks_[blocks[i - 1].index];
    if (before.space != block.space || before.offset + before.bytes != block.offset) return false;
  }
  return true;
}

bool ScheduleBuilder::goes_as_datatype(std::span<const BlockId> blocks, std::int64_t total) const {
  if (form_ != MessageForm::automatic) return form_ == MessageForm::datatype;
  std::int64_t pieces = 0;
  for (const BlockId id : blocks) {
    const Block& block = blocks_[id.index];
    // What is only in transit is as well off where it arrives, and a datatype across spaces is made anew for each
    // buffer.
    if (!block.placed || block.space != blocks_[blocks.front().index].space) return false;
    pieces += block.layout == nullptr ? 1 : block.layout->pieces();
  }
  return datatype_is_cheaper(measured_form_costs(), total, pieces);
}

/// Gives blocks in transit places of their own, those that arrive side by side one after the other.
void ScheduleBuilder::place_together(std::span<const BlockId> blocks) {
  std::int64_t total = 0;
  for (const BlockId id : blocks) total += blocks_[id.index].placed ? 0 : blocks_[id.index].bytes;
  if (total == 0) return;
  std::int64_t place = take_scratch(total);
  for (const BlockId id : blocks) {
    Block& block = blocks_[id.index];
    if (block.placed) continue;
    block.placed = true;
    block.offset = place;
    place += block.bytes;
  }
}

std::uint32_t ScheduleBuilder::add_wire_layout(std::span<const BlockId> blocks) {
  WireLayout wire;
  for (const BlockId id : blocks) {
    const Block& block = blocks_[id.index];
    if (block.bytes == 0) continue;
    if (block.layout == nullptr)
      wire.append(block.space, Layout::contiguous(block.bytes), block.offset);
    else
      wire.append(block.space, *block.layout, block.offset);
  }
  parts_.wire_layouts.push_back(std::move(wire));
  return static_cast<std::uint32_t>(parts_.wire_layouts.size() - 1);
}

std::uint32_t ScheduleBuilder::add_wire_layout(std::int64_t staging, std::int64_t bytes) {
  WireLayout wire;
  wire.append(Space::scratch, Layout::contiguous(bytes), staging);
  parts_.wire_layouts.push_back(std::move(wire));
  return static_cast<std::uint32_t>(parts_.wire_layouts.size() - 1);
}

void ScheduleBuilder::append_copy(CopyProgram& program, const Block& from, const Block& to) const {
  if (from.layout == nullptr && to.layout == nullptr) {
    program.append(from.offset, to.offset, from.bytes);
    return;
  }
  const Layout source = from.layout == nullptr ? Layout::contiguous(from.bytes) : Layout{};
  const Layout target = to.layout == nullptr ? Layout::contiguous(to.bytes) : Layout{};
  program.append(from.layout == nullptr ? source : *from.layout, from.offset,
                 to.layout == nullptr ? target : *to.layout, to.offset);
}

TaskId ScheduleBuilder::add_copy(const CopyProgram& program, Space source, Space target) {
  Task task{};
  task.kind = TaskKind::copy;
  task.source_space = source;
  task.target_space = target;
  task.peer = -1;
  task.round = round_;
  task.phase = phase_;
  task.bytes = program.bytes();
  const auto runs = program.runs();
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

void ScheduleBuilder::send(int target, std::uint32_t tag, std::span<const BlockId> outgoing) {
  std::int64_t total = 0;
  for (const BlockId id : outgoing) total += at(id, "send").bytes;
  if (total == 0) fail("a send to rank " + std::to_string(target) + " without bytes");
  if (outgoing.size() > 1) {
    parts_.staged_blocks += static_cast<std::int64_t>(outgoing.size());
    parts_.staged_bytes += total;
  }
  Task task = message(TaskKind::send, target, tag, outgoing.size());
  task.bytes = total;

  const bool one_piece = fits_one_piece(outgoing);
  if (one_piece || goes_as_datatype(outgoing, total)) {
    if (one_piece && total <= kLongestCount) {
      task.source_space = blocks_[outgoing.front().index].space;
      task.source_offset = blocks_[outgoing.front().index].offset;
    } else {
      task.first_part = add_wire_layout(outgoing);
      task.source_space = parts_.wire_layouts.back().parts().front().space;
    }
    const TaskId id = add_task(task);
    for (const BlockId block : outgoing) read(id, block);
    ++round_;
    return;
  }

  const std::int64_t staging = take_scratch(total);
  std::vector<TaskId> packs;
  for (std::size_t space = 0; space < kSpaces; ++space) {
    CopyProgram program;
    std::vector<BlockId> packed;
    std::int64_t place = staging;
    for (const BlockId id : outgoing) {
      const Block& block = blocks_[id.index];
      if (block.space == static_cast<Space>(space)) {
        append_copy(program, block, {Space::scratch, true, place, block.bytes, nullptr, kNoTask, false, kNoReader});
        packed.push_back(id);
      }
      place += block.bytes;
    }
    if (packed.empty()) continue;
    packs.push_back(add_copy(program, static_cast<Space>(space), Space::scratch));
    for (const BlockId block : packed) read(packs.back(), block);
  }
  task.source_space = Space::scratch;
  if (total <= kLongestCount)
    task.source_offset = staging;
  else
    task.first_part = add_wire_layout(staging, total);
  const TaskId id = add_task(task);
  for (const TaskId pack : packs) add_edge(pack, id);
  ++round_;
}

void ScheduleBuilder::receive(int source, std::uint32_t tag, std::span<const BlockId> incoming) {
  std::int64_t total = 0;
  for (const BlockId id : incoming) total += at(id, "receive").bytes;
  if (total == 0) fail("a receive from rank " + std::to_string(source) + " without bytes");
  for (const BlockId id : incoming) {
    const Block& block = blocks_[id.index];
    if (incoming.size() == 1 || !block.placed) continue;  // what is in transit stays where it arrives
    ++parts_.staged_blocks;
    parts_.staged_bytes += block.bytes;
  }
  Task task = message(TaskKind::receive, source, tag, incoming.size());
  task.bytes = total;

  const bool as_datatype = goes_as_datatype(incoming, total);
  if (as_datatype) place_together(incoming);
  const bool one_piece = fits_one_piece(incoming);
  if (one_piece || as_datatype) {
    if (one_piece && total <= kLongestCount) {
      task.target_space = blocks_[incoming.front().index].space;
      task.target_offset = blocks_[incoming.front().index].offset;
    } else {
      task.first_part = add_wire_layout(incoming);
      task.target_space = parts_.wire_layouts.back().parts().front().space;
    }
    const TaskId id = add_task(task);
    for (const BlockId block : incoming) write(id, block);
    ++round_;
    return;
  }

  const std::int64_t staging = take_scratch(total);
  task.target_space = Space::scratch;
  if (total <= kLongestCount)
    task.target_offset = staging;
  else
    task.first_part = add_wire_layout(staging, total);
  const TaskId arrival = add_task(task);
  std::int64_t place = staging;
  std::vector<std::pair<BlockId, std::int64_t>> to_unpack;
  for (const BlockId id : incoming) {
    Block& block = blocks_[id.index];
    if (block.placed) {
      to_unpack.emplace_back(id, place);
    } else {
      block.placed = true;
      block.offset = place;
      write(arrival, id);
    }
    place += block.bytes;
  }
  for (std::size_t space = 0; space < kSpaces; ++space) {
    CopyProgram program;
    std::vector<BlockId> unpacked;
    for (const auto& [id, from] : to_unpack) {
      const Block& block = blocks_[id.index];
      if (block.space != static_cast<Space>(space)) continue;
      append_copy(program, {Space::scratch, true, from, block.bytes, nullptr, kNoTask, true, kNoReader}, block);
      unpacked.push_back(id);
    }
    if (unpacked.empty()) continue;
    const TaskId unpack = add_copy(program, Space::scratch, static_cast<Space>(space));
    add_edge(arrival, unpack);
    for (const BlockId block : unpacked) write(unpack, block);
  }
  ++round_;
}

void ScheduleBuilder::copy(std::span<const BlockId> from, std::span<const BlockId> to) {
  if (from.size() != to.size())
    fail("a copy of " + std::to_string(from.size()) + " blocks to " + std::to_string(to.size()));
  if (from.empty()) fail("a copy without blocks");
  const Space source = at(from.front(), "copy").space;
  const Space target = at(to.front(), "copy").space;
  CopyProgram program;
  for (std::size_t i = 0; i < from.size(); ++i) {
    Block& read_from = at(from[i], "copy");
    Block& written_to = at(to[i], "copy");
    if (read_from.space != source || written_to.space != target) fail("a copy between more than two spaces");
    if (read_from.bytes != written_to.bytes) {
      fail("a copy of " + std::to_string(read_from.bytes) + " bytes to " + std::to_string(written_to.bytes));
    }
    if (!read_from.placed) fail("block " + std::to_string(from[i].index) + " is copied before anything wrote it");
    if (!written_to.placed) {
      written_to.placed = true;
      written_to.offset = take_scratch(written_to.bytes);
    }
    append_copy(program, read_from, written_to);
  }
  if (program.bytes() == 0) fail("a copy without bytes");
  const TaskId id = add_copy(program, source, target);
  for (const BlockId block : from) read(id, block);
  for (const BlockId block : to) write(id, block);
  ++round_;
}

void ScheduleBuilder::reserve_tags(std::uint32_t tags) { parts_.tags = std::max(parts_.tags, tags); }

Schedule ScheduleBuilder::build() && {
  if (!parts_.tasks.empty()) parts_.phases = parts_.tasks.back().phase + 1;
  return Schedule(std::exchange(parts_, {}));
}

}  // namespace rondo
