#include "runtime/schedule_checker.hpp"

#include "runtime/event_graph.hpp"
#include "runtime/symbolic_memory.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace rondo {
namespace {

/// Leaves the check, whose answer it is.
[[noreturn]] void refute(Flaw flaw, std::string story) { throw Finding{flaw, std::move(story)}; }

std::string bytes_from_to(Space space, std::int64_t begin, std::int64_t end) {
  return std::string(name(space)) + " bytes [" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

std::string describe(const SymbolicBytes& origin) {
  if (origin.rank < 0) return "what nothing has written";
  return "rank " + std::to_string(origin.rank) + "'s " +
         bytes_from_to(Space::send, origin.offset, origin.offset + origin.bytes);
}

/// Calls visit(space, offset, bytes) for each piece of a message's end, in the order of the data.
template <typename Visit>
void for_each_piece(const Schedule& schedule, const Task& message, Visit visit) {
  if (message.first_part == kContiguous) {
    if (message.kind == TaskKind::send)
      visit(message.source_space, message.source_offset, message.bytes);
    else
      visit(message.target_space, message.target_offset, message.bytes);
    return;
  }
  for (const WireLayout::Part& part : schedule.wire_layouts()[message.first_part].parts()) {
    part.layout.for_each_piece([&](std::int64_t offset, std::int64_t bytes) { visit(part.space, offset, bytes); });
  }
}

/// Calls visit(source, target, bytes) for each piece of a copy.
template <typename Visit>
void for_each_piece_of_copy(const Schedule& schedule, const Task& copy, Visit visit) {
  if (copy.part_count == 0) {
    visit(copy.source_offset, copy.target_offset, copy.bytes);
    return;
  }
  for_each_copied_piece(schedule.runs(copy), visit);
}

/// Calls visit(source, target) for the addresses of each pair of operands, in the order in which they are combined.
template <typename Visit>
void for_each_operand_pair(const Schedule& schedule, const Task& reduce, Visit visit) {
  if (reduce.part_count == 0) visit(reduce.source_offset, reduce.target_offset);
  for (const OperandPair& pair : schedule.operand_pairs(reduce)) visit(pair.source, pair.target);
}

/// Calls visit(space, offset, bytes, writes) for everything that a task touches.
template <typename Visit>
void for_each_access(const Schedule& schedule, const Task& task, Visit visit) {
  switch (task.kind) {
    case TaskKind::send:
      for_each_piece(schedule, task, [&](Space space, auto offset, auto bytes) { visit(space, offset, bytes, false); });
      break;
    case TaskKind::receive:
      for_each_piece(schedule, task, [&](Space space, auto offset, auto bytes) { visit(space, offset, bytes, true); });
      break;
    case TaskKind::copy:
      for_each_piece_of_copy(schedule, task, [&](auto source, auto target, auto bytes) {
        visit(task.source_space, source, bytes, false);
        visit(task.target_space, target, bytes, true);
      });
      break;
    case TaskKind::reduce:
      for_each_operand_pair(schedule, task, [&](auto source, auto target) {
        const Layout& operand = schedule.reduction()->layout();
        operand.for_each_piece([&](auto at, auto bytes) { visit(task.source_space, at, bytes, false); }, source);
        operand.for_each_piece([&](auto at, auto bytes) { visit(task.target_space, at, bytes, true); }, target);
      });
      break;
    case TaskKind::join:
      break;
  }
}

class Check {
 public:
  Check(std::span<const Schedule* const> schedules, std::span<const Placement> definition)
      : schedules_(schedules), definition_(definition), graph_(schedules) {}

  void run() {
    check_form();
    note_definition();
    check_agreement();
    match_messages();
    if (!graph_.sort()) refute_for_cycle();
    for (std::int32_t rank = 0; rank < ranks(); ++rank) check_races(rank);
    follow_data();
    check_results();
  }

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
    return "rank " + std::to_string(rank) + ", " + describe(at(rank, task), task);
  }
  [[nodiscard]] std::string tell_bytes(std::int32_t rank, TaskId task) const {
    return tell(rank, task) + ", " + std::to_string(at(rank, task).bytes) + " bytes";
  }
  SymbolicMemory& memory(std::int32_t rank, Space space) {
    return memories_[static_cast<std::size_t>(rank)][space == Space::recv ? 0 : 1];
  }

  void check_form() const;
  void note_definition();
  void check_parts(std::int32_t rank, TaskId id) const;
  void check_task(std::int32_t rank, TaskId id) const;
  void check_agreement() const;
  void match_messages();
  void check_order(std::int32_t rank, const std::vector<TaskId>& messages) const;
  [[noreturn]] void refute_for_cycle() const;
  void check_races(std::int32_t rank) const;
  void check_pair(std::int32_t rank, Space space, const Access& one, const Access& other,
                  std::unordered_set<std::uint64_t>& done) const;
  void follow_data();
  void pick_up(TaskOfRank send);
  void put_down(std::int32_t rank, TaskId id, const SymbolicRow& row);
  SymbolicBytes read_own(std::int32_t rank, TaskId reader, Space space, std::int64_t offset, std::int64_t bytes);
  SymbolicRow read(std::int32_t rank, TaskId reader, Space space, std::int64_t offset, std::int64_t bytes);
  void check_results();

  std::span<const Schedule* const> schedules_;
  std::span<const Placement> definition_;
  EventGraph graph_;
  std::vector<std::array<SymbolicMemory, 2>> memories_;  ///< receive buffer and scratch of each rank
  std::map<TaskOfRank, SymbolicRow> carried_;            ///< by send
  std::vector<SymbolicMemory> defined_sends_;            ///< blocks of each rank's send buffer
};

/// That what the task refers to exists: everything else may look at it then.
void Check::check_parts(std::int32_t rank, TaskId id) const {
  const Schedule& of_rank = schedule(rank);
  const Task& task = of_rank.tasks()[id];
  if (task.kind > TaskKind::join || task.source_space > Space::scratch || task.target_space > Space::scratch ||
      task.bytes < 0) {
    refute(Flaw::malformed, "rank " + std::to_string(rank) + ", task " + std::to_string(id) + " is no task");
  }
  if (task.kind == TaskKind::copy && std::uint64_t{task.first_part} + task.part_count > of_rank.runs().size())
    refute(Flaw::malformed, tell(rank, id) + " has runs that do not exist");
  if (!is_message(task)) return;
  if (task.first_part == kContiguous && task.bytes > std::numeric_limits<int>::max())
    refute(Flaw::malformed, tell_bytes(rank, id) + ": more than MPI can count without a layout");
  if (task.first_part != kContiguous && task.first_part >= of_rank.wire_layouts().size())
    refute(Flaw::malformed, tell(rank, id) + " has a layout that does not exist");
}

void Check::check_task(std::int32_t rank, TaskId id) const {
  const Schedule& of_rank = schedule(rank);
  const Task& task = of_rank.tasks()[id];
  for (const TaskId next : of_rank.successors(task)) {
    if (next <= id || next >= of_rank.tasks().size())
      refute(Flaw::malformed, tell(rank, id) + " has an edge backwards");
  }
  check_parts(rank, id);
  if (is_message(task) && (task.peer < 0 || task.peer >= ranks())) {
    refute(Flaw::malformed, tell(rank, id) + ": there are " + std::to_string(ranks()) + " ranks");
  }
  if (is_message(task) && task.tag >= of_rank.tags()) {
    refute(Flaw::malformed, tell(rank, id) + ": tag " + std::to_string(task.tag) + " is not among the " +
                                std::to_string(of_rank.tags()) + " that are reserved");
  }
  std::int64_t moved = 0;
  for_each_access(of_rank, task, [&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
    if (writes || task.kind == TaskKind::send) moved += bytes;
    if (space == Space::send && of_rank.in_place()) {
      refute(Flaw::malformed, tell(rank, id) + " touches " + bytes_from_to(space, offset, offset + bytes) +
                                  ", and the schedule is in place: it has no send buffer");
    }
    if (writes && space == Space::send) {
      refute(Flaw::malformed, tell(rank, id) + " writes " + bytes_from_to(space, offset, offset + bytes) +
                                  ", which are the user's to keep");
    }
    if (space == Space::scratch && (offset < 0 || offset + bytes > of_rank.scratch_bytes())) {
      refute(Flaw::malformed, tell(rank, id) + " touches " + bytes_from_to(space, offset, offset + bytes) + " of " +
                                  std::to_string(of_rank.scratch_bytes()));
    }
  });
  if (moved != task.bytes) {
    refute(Flaw::malformed, tell(rank, id) + " says that it moves " + std::to_string(task.bytes) + " bytes and moves " +
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
                                  " tasks and has edges from " + std::to_string(in_degrees[id]));
    }
  }
}

