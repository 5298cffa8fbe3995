#include "runtime/check/schedule_checker.hpp"

#include "runtime/check/data_check.hpp"
#include "runtime/check/event_graph.hpp"
#include "runtime/check/finding.hpp"
#include "runtime/schedule/computation.hpp"
#include "runtime/schedule/task_access.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

class Check {
 public:
  explicit Check(std::span<const Schedule* const> schedules) : schedules_(schedules), graph_(schedules) {}

  /// Checks everything except where data goes. Throws Finding for the first flaw.
  void run() {
    check_form();
    check_agreement();
    match_messages();
    if (!graph_.sort()) refute_for_cycle();
    for (std::int32_t rank = 0; rank < ranks(); ++rank) check_races(rank);
  }
  [[nodiscard]] const EventGraph& graph() const noexcept { return graph_; }

 private:
  /// Sends and receives of one sender, one receiver and one tag, each in the order of posting.
  struct Channel {
    std::vector<TaskId> sends;
    std::vector<TaskId> receives;
  };
  using ChannelKey = std::tuple<std::int32_t, std::int32_t, std::uint32_t>;
  struct Access {
    std::int64_t begin;
    std::int64_t end;
    TaskId task;
    bool writes;
  };

  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(schedules_.size()); }
  [[nodiscard]] const Schedule& schedule(std::int32_t rank) const {
    return *schedules_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const Task& at(std::int32_t rank, TaskId task) const { return schedule(rank).tasks()[task]; }
  [[nodiscard]] std::string tell(std::int32_t rank, TaskId task) const {
    return internal::tell(rank, schedule(rank), task);
  }
  [[nodiscard]] std::string tell_bytes(std::int32_t rank, TaskId task) const {
    return tell(rank, task) + ", " + std::to_string(at(rank, task).bytes) + " bytes";
  }

  void check_form() const;
  void check_parts(std::int32_t rank, TaskId id) const;
  void check_computation(std::int32_t rank, TaskId id) const;
  void check_operands(std::int32_t rank, TaskId id) const;
  void check_task(std::int32_t rank, TaskId id) const;
  void check_agreement() const;
  void match_messages();
  void check_order(std::int32_t rank, const std::vector<TaskId>& messages) const;
  [[noreturn]] void refute_for_cycle() const;
  void check_races(std::int32_t rank) const;
  void check_pair(std::int32_t rank, Space space, const Access& one, const Access& other,
                  std::unordered_set<std::uint64_t>& done) const;

  std::span<const Schedule* const> schedules_;
  EventGraph graph_;
};

/// Checks that everything to which the task refers exists, so that the other checks may access it.
void Check::check_parts(std::int32_t rank, TaskId id) const {
  const Schedule& of_rank = schedule(rank);
  const Task& task = of_rank.tasks()[id];
  if (task.kind > TaskKind::join || task.source_space > Space::scratch || task.target_space > Space::scratch ||
      task.bytes < 0) {
    refute(Flaw::malformed, "rank " + std::to_string(rank) + ", task " + std::to_string(id) + " is not a task");
  }
  if (task.kind == TaskKind::copy && std::uint64_t{task.first_part} + task.part_count > of_rank.runs().size())
    refute(Flaw::malformed, tell(rank, id) + " has runs that do not exist");
  if (task.kind == TaskKind::reduce) {
    if (task.reduction >= of_rank.reductions().size())
      refute(Flaw::malformed, tell(rank, id) + " has no reduction that defines what it does");
    if (std::uint64_t{task.first_part} + task.part_count > of_rank.operand_pairs().size())
      refute(Flaw::malformed, tell(rank, id) + " has pairs of operands that do not exist");
  }
  if (task.kind == TaskKind::compute) check_computation(rank, id);
  if (!is_message(task)) return;
  if (task.first_part == kContiguous && task.bytes > std::numeric_limits<int>::max())
    refute(Flaw::malformed, tell_bytes(rank, id) + ": more than MPI can count without a layout");
  if (task.first_part != kContiguous && task.first_part >= of_rank.wire_layouts().size())
    refute(Flaw::malformed, tell(rank, id) + " has a layout that does not exist");
}

