#include "tests/support/cases/ring_alltoall.hpp"

#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {
namespace {

std::string describe(const RingAlltoall& given) {
  std::string text =
      "alltoall of " + std::to_string(given.blocks) + " blocks on a ring of " + std::to_string(given.ranks);
  if (given.window > 0) text += ", window " + std::to_string(given.window);
  if (given.batches > 0) text += ", batches of " + std::to_string(given.batches);
  if (given.flush > 0) text += ", flushed every " + std::to_string(given.flush);
  if (given.halves) text += ", in halves";
  return text;
}

}  // namespace

CollectiveCase ring_alltoall(const RingAlltoall& given) {
  const int ranks = given.ranks;
  CollectiveCase made{describe(given), {}, {}, {}, {}};
  std::vector<Layout> layouts;
  std::vector<std::int64_t> places;
  std::int64_t end = 0;
  const auto is_empty = [&](int rank, int e) { return given.halves && (rank + 2 * e) % 3 == 0; };
  for (int e = 0; e < given.blocks; ++e) {
    Layout layout = Layout::contiguous(3 + e);
    if (e % 2 == 1) layout.append({5 + e, 2, 1, 0});
    places.push_back(end);
    end += layout.true_end() + 1;
    layouts.push_back(std::move(layout));
  }
  for (int rank = 0; rank < ranks; ++rank) {
    ScheduleBuilder builder(Ordering::dependencies, given.form);
    if (given.window > 0) builder.set_window(given.window);
    if (given.batches > 0) builder.set_batches(given.batches);
    for (int e = 0; e < given.blocks; ++e) {
      const auto i = static_cast<std::size_t>(e);
      const int shift = (e + 1) % ranks;
      const int target = (rank + shift) % ranks;
      const int source = (rank + ranks - shift) % ranks;
      const BlockId out = builder.block(Space::send, places[i], layouts[i]);
      const BlockId in = builder.block(Space::recv, places[i], layouts[i]);
      const auto tag = static_cast<std::uint32_t>(e);
      if (given.flush > 0 && e > 0 && e % given.flush == 0) builder.end_batch();
      if (given.halves) {
        builder.begin_exchange();
        if (!is_empty(rank, e)) builder.send(target, tag, {&out, 1});
        if (!is_empty(source, e)) builder.receive(source, tag, {&in, 1});
      } else {
        builder.exchange(target, source, tag, {&out, 1}, {&in, 1});
      }
      if (is_empty(source, e)) continue;
      layouts[i].for_each_piece(
          [&](std::int64_t begin, std::int64_t bytes) {
            made.definition.push_back({rank, begin, source, begin, bytes});
          },
          places[i]);
    }
    builder.reserve_tags(static_cast<std::uint32_t>(given.blocks));
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    made.send_bytes.push_back(end);
    made.recv_bytes.push_back(end);
  }
  return made;
}

bool ordered(const Schedule& schedule, TaskId first, TaskId second) {
  std::set<TaskId> reached{first};
  for (TaskId id = first; id < second; ++id) {
    if (!reached.contains(id)) continue;
    for (const TaskId next : schedule.successors(schedule.tasks()[id])) reached.insert(next);
  }
  return reached.contains(second);
}

}  // namespace rondo::internal
