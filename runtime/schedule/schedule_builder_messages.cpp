// The functions of ScheduleBuilder that make messages, and decide how they travel.
#include "runtime/schedule/schedule_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rondo::internal {
namespace {

/// Most bytes of a contiguous message that MPI can count. A longer message needs a layout.
constexpr std::int64_t kLongestCount = std::numeric_limits<int>::max();

}  // namespace

void ScheduleBuilder::exchange(int target, int source, std::uint32_t tag, std::span<const BlockId> outgoing,
                               std::span<const BlockId> incoming) {
  begin_exchange();
  send(target, tag, outgoing);
  receive(source, tag, incoming);
  end_exchange();
}

void ScheduleBuilder::begin_batch() {
  const auto ending = batches_.messages();
  TaskId awaited = ending.empty() ? kNoTask : ending.front();
  if (ending.size() > 1) {  // all wait for one task: as many edges as messages, not as pairs of them
    awaited = add_join();
    for (const TaskId message : ending) add_edge(message, awaited);
  }
  batches_.next(awaited);
}

void ScheduleBuilder::begin_exchange() {
  if (batches_.is_open()) {
    if (batches_.is_over()) begin_batch();
    batches_.begin_exchange();
  }
  if (in_exchange_) ++round_;  // the previous exchange ends here
  in_exchange_ = true;
  if (window_.is_open()) window_.begin_exchange();
}

void ScheduleBuilder::end_exchange() {
  in_exchange_ = false;
  end_round();
}

/// Ends the round of a task outside an exchange. Within an exchange, the round goes on.
void ScheduleBuilder::end_round() {
  if (!in_exchange_) ++round_;
}

TaskId ScheduleBuilder::add_message(const Task& task) {
  const TaskId id = add_task(task);
  if (window_.is_open()) {
    for (const TaskId before : window_.awaited()) add_edge(before, id);
    window_.add(id);
  }
  if (batches_.is_open()) {
    if (batches_.awaited() != kNoTask) add_edge(batches_.awaited(), id);
    batches_.add(id);
  }
  return id;
}

