#include "runtime/check/data_check.hpp"

#include "runtime/check/finding.hpp"
#include "runtime/schedule/task_access.hpp"

#include <algorithm>

namespace rondo::internal {
namespace {

std::string describe_source(std::int32_t rank, std::int64_t offset, std::int64_t bytes) {
  return "rank " + std::to_string(rank) + "'s " + bytes_from_to(Space::send, offset, offset + bytes);
}

/// Returns `text`, the first of `terms` and the number of the others, or an empty text if there are no terms.
std::string describe_terms(const char* text, const std::vector<Term>& terms, std::int64_t bytes) {
  if (terms.empty()) return {};
  std::string all = text + describe_source(terms.front().rank, terms.front().offset, bytes);
  if (terms.front().times > 1) all += ", " + std::to_string(terms.front().times) + " times";
  if (terms.size() > 1) all += ", and " + std::to_string(terms.size() - 1) + " more";
  return all;
}

/// Returns the terms that `one` has more often than `other`.
std::vector<Term> surplus(const std::vector<Term>& one, const std::vector<Term>& other) {
  std::vector<Term> more;
  for (const Term& term : one) {
    const auto same =
        std::ranges::find_if(other, [&](const Term& it) { return it.rank == term.rank && it.offset == term.offset; });
    const std::int64_t times = term.times - (same == other.end() ? 0 : same->times);
    if (times > 0) more.push_back({term.rank, term.offset, times});
  }
  return more;
}

}  // namespace

DataCheck::DataCheck(std::span<const Schedule* const> schedules, const EventGraph& graph,
                     std::span<const Placement> placements, std::span<const Combination> combinations)
    : schedules_(schedules), graph_(graph), memories_(schedules.size()), defined_sends_(schedules.size()) {
  for (const Placement& line : placements) {
    definition_.push_back({line.target, line.target_offset, {line.source, line.source_offset, line.bytes}});
    note_source(line.source, line.source_offset, line.bytes);
  }
  for (const Combination& line : combinations) {
    if (line.sources.empty()) refute(Flaw::malformed, "the definition has a combination of nothing");
    std::vector<Term> terms;
    for (const Combination::Source& source : line.sources) {
      terms.push_back({source.rank, source.offset, 1});
      note_source(source.rank, source.offset, line.bytes);
    }
    definition_.push_back({line.target, line.target_offset, combined_.of(std::move(terms), line.bytes)});
  }
}

/// Records that these bytes of a send buffer may be read.
void DataCheck::note_source(std::int32_t rank, std::int64_t offset, std::int64_t bytes) {
  defined_sends_[static_cast<std::size_t>(rank)].write(offset, {rank, offset, bytes}, kNoTask);
}

void DataCheck::run() {
  follow_data();
  for (const Line& line : definition_) check_line(line);
  check_nothing_else();
}

void DataCheck::run_without_definition() {
  is_defined_ = false;
  follow_data();
}

/// Returns bytes that were in the rank's buffer from the start, and so are their own origin. Throws Finding if the
/// definition does not use them.
SymbolicBytes DataCheck::read_own(std::int32_t rank, TaskId reader, Space space, std::int64_t offset,
                                  std::int64_t bytes) const {
  if (!is_defined_) return {rank, offset, bytes};
  SymbolicRow known;
  defined_sends_[static_cast<std::size_t>(rank)].read(offset, offset + bytes, known);
  for (std::int64_t place = offset; const SymbolicBytes& piece : known.pieces()) {
    if (!piece.written()) {
      const bool sends = space == Space::send;
      refute(sends ? Flaw::malformed : Flaw::unwritten,
             tell(rank, schedule(rank), reader) + " reads " + bytes_from_to(space, place, place + piece.bytes) +
                 (sends ? ", which belong to no block" : ", which nothing has written"));
    }
    place += piece.bytes;
  }
  return {rank, offset, bytes};
}

SymbolicRow DataCheck::read(std::int32_t rank, TaskId reader, Space space, std::int64_t offset, std::int64_t bytes) {
  SymbolicRow row;
  if (space == Space::send) {
    row.append(read_own(rank, reader, space, offset, bytes));
    return row;
  }
  SymbolicRow held;
  memory(rank, space).read(offset, offset + bytes, held);
  for (std::int64_t place = offset; const SymbolicBytes& piece : held.pieces()) {
    if (piece.written()) {
      row.append(piece);
    } else if (space == Space::recv && schedule(rank).in_place()) {
      row.append(read_own(rank, reader, space, place, piece.bytes));
    } else {
      refute(Flaw::unwritten, tell(rank, schedule(rank), reader) + " reads " +
                                  bytes_from_to(space, place, place + piece.bytes) + ", which nothing has written");
    }
    place += piece.bytes;
  }
  return row;
}

void DataCheck::copy(std::int32_t rank, TaskId id) {
  const Task& task = at(rank, id);
  for_each_piece_of_copy(schedule(rank), task, [&](std::int64_t source, std::int64_t target, std::int64_t bytes) {
    const SymbolicRow held = read(rank, id, task.source_space, source, bytes);
    for (const SymbolicBytes& piece : held.pieces()) {
      memory(rank, task.target_space).write(target, piece, id);
      target += piece.bytes;
    }
  });
}

void DataCheck::reduce(std::int32_t rank, TaskId id) {
  const Task& task = at(rank, id);
  for_each_operand_pair(schedule(rank), task, [&](std::int64_t source, std::int64_t target) {
    schedule(rank).reduction(task).layout().for_each_piece([&](std::int64_t offset, std::int64_t bytes) {
      const SymbolicRow added = read(rank, id, task.source_space, source + offset, bytes);
      const SymbolicRow held = read(rank, id, task.target_space, target + offset, bytes);
      SymbolicRowReader one(added);
      SymbolicRowReader other(held);
      for (std::int64_t done = 0; done < bytes;) {
        const std::int64_t step = std::min(one.ahead(), other.ahead());
        memory(rank, task.target_space)
            .write(target + offset + done, combined_.combine(one.take(step), other.take(step)), id);
        done += step;
      }
    });
  });
}

/// Follows a compute task. Its results equal no other bytes, because the checker does not know the function.
void DataCheck::compute(std::int32_t rank, TaskId id) {
  const Computation& computation = schedule(rank).computation(at(rank, id));
  computation.for_each_access([&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
    if (!writes) static_cast<void>(read(rank, id, space, offset, bytes));
  });
  computation.for_each_access([&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
    if (!writes) return;
    memory(rank, space).write(offset, {static_cast<std::int32_t>(schedules_.size()), computed_, bytes}, id);
    computed_ += bytes;
  });
}

/// Collects the data of a send. The bytes are the same from its begin to its end, as no task that writes them runs
/// meanwhile.
void DataCheck::pick_up(TaskOfRank send) {
  SymbolicRow& row = carried_[send];
  for_each_piece(schedule(send.rank), at(send.rank, send.task),
                 [&](Space space, std::int64_t offset, std::int64_t bytes) {
                   const SymbolicRow held = read(send.rank, send.task, space, offset, bytes);
                   for (const SymbolicBytes& piece : held.pieces()) row.append(piece);
                 });
}

void DataCheck::put_down(std::int32_t rank, TaskId id, const SymbolicRow& row) {
  SymbolicRowReader carried(row);
  for_each_piece(schedule(rank), at(rank, id), [&](Space space, std::int64_t offset, std::int64_t bytes) {
    while (bytes > 0) {
      const SymbolicBytes piece = carried.take(bytes);
      memory(rank, space).write(offset, piece, id);
      offset += piece.bytes;
      bytes -= piece.bytes;
    }
  });
}

/// Moves origins as all tasks move bytes. Tasks that touch the same bytes are ordered, so one order stands for all.
void DataCheck::follow_data() {
  for (const TaskOfRank& next : graph_.order()) {
    switch (at(next.rank, next.task).kind) {
      case TaskKind::copy:
        copy(next.rank, next.task);
        break;
      case TaskKind::reduce:
        reduce(next.rank, next.task);
        break;
      case TaskKind::send:
        if (!carried_.contains(next)) pick_up(next);
        break;
      case TaskKind::receive: {
        const TaskOfRank send = graph_.partner(next);
        if (!carried_.contains(send)) pick_up(send);
        put_down(next.rank, next.task, carried_.at(send));
        break;
      }
      case TaskKind::compute:
        compute(next.rank, next.task);
        break;
      case TaskKind::join:
        break;
    }
  }
}

std::string DataCheck::describe_difference(const SymbolicBytes& found, const SymbolicBytes& wanted) const {
  const std::vector<Term> is = combined_.terms(found);
  const std::vector<Term> should_be = combined_.terms(wanted);
  const auto count = [](const std::vector<Term>& terms) {
    std::int64_t times = 0;
    for (const Term& term : terms) times += term.times;
    return times;
  };
  const auto name = [&](const std::vector<Term>& terms) {
    if (terms.empty()) return std::string("what nothing has written");
    if (count(terms) == 1) return describe_source(terms.front().rank, terms.front().offset, found.bytes);
    return std::to_string(count(terms)) + " blocks combined";
  };
  std::string text = " end as " + name(is) + ", not as " + name(should_be);
  if (is.empty() || (count(is) == 1 && count(should_be) == 1)) return text;
  return text + describe_terms("; missing: ", surplus(should_be, is), found.bytes) +
         describe_terms("; too much: ", surplus(is, should_be), found.bytes);
}

void DataCheck::check_line(const Line& line) {
  SymbolicRow row;
  memory(line.target, Space::recv).read(line.offset, line.offset + line.wanted.bytes, row);
  for (std::int64_t place = line.offset; const SymbolicBytes& piece : row.pieces()) {
    const SymbolicBytes wanted = line.wanted.part(place - line.offset, piece.bytes);
    if (piece != wanted) {
      const TaskId writer = memory(line.target, Space::recv).writer_of(place);
      refute(Flaw::wrong_data,
             "rank " + std::to_string(line.target) + "'s " + bytes_from_to(Space::recv, place, place + piece.bytes) +
                 describe_difference(piece, wanted) +
                 (writer == kNoTask ? std::string{} : "; written by " + describe(schedule(line.target), writer)));
    }
    place += piece.bytes;
  }
}

/// Checks that no byte of a receive buffer was written that is in no line of the definition. Throws Finding if one was.
void DataCheck::check_nothing_else() {
  std::vector<SymbolicMemory> expected(schedules_.size());
  for (const Line& line : definition_)
    expected[static_cast<std::size_t>(line.target)].write(line.offset, line.wanted, kNoTask);
  for (std::int32_t rank = 0; rank < std::ssize(schedules_); ++rank) {
    for (const auto& [begin, entry] : memory(rank, Space::recv).written()) {
      SymbolicRow row;
      expected[static_cast<std::size_t>(rank)].read(begin, entry.end, row);
      for (std::int64_t place = begin; const SymbolicBytes& piece : row.pieces()) {
        if (!piece.written()) {
          refute(Flaw::wrong_data, tell(rank, schedule(rank), entry.writer) + " writes " +
                                       bytes_from_to(Space::recv, place, place + piece.bytes) +
                                       ", which belong to no block");
        }
        place += piece.bytes;
      }
    }
  }
}

}  // namespace rondo::internal