void Check::check_computation(std::int32_t rank, TaskId id) const {
  const Schedule& of_rank = schedule(rank);
  const Task& task = of_rank.tasks()[id];
  const std::string who = "rank " + std::to_string(rank) + ", compute task " + std::to_string(id);
  if (task.first_part >= of_rank.computations().size()) refute(Flaw::malformed, who + " has nothing to run");
  const Computation& computation = of_rank.computation(task);
  const auto is_one = [&](const ComputedBlock& block) {
    return block.space < kSpaces &&
           (block.layout == ComputedBlock::kContiguous || block.layout < computation.layouts.size());
  };
  if (computation.reads > computation.blocks.size() || !std::ranges::all_of(computation.blocks, is_one))
    refute(Flaw::malformed, who + " has blocks that do not exist");
}

/// Checks that the operands of no pair overlap. Different pairs may overlap: they are combined one after the other.
void Check::check_operands(std::int32_t rank, TaskId id) const {
  const Task& task = at(rank, id);
  if (task.source_space != task.target_space) return;
  const Layout& operand = schedule(rank).reduction(task).layout();
  for_each_operand_pair(schedule(rank), task, [&](std::int64_t source, std::int64_t target) {
    if (std::abs(source - target) >= operand.true_end() - operand.true_begin()) return;
    std::vector<Access> pieces;
    operand.for_each_piece([&](std::int64_t offset, std::int64_t bytes) {
      pieces.push_back({source + offset, source + offset + bytes, id, false});
      pieces.push_back({target + offset, target + offset + bytes, id, true});
    });
    std::ranges::sort(pieces, {}, &Access::begin);
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const Access& before = pieces[i - 1];
      if (before.end <= pieces[i].begin) continue;
      refute(Flaw::race, tell(rank, id) + " reads and writes " +
                             bytes_from_to(task.target_space, pieces[i].begin, std::min(before.end, pieces[i].end)));
    }
  });
}

void Check::check_task(std::int32_t rank, TaskId id) const {
  const Schedule& of_rank = schedule(rank);
  const Task& task = of_rank.tasks()[id];
  for (const TaskId next : of_rank.successors(task)) {
    if (next <= id || next >= of_rank.tasks().size()) refute(Flaw::malformed, tell(rank, id) + " has a backward edge");
  }
  check_parts(rank, id);
  if (is_message(task) && (task.peer < 0 || task.peer >= ranks())) {
    refute(Flaw::malformed, tell(rank, id) + ": there are only " + std::to_string(ranks()) + " ranks");
  }
  if (is_message(task) && task.tag >= of_rank.tags()) {
    refute(Flaw::malformed, tell(rank, id) + ": tag " + std::to_string(task.tag) + " is not among the " +
                                std::to_string(of_rank.tags()) + " that are reserved");
  }
  if (task.kind == TaskKind::reduce) check_operands(rank, id);
  std::int64_t moved = 0;
  for_each_access(of_rank, task, [&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
    if (writes || task.kind == TaskKind::send) moved += bytes;
    if (space == Space::send && of_rank.in_place()) {
      refute(Flaw::malformed, tell(rank, id) + " touches " + bytes_from_to(space, offset, offset + bytes) +
                                  ", but the schedule is in place and has no send buffer");
    }
    if (writes && space == Space::send) {
      refute(Flaw::malformed,
             tell(rank, id) + " writes " + bytes_from_to(space, offset, offset + bytes) + ", which belong to the user");
    }
    if (space == Space::scratch && (offset < 0 || offset + bytes > of_rank.scratch_bytes())) {
      refute(Flaw::malformed, tell(rank, id) + " touches " + bytes_from_to(space, offset, offset + bytes) + " of " +
                                  std::to_string(of_rank.scratch_bytes()));
    }
  });
  if (moved != task.bytes) {
    refute(Flaw::malformed, tell(rank, id) + " says that it moves " + std::to_string(task.bytes) + " bytes but moves " +
                                std::to_string(moved));
  }
}

