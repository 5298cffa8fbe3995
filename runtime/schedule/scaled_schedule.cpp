#include "runtime/schedule/scaled_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace rondo::internal {

bool ScaledSchedule::is_possible(const Schedule& schedule, std::int64_t block_bytes) noexcept {
  const auto is_whole = [&](std::int64_t bytes) {
    return bytes % block_bytes == 0 && bytes / block_bytes <= std::numeric_limits<std::int32_t>::max();
  };
  const auto has_whole_blocks = [&](const Task& task) {
    const bool is_in_pieces =
        is_message(task) ? task.first_part != kContiguous : task.kind == TaskKind::copy && task.part_count > 0;
    return !is_in_pieces && is_whole(task.source_offset) && is_whole(task.target_offset) && is_whole(task.bytes);
  };
  const auto has_whole_operands = [&](const std::shared_ptr<const Reduction>& reduction) {
    return reduction->is_of_basic_elements() && is_whole(reduction->layout().size());
  };
  return schedule.computations().empty() && schedule.wire_layouts().empty() &&
         std::ranges::all_of(schedule.tasks(), has_whole_blocks) &&
         std::ranges::all_of(schedule.operand_pairs(),
                             [&](const OperandPair& pair) { return is_whole(pair.source) && is_whole(pair.target); }) &&
         std::ranges::all_of(schedule.reductions(), has_whole_operands);
}

bool ScaledSchedule::is_of_single_blocks(const Schedule& schedule, std::int64_t block_bytes) noexcept {
  const bool combines = !schedule.reductions().empty();
  const auto is_of_one = [&](const Task& task) {
    if (combines && task.kind == TaskKind::reduce) return true;
    return (is_message(task) || task.kind == TaskKind::copy) && task.bytes == block_bytes &&
           (combines || task.successor_count == 0);
  };
  return is_possible(schedule, block_bytes) && (combines || schedule.scratch_bytes() == 0) &&
         std::ranges::all_of(schedule.tasks(), is_of_one) &&
         std::ranges::all_of(schedule.reductions(),
                             [&](const auto& reduction) { return reduction->layout().size() == block_bytes; });
}

ScaledSchedule::ScaledSchedule(const Schedule& schedule, std::int64_t block_bytes)
    : block_bytes_(block_bytes), largest_(block_bytes) {
  ScheduleParts parts = schedule.parts();
  const auto in_blocks = [&](std::int64_t bytes) { return static_cast<std::int32_t>(bytes / block_bytes); };
  for (std::shared_ptr<const Reduction>& reduction : parts.reductions) {
    blocks_of_reductions_.push_back(in_blocks(reduction->layout().size()));
    reductions_.push_back(reduction->copy_of_basic());
    reduction = reductions_.back();
  }
  schedule_ = std::make_shared<Schedule>(std::move(parts));
  seen_ = schedule_;
  for (const Task& task : schedule_->tasks_)
    tasks_.push_back({in_blocks(task.source_offset), in_blocks(task.target_offset), in_blocks(task.bytes)});
  for (const OperandPair& pair : schedule_->operand_pairs_)
    pairs_.push_back({in_blocks(pair.source), in_blocks(pair.target), 0});
}

void ScaledSchedule::scale_to(std::int64_t block_bytes) {
  if (block_bytes == block_bytes_) return;
  block_bytes_ = 0;  // no valid size until all is done
  for (std::size_t i = 0; i < reductions_.size(); ++i)
    reductions_[i]->resize_basic(blocks_of_reductions_[i] * block_bytes);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    Task& task = schedule_->tasks_[i];
    task.source_offset = tasks_[i].source * block_bytes;
    task.target_offset = tasks_[i].target * block_bytes;
    task.bytes = tasks_[i].size * block_bytes;
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    schedule_->operand_pairs_[i] = {pairs_[i].source * block_bytes, pairs_[i].target * block_bytes};
  block_bytes_ = block_bytes;
}

bool ScaledSchedule::place(std::span<const PlacedBlock> sent, std::span<const PlacedBlock> received) {
  if (has_places(sent, received)) return false;
  block_bytes_ = 0;
  sent_.clear();  // no valid places until all is done
  received_.assign(received.begin(), received.end());
  const std::int64_t result = received.empty() ? 0 : received[0].bytes;
  const auto block_in = [&](Space space, std::int32_t number) {
    if (space == Space::scratch) return PlacedBlock{number * result, result};
    return (space == Space::send ? sent : received)[static_cast<std::size_t>(number)];
  };
  for (const std::shared_ptr<Reduction>& reduction : reductions_) reduction->resize_basic(result);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    Task& task = schedule_->tasks_[i];
    if (task.kind == TaskKind::reduce && task.part_count > 0) {
      for (std::size_t pair = task.first_part; pair < task.first_part + task.part_count; ++pair) {
        schedule_->operand_pairs_[pair] = {block_in(task.source_space, pairs_[pair].source).begin,
                                           block_in(task.target_space, pairs_[pair].target).begin};
      }
      task.bytes = tasks_[i].size * result;
      continue;
    }
    if (task.kind != TaskKind::receive) {
      const PlacedBlock block = block_in(task.source_space, tasks_[i].source);
      task.source_offset = block.begin;
      task.bytes = block.bytes;
    }
    if (task.kind != TaskKind::send) {
      const PlacedBlock block = block_in(task.target_space, tasks_[i].target);
      task.target_offset = block.begin;
      task.bytes = block.bytes;
    }
  }
  sent_.assign(sent.begin(), sent.end());
  return true;
}

}  // namespace rondo::internal
