#include "runtime/routes/slot_readers.hpp"

#include "runtime/schedule/task_access.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace rondo::internal {
namespace {

bool is_landing(const Task& task) {
  return task.kind == TaskKind::receive && task.target_space == Space::scratch && task.first_part == kContiguous;
}

/// Bytes [begin, end) of scratch memory.
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

/// The landings of a schedule, and whether each is fit to stay in its slot as far as is known.
class Landings {
 public:
  using Place = std::size_t;

  explicit Landings(const Schedule& schedule) {
    for (const TaskId id : schedule.messages()) {
      const Task& task = schedule.tasks()[id];
      if (is_landing(task)) all_.push_back({task.target_offset, task.target_offset + task.bytes, task.message});
    }
    std::ranges::sort(all_, {}, &Landing::begin);
    std::size_t kept = 0;
    for (const Landing& landing : all_) {
      if (kept > 0 && landing.begin < all_[kept - 1].end) {  // unrelated landings that share bytes
        all_[kept - 1].end = std::max(all_[kept - 1].end, landing.end);
        fit_[kept - 1] = false;
      } else {
        all_[kept++] = landing;
        fit_.push_back(true);
      }
    }
    all_.resize(kept);
  }

  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] bool is_fit(Place place) const { return fit_[place]; }
  [[nodiscard]] const Landing& operator[](Place place) const { return all_[place]; }

  /// Calls visit(place) for the landings that have some of the bytes in `range`.
  template <typename Visit>
  void for_each_in(const Range& range, Visit visit) const {
    const auto first = std::ranges::upper_bound(all_, range.begin, {}, &Landing::end);
    for (auto it = first; it != all_.end() && it->begin < range.end; ++it) visit(static_cast<Place>(it - all_.begin()));
  }
  /// Returns the landing that has all of the bytes in `range`, or nothing if none has.
  [[nodiscard]] std::optional<Place> around(const Range& range) const {
    std::optional<Place> found;
    for_each_in(range, [&](Place place) {
      if (all_[place].begin <= range.begin && range.end <= all_[place].end) found = place;
    });
    return found;
  }
  void make_unfit(const Range& range) {
    for_each_in(range, [&](Place place) { fit_[place] = false; });
  }
  [[nodiscard]] std::vector<Landing> fit() const {
    std::vector<Landing> landings;
    for (Place place = 0; place < all_.size(); ++place) {
      if (fit_[place]) landings.push_back(all_[place]);
    }
    return landings;
  }

 private:
  std::vector<Landing> all_;
  std::vector<bool> fit_;
};

/// Calls visit(source, target) for the ranges that each part of a copy reads and writes. A range is given by its
/// bounds, however many pieces it has; but the pieces of a list are visited one by one, because they may lie anywhere.
template <typename Visit>
void for_each_part_of_copy(const Schedule& schedule, const Task& copy, Visit visit) {
  if (copy.part_count == 0) {
    visit(Range{copy.source_offset, copy.source_offset + copy.bytes},
          Range{copy.target_offset, copy.target_offset + copy.bytes});
    return;
  }
  for (std::span<const CopyRun> program = schedule.runs(copy); !program.empty();
       program = program.subspan(entries_of_first(program))) {
    if (program.front().body == kListed) {
      for_each_copied_piece(program.first(entries_of_first(program)), [&](auto source, auto target, auto bytes) {
        visit(Range{source, source + bytes}, Range{target, target + bytes});
      });
      continue;
    }
    const CopyBounds bounds = bounds_of_first(program);
    visit(Range{bounds.source_begin, bounds.source_end}, Range{bounds.target_begin, bounds.target_end});
  }
}

/// Returns the landing that has all sources of a reduce, if the sources are aligned in the landing as its operands are
/// in memory; otherwise nothing.
std::optional<Landings::Place> landing_of_reduce(const Schedule& schedule, const Task& reduce,
                                                 const Landings& landings) {
  if (reduce.source_space != Space::scratch) return std::nullopt;
  const Reduction& reduction = schedule.reduction(reduce);
  std::optional<Landings::Place> found;
  bool together = true;
  for_each_operand_pair(schedule, reduce, [&](std::int64_t source, std::int64_t) {
    if (!together) return;
    const auto place =
        landings.around({source + reduction.layout().true_begin(), source + reduction.layout().true_end()});
    together =
        place && found.value_or(*place) == *place && (source - landings[*place].begin) % reduction.alignment() == 0;
    if (together) found = place;
  });
  return together ? found : std::nullopt;
}