Task ScheduleBuilder::message(TaskKind kind, int peer, std::uint32_t tag, std::size_t blocks) {
  if ((window_.is_open() || batches_.is_open()) && !in_exchange_)
    fail("a message outside an exchange, where there is a window or batches: begin_exchange() comes first");
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

ScheduleBuilder::Survey ScheduleBuilder::survey(std::span<const BlockId> blocks, const char* use) const {
  Survey found;
  const Block* before = nullptr;
  for (const BlockId id : blocks) {
    const Block& block = at(id, use);
    found.bytes += block.bytes;
    found.pieces += block.layout == nullptr ? 1 : block.layout->pieces();
    found.placed = found.placed && block.placed;
    found.in_a_row =
        found.in_a_row && block.layout == nullptr &&
        (before == nullptr || (before->space == block.space && before->offset + before->bytes == block.offset));
    found.spaces[static_cast<std::size_t>(block.space)] = true;
    before = &block;
  }
  return found;
}

bool ScheduleBuilder::goes_as_datatype(const Survey& blocks) const {
  if (form_ != MessageForm::automatic) return form_ == MessageForm::datatype;
  if (!blocks.placed) return false;  // blocks in transit are as well off where they arrive
  if (!blocks.one_space() && !(form_costs_.across_spaces && blocks.bytes <= form_costs_.longest_in_memory))
    return false;
  return datatype_is_cheaper(form_costs_, blocks.bytes, blocks.pieces);
}

/// Returns goes_as_datatype() for a message that is made, and notes the additional cost of the other form.
bool ScheduleBuilder::choose_datatype(const Survey& blocks) {
  const bool as_datatype = goes_as_datatype(blocks);
  if (form_ != MessageForm::automatic || blocks.one_piece()) return as_datatype;
  const double staged = staged_nanoseconds(form_costs_, blocks.bytes, blocks.pieces);
  const double datatype = datatype_nanoseconds(form_costs_, blocks.bytes, blocks.pieces);
  other_forms_.pieces += blocks.pieces;
  if (as_datatype) {
    const bool saves_a_copy = blocks.bytes <= form_costs_.longest_in_memory;
    other_forms_.add_staged(saves_a_copy ? OtherForms::kNever : std::llround(staged - datatype));
  } else {  // data in transit are copied in neither form
    other_forms_.add_datatype(blocks.placed ? std::llround(datatype - staged) : OtherForms::kNever);
  }
  return as_datatype;
}

bool ScheduleBuilder::is_staged(std::span<const BlockId> blocks) const {
  const Survey found = survey(blocks, "look at");
  return !found.one_piece() && !goes_as_datatype(found);
}

/// Gives blocks without a place one. Blocks that arrive side by side lie one after the other if they may.
void ScheduleBuilder::place_together(std::span<const BlockId> blocks) {
  std::int64_t total = 0;
  std::vector<Block*> in_a_row;
  for (const BlockId id : blocks) {
    Block& block = blocks_[id.index];
    if (block.placed) continue;
    if (!may_lie_at(block, total)) {
      place(block);
      continue;
    }
    block.placed = true;
    block.offset = total;
    total += block.bytes;
    in_a_row.push_back(&block);
  }
  if (total == 0) return;
  const std::int64_t begin = take_scratch(total);
  for (Block* block : in_a_row) block->offset += begin;
}

std::uint32_t ScheduleBuilder::add_wire_layout(std::span<const BlockId> blocks, const TypeRecipe& recipe) {
  WireLayout wire;
  wire.set_recipe(recipe);
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

void ScheduleBuilder::send(int target, std::uint32_t tag, std::span<const BlockId> outgoing, const TypeRecipe& recipe) {
  const bool by_recipe = recipe.constructor != TypeConstructor::runs;
  const Survey found = survey(outgoing, "send");
  const std::int64_t total = found.bytes;
  if (total == 0) fail("a send to rank " + std::to_string(target) + " without bytes");
  if (outgoing.size() > 1) {
    parts_.staged_blocks += static_cast<std::int64_t>(outgoing.size());
    parts_.staged_bytes += total;
  }
  Task task = message(TaskKind::send, target, tag, outgoing.size());
  task.bytes = total;

  if (found.one_piece() || by_recipe || choose_datatype(found)) {
    if (found.one_piece() && !by_recipe && total <= kLongestCount) {
      task.source_space = blocks_[outgoing.front().index].space;
      task.source_offset = blocks_[outgoing.front().index].offset;
    } else {
      task.first_part = add_wire_layout(outgoing, recipe);
      task.source_space = parts_.wire_layouts.back().parts().front().space;
    }
    const TaskId id = add_message(task);
    for (const BlockId block : outgoing) read(id, block);
    end_round();
    return;
  }

  const std::int64_t staging = take_scratch(total);
  std::array<TaskId, kSpaces> packs{};
  for (std::size_t space = 0; space < kSpaces; ++space) {
    if (!found.spaces[space]) continue;
    program_.clear();
    copied_.clear();
    std::int64_t place = staging;
    for (const BlockId id : outgoing) {
      const Block& block = blocks_[id.index];
      if (block.space == static_cast<Space>(space)) {
        append_copy(block, {.offset = place, .bytes = block.bytes, .space = Space::scratch, .placed = true});
        copied_.push_back(id);
      }
      place += block.bytes;
    }
    packs[space] = add_copy(static_cast<Space>(space), Space::scratch);
    for (const BlockId block : copied_) read(packs[space], block);
  }
  task.source_space = Space::scratch;
  if (total <= kLongestCount)
    task.source_offset = staging;
  else
    task.first_part = add_wire_layout(staging, total);
  const TaskId id = add_message(task);
  for (std::size_t space = 0; space < kSpaces; ++space) {
    if (found.spaces[space]) add_edge(packs[space], id);
  }
  end_round();
}

void ScheduleBuilder::receive(int source, std::uint32_t tag, std::span<const BlockId> incoming,
                              const TypeRecipe& recipe) {
  const bool by_recipe = recipe.constructor != TypeConstructor::runs;
  Survey found = survey(incoming, "receive");
  const std::int64_t total = found.bytes;
  if (total == 0) fail("a receive from rank " + std::to_string(source) + " without bytes");
  for (const BlockId id : incoming) {
    const Block& block = blocks_[id.index];
    // Blocks in transit stay where they arrive, and so do most operands.
    if (incoming.size() == 1 || !block.placed) continue;
    ++parts_.staged_blocks;
    parts_.staged_bytes += block.bytes;
  }
  Task task = message(TaskKind::receive, source, tag, incoming.size());
  task.bytes = total;

  const bool as_datatype = by_recipe || choose_datatype(found);
  if (as_datatype && !found.placed) {
    place_together(incoming);
    found = survey(incoming, "receive");
  }
  if (found.one_piece() || as_datatype) {
    if (found.one_piece() && !by_recipe && total <= kLongestCount) {
      task.target_space = blocks_[incoming.front().index].space;
      task.target_offset = blocks_[incoming.front().index].offset;
    } else {
      task.first_part = add_wire_layout(incoming, recipe);
      task.target_space = parts_.wire_layouts.back().parts().front().space;
    }
    const TaskId id = add_message(task);
    for (const BlockId block : incoming) write(id, block);
    end_round();
    return;
  }

  const std::int64_t staging = take_scratch(total);
  task.target_space = Space::scratch;
  if (total <= kLongestCount)
    task.target_offset = staging;
  else
    task.first_part = add_wire_layout(staging, total);
  const TaskId arrival = add_message(task);
  std::int64_t begin = staging;
  to_unpack_.clear();
  std::array<bool, kSpaces> writes{};
  for (const BlockId id : incoming) {
    Block& block = blocks_[id.index];
    if (!block.placed && may_lie_at(block, begin)) {
      block.placed = true;
      block.offset = begin;
      write(arrival, id);
    } else {
      if (!block.placed) place(block);
      to_unpack_.emplace_back(id, begin);
      writes[static_cast<std::size_t>(block.space)] = true;
    }
    begin += block.bytes;
  }
  for (std::size_t space = 0; space < kSpaces; ++space) {
    if (!writes[space]) continue;
    program_.clear();
    copied_.clear();
    for (const auto& [id, from] : to_unpack_) {
      const Block& block = blocks_[id.index];
      if (block.space != static_cast<Space>(space)) continue;
      append_copy({.offset = from, .bytes = block.bytes, .space = Space::scratch, .placed = true}, block);
      copied_.push_back(id);
    }
    const TaskId unpack = add_copy(Space::scratch, static_cast<Space>(space));
    add_edge(arrival, unpack);
    for (const BlockId block : copied_) write(unpack, block);
  }
  end_round();
}

}  // namespace rondo::internal
