#include "runtime/routes/same_data.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace rondo::internal {
namespace {

constexpr std::size_t kNotAsked = std::numeric_limits<std::size_t>::max();

struct Sent {
  std::uint32_t number;
  const Task* task;
  std::vector<TaskId> waits_for = {};  ///< ascending; empty for data in the send buffer, which nothing writes
};

std::span<const WireLayout::Part> parts_of(const Schedule& schedule, const Task& send) {
  return schedule.wire_layouts()[send.first_part].parts();
}

bool lies_in_send_buffer(const Schedule& schedule, const Task& send) {
  if (send.first_part == kContiguous) return send.source_space == Space::send;
  return std::ranges::all_of(parts_of(schedule, send), [](const auto& part) { return part.space == Space::send; });
}

/// Returns properties that differ between sends if their data lie at different places, as far as that is cheap to tell.
auto rough_place(const Schedule& schedule, const Task& send) {
  const bool in_a_row = send.first_part == kContiguous;
  const Space space = in_a_row ? send.source_space : parts_of(schedule, send).front().space;
  const std::int64_t begin = in_a_row ? send.source_offset : parts_of(schedule, send).front().layout.true_begin();
  return std::tuple(in_a_row, space, begin, send.bytes);
}

/// Returns whether the data of two sends with the same rough place lie at the same place.
bool have_same_place(const Schedule& schedule, const Task& one, const Task& other) {
  if (one.first_part == other.first_part) return true;
  return std::ranges::equal(parts_of(schedule, one), parts_of(schedule, other),
                            [](const auto& a, const auto& b) { return a.space == b.space && a.layout == b.layout; });
}

void find_what_they_wait_for(const Schedule& schedule, std::span<Sent> sends) {
  std::vector<std::size_t> places(schedule.tasks().size(), kNotAsked);
  bool any = false;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (lies_in_send_buffer(schedule, *sends[i].task)) continue;
    places[static_cast<std::size_t>(sends[i].task - schedule.tasks().data())] = i;
    any = true;
  }
  if (!any) return;
  for (TaskId id = 0; id < schedule.tasks().size(); ++id) {
    for (const TaskId successor : schedule.successors(schedule.tasks()[id])) {
      if (places[successor] != kNotAsked) sends[places[successor]].waits_for.push_back(id);
    }
  }
}

}  // namespace

std::vector<SameData> same_data(const Schedule& schedule, std::span<const std::uint32_t> sends) {
  std::vector<Sent> all;
  all.reserve(sends.size());
  for (const std::uint32_t number : sends) all.push_back({number, &schedule.tasks()[schedule.messages()[number]]});
  std::ranges::sort(
      all, {}, [&](const Sent& it) { return std::tuple_cat(rough_place(schedule, *it.task), std::tuple(it.number)); });
  find_what_they_wait_for(schedule, all);
  std::vector<SameData> groups;
  std::vector<const Sent*> firsts;  // of the groups with the current rough place
  for (const Sent& it : all) {
    if (!firsts.empty() && rough_place(schedule, *firsts.front()->task) != rough_place(schedule, *it.task))
      firsts.clear();
    const auto same = std::ranges::find_if(firsts, [&](const Sent* first) {
      return first->waits_for == it.waits_for && have_same_place(schedule, *first->task, *it.task);
    });
    if (same == firsts.end()) {
      firsts.push_back(&it);
      groups.push_back({it.number});
    } else {
      groups[groups.size() - static_cast<std::size_t>(firsts.end() - same)].push_back(it.number);
    }
  }
  std::erase_if(groups, [](const SameData& group) { return group.size() < 2; });
  return groups;
}

}  // namespace rondo::internal