std::optional<Landings::Place> landing_of_copy(const Schedule& schedule, const Task& copy, const Landings& landings) {
  if (copy.source_space != Space::scratch) return std::nullopt;
  std::optional<Landings::Place> found;
  bool together = true;
  for_each_part_of_copy(schedule, copy, [&](const Range& source, const Range&) {
    if (!together) return;
    const auto place = landings.around(source);
    together = place && found.value_or(*place) == *place;
    if (together) found = place;
  });
  return together ? found : std::nullopt;
}

class Search {
 public:
  explicit Search(const Schedule& schedule) : schedule_(schedule), landings_(schedule) {}

  SlotReaders run() && {
    if (landings_.empty()) return {};
    for (TaskId id = 0; id < schedule_.tasks().size(); ++id) look_at(id, schedule_.tasks()[id]);
    SlotReaders found{landings_.fit(), {}};
    for (const auto& [task, place] : readings_) {
      if (landings_.is_fit(place)) found.readers.push_back({task, landings_[place].message});
    }
    return found;
  }

 private:
  struct Reading {
    TaskId task;
    Landings::Place place;
  };

  void look_at(TaskId id, const Task& task) {
    switch (task.kind) {
      case TaskKind::receive:
        if (!is_landing(task)) for_each_scratch_piece(task, [&](const Range& piece) { landings_.make_unfit(piece); });
        break;
      case TaskKind::send:
        look_at_send(id, task);
        break;
      case TaskKind::copy: {
        const auto place = note(id, landing_of_copy(schedule_, task, landings_));
        for_each_part_of_copy(schedule_, task, [&](const Range& source, const Range& target) {
          if (!place && task.source_space == Space::scratch) landings_.make_unfit(source);
          if (task.target_space == Space::scratch) landings_.make_unfit(target);
        });
        break;
      }
      case TaskKind::reduce: {
        const auto place = note(id, landing_of_reduce(schedule_, task, landings_));
        for_each_access(schedule_, task, [&](Space space, std::int64_t offset, std::int64_t bytes, bool writes) {
          if (space == Space::scratch && (writes || !place)) landings_.make_unfit({offset, offset + bytes});
        });
        break;
      }
      case TaskKind::compute:
        for_each_access(schedule_, task, [&](Space space, std::int64_t offset, std::int64_t bytes, bool) {
          if (space == Space::scratch) landings_.make_unfit({offset, offset + bytes});
        });
        break;
      case TaskKind::join:
        break;
    }
  }

  std::optional<Landings::Place> note(TaskId id, std::optional<Landings::Place> place) {
    if (place) readings_.push_back({id, *place});
    return place;
  }

  void look_at_send(TaskId id, const Task& task) {
    const std::size_t before = readings_.size();
    for_each_scratch_piece(task, [&](const Range& piece) {
      landings_.for_each_in(piece, [&](Landings::Place place) {
        const auto of_this = readings_.begin() + static_cast<std::ptrdiff_t>(before);
        if (std::find_if(of_this, readings_.end(), [&](const Reading& it) { return it.place == place; }) ==
            readings_.end())
          readings_.push_back({id, place});
      });
    });
  }

  template <typename Visit>
  void for_each_scratch_piece(const Task& message, Visit visit) const {
    const auto visit_piece = [&](std::int64_t offset, std::int64_t bytes) { visit(Range{offset, offset + bytes}); };
    const bool sends = message.kind == TaskKind::send;
    if (message.first_part == kContiguous) {
      if ((sends ? message.source_space : message.target_space) == Space::scratch)
        visit_piece(sends ? message.source_offset : message.target_offset, message.bytes);
      return;
    }
    for (const WireLayout::Part& part : schedule_.wire_layouts()[message.first_part].parts()) {
      if (part.space == Space::scratch) part.layout.for_each_piece(visit_piece);
    }
  }

  const Schedule& schedule_;
  Landings landings_;
  std::vector<Reading> readings_;
};

}  // namespace

SlotReaders slot_readers(const Schedule& schedule) { return Search(schedule).run(); }

}  // namespace rondo::internal