/// Notes which bytes of the send buffers may be read.
void Check::note_definition() {
  defined_sends_.resize(schedules_.size());
  for (const Placement& line : definition_) {
    if (line.bytes == 0) continue;
    const SymbolicBytes own{line.source, line.source_offset, line.bytes};
    defined_sends_[static_cast<std::size_t>(line.source)].write(line.source_offset, own, kNoTask);
  }
}

void Check::check_agreement() const {
  for (std::int32_t rank = 1; rank < ranks(); ++rank) {
    if (schedule(rank).tags() == schedule(0).tags()) continue;
    refute(Flaw::disagreement, "rank 0 reserves " + std::to_string(schedule(0).tags()) + " tags and rank " +
                                   std::to_string(rank) + " " + std::to_string(schedule(rank).tags()) +
                                   ": the next operation's would differ");
  }
}

/// Messages on one channel meet in the order of posting, so that order must not depend on what completes first. Those
/// that a start posts at once are posted in the order of their numbers.
void Check::check_order(std::int32_t rank, const std::vector<TaskId>& messages) const {
  for (std::size_t i = 1; i < messages.size(); ++i) {
    if (at(rank, messages[i - 1]).message < schedule(rank).root_messages()) continue;
    if (graph_.begins_before(rank, messages[i - 1], messages[i])) continue;
    refute(Flaw::message_order, tell(rank, messages[i - 1]) + " and " + describe(at(rank, messages[i]), messages[i]) +
                                    " have the same tag " + std::to_string(at(rank, messages[i]).tag) +
                                    ", and which is posted first is not fixed");
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
        refute(Flaw::size, tell_bytes(source, channel.sends[i]) + ", meets " + tell_bytes(target, channel.receives[i]));
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
  if (first == second) refute(Flaw::race, tell(rank, first) + " touches " + where + " twice and writes them");
  if (!done.insert(std::uint64_t{first} << 32U | second).second) return;
  // Edges go from lower to higher tasks, but the way from one to the other may lead through other ranks.
  if (graph_.ordered({rank, first}, {rank, second}) || graph_.ordered({rank, second}, {rank, first})) return;
  const auto does = [&](const Access& access) { return access.writes ? " writes " : " reads "; };
  refute(Flaw::race, tell(rank, one.task) + does(one) + where + " and " + describe(at(rank, other.task), other.task) +
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

/// Bytes that are the rank's own from the start, which are the origin of themselves.
SymbolicBytes Check::read_own(std::int32_t rank, TaskId reader, Space space, std::int64_t offset, std::int64_t bytes) {
  SymbolicRow known;
  defined_sends_[static_cast<std::size_t>(rank)].read(offset, offset + bytes, known);
  for (std::int64_t place = offset; const SymbolicBytes& piece : known.pieces()) {
    if (piece.rank < 0) {
      const bool sends = space == Space::send;
      refute(sends ? Flaw::malformed : Flaw::unwritten,
             tell(rank, reader) + " reads " + bytes_from_to(space, place, place + piece.bytes) +
                 (sends ? ", which belong to no block" : ", which nothing has written"));
    }
    place += piece.bytes;
  }
  return {rank, offset, bytes};
}

SymbolicRow Check::read(std::int32_t rank, TaskId reader, Space space, std::int64_t offset, std::int64_t bytes) {
  SymbolicRow row;
  if (space == Space::send) {
    row.append(read_own(rank, reader, space, offset, bytes));
    return row;
  }
  SymbolicRow held;
  memory(rank, space).read(offset, offset + bytes, held);
  for (std::int64_t place = offset; const SymbolicBytes& piece : held.pieces()) {
    if (piece.rank >= 0) {
      row.append(piece);
    } else if (space == Space::recv && schedule(rank).in_place()) {
      row.append(read_own(rank, reader, space, place, piece.bytes));
    } else {
      refute(Flaw::unwritten, tell(rank, reader) + " reads " + bytes_from_to(space, place, place + piece.bytes) +
                                  ", which nothing has written");
    }
    place += piece.bytes;
  }
  return row;
}

/// What a send carries. Its bytes are the same from its begin to its end, as no task that writes them runs meanwhile.
void Check::pick_up(TaskOfRank send) {
  SymbolicRow& row = carried_[send];
  for_each_piece(schedule(send.rank), at(send.rank, send.task),
                 [&](Space space, std::int64_t offset, std::int64_t bytes) {
                   const SymbolicRow held = read(send.rank, send.task, space, offset, bytes);
                   for (const SymbolicBytes& piece : held.pieces()) {
                     row.append(piece);
                   }
                 });
}

void Check::put_down(std::int32_t rank, TaskId id, const SymbolicRow& row) {
  std::size_t at_piece = 0;
  std::int64_t used = 0;
  for_each_piece(schedule(rank), at(rank, id), [&](Space space, std::int64_t offset, std::int64_t bytes) {
    while (bytes > 0) {
      const SymbolicBytes& piece = row.pieces()[at_piece];
      const std::int64_t step = std::min(bytes, piece.bytes - used);
      memory(rank, space).write(offset, {piece.rank, piece.offset + used, step}, id);
      offset += step;
      bytes -= step;
      used += step;
      if (used < piece.bytes) continue;
      used = 0;
      ++at_piece;
    }
  });
}

/// Moves origins as the tasks move bytes. Tasks that touch the same bytes are ordered, so one order stands for all.
void Check::follow_data() {
  memories_.resize(schedules_.size());
  for (const TaskOfRank& next : graph_.order()) {
    const std::int32_t rank = next.rank;
    const TaskId id = next.task;
    const Task& task = at(rank, id);
    if (task.kind == TaskKind::copy) {
      for_each_piece_of_copy(schedule(rank), task, [&](std::int64_t source, std::int64_t target, std::int64_t bytes) {
        const SymbolicRow held = read(rank, id, task.source_space, source, bytes);
        for (const SymbolicBytes& piece : held.pieces()) {
          memory(rank, task.target_space).write(target, piece, id);
          target += piece.bytes;
        }
      });
    } else if (task.kind == TaskKind::reduce) {
      refute(Flaw::malformed, tell(rank, id) + ": reduce tasks cannot be followed yet");
    } else if (task.kind == TaskKind::send) {
      if (!carried_.contains({rank, id})) pick_up({rank, id});
    } else if (task.kind == TaskKind::receive) {
      const TaskOfRank send = graph_.partner({rank, id});
      if (!carried_.contains(send)) pick_up(send);
      put_down(rank, id, carried_.at(send));
    }
  }
}

void Check::check_results() {
  std::vector<SymbolicMemory> expected(schedules_.size());
  for (const Placement& line : definition_) {
    SymbolicRow row;
    memory(line.target, Space::recv).read(line.target_offset, line.target_offset + line.bytes, row);
    const SymbolicBytes wanted{line.source, line.source_offset, line.bytes};
    expected[static_cast<std::size_t>(line.target)].write(line.target_offset, wanted, 0);
    std::int64_t place = line.target_offset;
    for (const SymbolicBytes& piece : row.pieces()) {
      const SymbolicBytes should_be{line.source, line.source_offset + place - line.target_offset, piece.bytes};
      if (piece != should_be) {
        const TaskId writer = memory(line.target, Space::recv).writer_of(place);
        refute(Flaw::wrong_data,
               "rank " + std::to_string(line.target) + "'s " + bytes_from_to(Space::recv, place, place + piece.bytes) +
                   " end as " + describe(piece) + ", not as " + describe(should_be) +
                   (writer == kNoTask ? std::string{} : "; written by " + describe(at(line.target, writer), writer)));
      }
      place += piece.bytes;
    }
  }
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    for (const auto& [begin, entry] : memory(rank, Space::recv).written()) {
      SymbolicRow row;
      expected[static_cast<std::size_t>(rank)].read(begin, entry.end, row);
      for (std::int64_t place = begin; const SymbolicBytes& piece : row.pieces()) {
        if (piece.rank < 0) {
          refute(Flaw::wrong_data, tell(rank, entry.writer) + " writes " +
                                       bytes_from_to(Space::recv, place, place + piece.bytes) +
                                       ", which belong to no block");
        }
        place += piece.bytes;
      }
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
      return "message without partner";
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
                                       std::span<const Placement> definition) {
  try {
    Check(schedules, definition).run();
  } catch (Finding& finding) {
    return std::move(finding);
  }
  return std::nullopt;
}

}  // namespace rondo
