#include "runtime/routes/slot_readers.hpp"

#include "runtime/schedule/task_access.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace rondo::internal {
namespace {

/// Scratch memory that a message goes to.
struct Landing {
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t message;
  bool fit = true;  ///< so far, nothing but reduces reads it, and nothing else writes it
};

/// Disjoint, by place.
std::vector<Landing> landings_of(const Schedule& schedule) {
  std::vector<Landing> landings;
  for (const TaskId id : schedule.messages()) {
    const Task& task = schedule.tasks()[id];
    if (task.kind != TaskKind::receive || task.target_space != Space::scratch || task.first_part != kContiguous)
      continue;
    landings.push_back({task.target_offset, task.target_offset + task.bytes, task.message});
  }
  std::ranges::sort(landings, {}, &Landing::begin);
  std::size_t kept = 0;
  for (const Landing& landing : landings) {
    if (kept > 0 && landing.begin < landings[kept - 1].end) {
      Landing& before = landings[kept - 1];
      before.end = std::max(before.end, landing.end);
      before.fit = false;
    } else {
      landings[kept++] = landing;
    }
  }
  landings.erase(landings.begin() + static_cast<std::ptrdiff_t>(kept), landings.end());
  return landings;
}

/// The first that reaches beyond `offset`.
std::vector<Landing>::iterator first_beyond(std::vector<Landing>& landings, std::int64_t offset) {
  return std::ranges::upper_bound(landings, offset, {}, &Landing::end);
}

void make_unfit(std::vector<Landing>& landings, std::int64_t offset, std::int64_t bytes) {
  for (auto it = first_beyond(landings, offset); it != landings.end() && it->begin < offset + bytes; ++it)
    it->fit = false;
}

/// The place in `landings` of the one that holds all sources of a reduce, as its operands lie in memory.
std::optional<std::size_t> landing_of_sources(const Schedule& schedule, const Task& reduce,
                                              std::vector<Landing>& landings) {
  const Reduction& reduction = *schedule.reduction();
  std::optional<std::size_t> found;
  bool together = reduce.source_space == Space::scratch;
  for_each_operand_pair(schedule, reduce, [&](std::int64_t source, std::int64_t) {
    if (!together) return;
    const std::int64_t begin = source + reduction.layout().true_begin();
    const std::int64_t end = source + reduction.layout().true_end();
    const auto it = first_beyond(landings, begin);
    together = it != landings.end() && it->begin <= begin && end <= it->end &&
               (source - it->begin) % reduction.alignment() == 0;
    if (!together) return;
    const auto place = static_cast<std::size_t>(it - landings.begin());
    together = found.value_or(place) == place;
    found = place;
  });
  return together ? found : std::nullopt;
}

}  // namespace

std::vector<SlotReader> slot_readers(const Schedule& schedule) {
  if (schedule.reduction() == nullptr) return {};
  std::vector<Landing> landings = landings_of(schedule);
  struct Reading {
    TaskId task;
    std::size_t landing;
  };
  std::vector<Reading> readings;
  for (TaskId id = 0; id < schedule.tasks().size(); ++id) {
    const Task& task = schedule.tasks()[id];
    if (task.kind == TaskKind::receive && task.target_space == Space::scratch && task.first_part == kContiguous)
      continue;
    std::optional<std::size_t> source;
    if (task.kind == TaskKind::reduce) source = landing_of_sources(schedule, task, landings);
    if (source) readings.push_back({id, *source});
    for_each_access(schedule, task, [&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
      if (space == Space::scratch && (writes || !source)) make_unfit(landings, offset, bytes);
    });
  }
  std::vector<SlotReader> readers;
  for (const Reading& reading : readings) {
    const Landing& landing = landings[reading.landing];
    if (landing.fit) readers.push_back({reading.task, landing.message});
  }
  return readers;
}

}  // namespace rondo::internal