void Check::check_form() const {
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    const Schedule& of_rank = schedule(rank);
    std::vector<std::uint32_t> in_degrees(of_rank.tasks().size());
    for (TaskId id = 0; id < of_rank.tasks().size(); ++id) {
      check_task(rank, id);
      for (const TaskId next : of_rank.successors(of_rank.tasks()[id])) ++in_degrees[next];
    }
    for (TaskId id = 0; id < of_rank.tasks().size(); ++id) {
      if (in_degrees[id] == of_rank.in_degrees()[id]) continue;
      refute(Flaw::malformed, tell(rank, id) + " waits for " + std::to_string(of_rank.in_degrees()[id]) +
                                  " tasks but has edges from " + std::to_string(in_degrees[id]));
    }
  }
}

void Check::check_agreement() const {
  for (std::int32_t rank = 1; rank < ranks(); ++rank) {
    if (schedule(rank).tags() == schedule(0).tags()) continue;
    refute(Flaw::disagreement, "rank 0 reserves " + std::to_string(schedule(0).tags()) + " tags and rank " +
                                   std::to_string(rank) + " " + std::to_string(schedule(rank).tags()) +
                                   ": the tags of the next operation would differ");
  }
}

/// Checks that the order of posting does not depend on what completes first, because messages on one channel meet in
/// that order. Messages that a start posts at once are posted in the order of their numbers.
void Check::check_order(std::int32_t rank, const std::vector<TaskId>& messages) const {
  for (std::size_t i = 1; i < messages.size(); ++i) {
    if (at(rank, messages[i - 1]).message < schedule(rank).root_messages()) continue;
    if (graph_.begins_before(rank, messages[i - 1], messages[i])) continue;
    refute(Flaw::message_order, tell(rank, messages[i - 1]) + " and " + describe(schedule(rank), messages[i]) +
                                    " have the same tag " + std::to_string(at(rank, messages[i]).tag) +
                                    ", and nothing fixes which is posted first");
  }
}

void Check::match_messages() {
  std::map<ChannelKey, Channel> channels;
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    for (const TaskId id : schedule(rank).messages()) {
      const Task& task = at(rank, id);
      if (task.kind == TaskKind::send)
        channels[{rank, task.peer, task.tag}].sends.push_back(id);
      else
        channels[{task.peer, rank, task.tag}].receives.push_back(id);
    }
  }
  for (const auto& [key, channel] : channels) {
    const auto [source, target, tag] = key;
    check_order(source, channel.sends);
    check_order(target, channel.receives);
    for (std::size_t i = 0; i < std::max(channel.sends.size(), channel.receives.size()); ++i) {
      if (i >= channel.receives.size()) {
        refute(Flaw::unmatched, tell_bytes(source, channel.sends[i]) + ": rank " + std::to_string(target) +
                                    " has no receive for it with tag " + std::to_string(tag));
      }
      if (i >= channel.sends.size()) {
        refute(Flaw::unmatched, tell_bytes(target, channel.receives[i]) + ": rank " + std::to_string(source) +
                                    " sends nothing to it with tag " + std::to_string(tag));
      }
      if (at(source, channel.sends[i]).bytes != at(target, channel.receives[i]).bytes) {
        refute(Flaw::size,
               tell_bytes(source, channel.sends[i]) + ", is received by " + tell_bytes(target, channel.receives[i]));
      }
      graph_.match({source, channel.sends[i]}, {target, channel.receives[i]});
    }
  }
}

void Check::refute_for_cycle() const {
  std::string story;
  for (const EventGraph::Event& event : graph_.cycle()) {
    story += (story.empty() ? "" : ", which waits for ") + tell(event.task.rank, event.task.task) +
             (event.ends ? " to end" : " to begin");
  }
  refute(Flaw::deadlock, story + ", which waits for the first");
}

void Check::check_pair(std::int32_t rank, Space space, const Access& one, const Access& other,
                       std::unordered_set<std::uint64_t>& done) const {
  if (!one.writes && !other.writes) return;
  const auto [first, second] = std::minmax(one.task, other.task);
  const std::string where = bytes_from_to(space, std::max(one.begin, other.begin), std::min(one.end, other.end));
  if (first == second) {
    const TaskKind kind = at(rank, first).kind;
    if (kind == TaskKind::reduce) return;                                    // pairs run in order: check_operands()
    if (kind == TaskKind::compute && !(one.writes && other.writes)) return;  // an update, or the function's affair
    refute(Flaw::race, tell(rank, first) + " touches " + where + " twice and writes them");
  }
  if (!done.insert(std::uint64_t{first} << 32U | second).second) return;
  // Edges go from lower to higher tasks, but the way from one to the other may lead through other ranks.
  if (graph_.ordered({rank, first}, {rank, second}) || graph_.ordered({rank, second}, {rank, first})) return;
  const auto does = [&](const Access& access) { return access.writes ? " writes " : " reads "; };
  refute(Flaw::race, tell(rank, one.task) + does(one) + where + " and " + describe(schedule(rank), other.task) +
                         does(other) + "them, and neither is sure to end before the other begins");
}

void Check::check_races(std::int32_t rank) const {
  std::array<std::vector<Access>, kSpaces> accesses;
  const Schedule& of_rank = schedule(rank);
  for (TaskId id = 0; id < of_rank.tasks().size(); ++id) {
    for_each_access(of_rank, of_rank.tasks()[id],
                    [&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
                      if (bytes > 0)
                        accesses[static_cast<std::size_t>(space)].push_back({offset, offset + bytes, id, writes});
                    });
  }
  std::unordered_set<std::uint64_t> done;
  for (const Space space : {Space::recv, Space::scratch}) {  // a send buffer is only read
    auto& in_space = accesses[static_cast<std::size_t>(space)];
    std::ranges::sort(in_space, {}, &Access::begin);
    std::vector<Access> open;
    for (const Access& access : in_space) {
      std::erase_if(open, [&](const Access& before) { return before.end <= access.begin; });
      for (const Access& before : open) check_pair(rank, space, before, access, done);
      open.push_back(access);
    }
  }
}

}  // namespace

const char* name(Flaw flaw) {
  switch (flaw) {
    case Flaw::malformed:
      return "malformed schedule";
    case Flaw::disagreement:
      return "disagreement between ranks";
    case Flaw::unmatched:
      return "message without a partner";
    case Flaw::size:
      return "message of two sizes";
    case Flaw::message_order:
      return "messages in no fixed order";
    case Flaw::deadlock:
      return "deadlock";
    case Flaw::race:
      return "race";
    case Flaw::unwritten:
      return "read before written";
    case Flaw::wrong_data:
      return "wrong data";
  }
  return "?";
}

std::optional<Finding> check_schedules(std::span<const Schedule* const> schedules,
                                       std::span<const Placement> placements,
                                       std::span<const Combination> combinations) {
  try {
    Check check(schedules);
    check.run();
    DataCheck(schedules, check.graph(), placements, combinations).run();
  } catch (Finding& finding) {
    return std::move(finding);
  }
  return std::nullopt;
}

std::optional<Finding> check_without_definition(std::span<const Schedule* const> schedules) {
  try {
    Check check(schedules);
    check.run();
    DataCheck(schedules, check.graph(), {}, {}).run_without_definition();
  } catch (Finding& finding) {
    return std::move(finding);
  }
  return std::nullopt;
}

}  // namespace rondo::internal
