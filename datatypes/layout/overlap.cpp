#include "datatypes/layout/overlap.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// A range of bytes [begin, end).
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

constexpr std::int64_t floor_quotient(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

/// A range of indices. keep() restricts it to those i for which `offset` + i * `slope` is not negative.
struct Indices {
  std::int64_t first;
  std::int64_t last;

  [[nodiscard]] bool empty() const { return first > last; }
  void keep(std::int64_t offset, std::int64_t slope) {
    if (slope > 0)
      first = std::max(first, -floor_quotient(offset, slope));
    else if (slope < 0)
      last = std::min(last, floor_quotient(offset, -slope));
    else if (offset < 0)
      last = first - 1;
  }
};

/// Returns a run of the same pieces with the lowest first.
Run ascending(const Run& run) {
  if (run.stride >= 0) return run;
  const std::int64_t last = run.count - 1;
  return {run.offset + last * run.stride, run.length + last * run.growth, run.count, -run.stride, -run.growth};
}

/// Returns the range from the first byte of an ascending run to its last.
Range box_of(const Run& run) {
  const Range last = {run.offset + (run.count - 1) * run.stride,
                      run.offset + run.length + (run.count - 1) * (run.stride + run.growth)};
  return {run.offset, std::max(run.offset + run.length, last.end)};
}

Range piece_of(const Run& run, std::int64_t i) {
  const std::int64_t begin = run.offset + i * run.stride;
  return {begin, begin + run.length + i * run.growth};
}

/// Returns the indices of the pieces of a run that have bytes in a range.
Indices pieces_in(const Run& run, Range range) {
  Indices pieces{0, run.count - 1};
  pieces.keep(range.end - 1 - run.offset, -run.stride);
  pieces.keep(run.offset + run.length - 1 - range.begin, run.stride + run.growth);
  return pieces;
}

std::optional<Range> bytes_in(const Run& run, Range range) {
  const Indices pieces = pieces_in(run, range);
  if (pieces.empty()) return std::nullopt;
  const Range piece = piece_of(run, pieces.first);
  return Range{std::max(range.begin, piece.begin), std::min(range.end, piece.end)};
}

/// Returns the least i of [0, most] for which i * `step` modulo `modulus` is in [low, high], or -1 if none is. `low`,
/// `high` and `step` are less than `modulus`, and `low` is more than 0. As in Euclid's algorithm, the question about
/// multiples of the step becomes one about multiples of the modulus, modulo the step, whose size halves each time.
std::int64_t first_multiple_in(std::int64_t low, std::int64_t high, std::int64_t step, std::int64_t modulus,
                               std::int64_t most) {
  if (step > modulus - step) return first_multiple_in(modulus - high, modulus - low, modulus - step, modulus, most);
  if (step == 0) return -1;
  const auto multiple_from = [&](std::int64_t number) { return (number - 1) / step + 1; };
  const std::int64_t i = multiple_from(low);
  if (i > most) return -1;
  if (i * step <= high) return i;
  const std::int64_t rounds =
      first_multiple_in(low % step, high % step, (step - modulus % step) % step, step, (most * step - low) / modulus);
  if (rounds < 0) return -1;
  return multiple_from(low + rounds * modulus);
}

/// Returns the index of the first piece of `one` that has bytes in `other`, or -1. Both runs ascend and have no growth.
std::int64_t first_piece_in(const Run& one, const Run& other) {
  const Indices near = pieces_in(one, box_of(other));
  if (near.empty()) return -1;
  // Within the box of `other`, a piece of `one` meets a piece of `other` if the distance from the place where it would
  // begin to touch that piece, modulo the stride, is in [0, window]: if the piece met would be before the first or
  // behind the last one, the piece of `one` meets that first or last one as well.
  const std::int64_t window = one.length + other.length - 2;
  const std::int64_t stride = other.stride;
  if (other.count == 1 || stride <= window + 1) return near.first;
  const std::int64_t distance = one.offset + near.first * one.stride + one.length - 1 - other.offset;
  const std::int64_t phase = distance % stride;
  if (phase <= window) return near.first;
  const std::int64_t further =
      first_multiple_in(stride - phase, stride - phase + window, one.stride % stride, stride, near.last - near.first);
  return further < 0 ? -1 : near.first + further;
}

/// Returns bytes that two ascending runs have in common, or nothing if there are none.
std::optional<Range> common_bytes(const Run& one, const Run& other) {
  if (one.growth == 0 && other.growth == 0) {
    const std::int64_t i = first_piece_in(one, other);
    return i < 0 ? std::nullopt : bytes_in(other, piece_of(one, i));
  }
  const Run& shorter = one.count <= other.count ? one : other;
  const Run& longer = &shorter == &one ? other : one;
  const Indices near = pieces_in(shorter, box_of(longer));
  for (std::int64_t i = near.first; i <= near.last; ++i) {
    if (const auto common = bytes_in(longer, piece_of(shorter, i))) return common;
  }
  return std::nullopt;
}

/// Returns bytes that are in two pieces of an ascending run, or nothing if there are none.
std::optional<Range> bytes_that_come_twice(const Run& run) {
  if (run.count < 2) return std::nullopt;
  // If any two pieces overlap, two neighbors do, and then also the longest piece that has a successor overlaps that
  // one.
  const std::int64_t longest = run.growth > 0 ? run.count - 2 : 0;
  const Range piece = piece_of(run, longest);
  const Range next = piece_of(run, longest + 1);
  if (piece.end <= next.begin) return std::nullopt;
  return Range{next.begin, std::min(piece.end, next.end)};
}

/// Appends the bytes of a layout, moved by `displacement`, as few runs in no particular order.
void append_runs(const Layout& layout, std::int64_t displacement, std::vector<Run>& runs) {
  for (const Layout::Item& item : layout.items()) {
    Run run = item.run;
    run.offset += displacement;
    if (item.body == nullptr) {
      runs.push_back(run);
      continue;
    }
    std::vector<Run> body;
    append_runs(*item.body, run.offset, body);
    const std::int64_t pieces = item.body->pieces();
    // A repeated piece is a run. This makes fewer runs if the body has few pieces, but interleaved ones: each is
    // compared with each other run.
    if (pieces <= std::ssize(body) * run.count / pieces) {
      for (const Run& part : body) {
        part.for_each_piece([&](std::int64_t offset, std::int64_t length) {
          runs.push_back({offset, length, run.count, run.stride});
        });
      }
      continue;
    }
    for (std::int64_t pass = 0; pass < run.count; ++pass) {
      for (Run part : body) {
        part.offset += pass * run.stride;
        runs.push_back(part);
      }
    }
  }
}

/// An ascending run, the end of its bytes, and the index of the layout that owns it.
struct PlacedRun {
  PlacedRun(const Run& ascending, std::size_t layout) : run(ascending), end(box_of(ascending).end), owner(layout) {}

  Run run;
  std::int64_t end;
  std::size_t owner;
};
using PlacedRuns = std::vector<PlacedRun>;

/// Returns the range from the first byte of all layouts to the last.
Range box_of(std::span<const PlacedLayout> layouts) {
  Range box{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const auto& [offset, layout] : layouts) {
    if (layout->size() == 0) continue;
    box.begin = std::min(box.begin, offset + layout->true_begin());
    box.end = std::max(box.end, offset + layout->true_end());
  }
  return box;
}

/// Returns the runs of all layouts that may have bytes in `box`.
PlacedRuns place(std::span<const PlacedLayout> layouts, Range box) {
  PlacedRuns placed;
  std::vector<Run> runs;
  const Layout* of = nullptr;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const auto& [offset, layout] = layouts[i];
    if (offset + layout->true_begin() >= box.end || offset + layout->true_end() <= box.begin) continue;
    if (layout != of) {
      runs.clear();
      append_runs(*layout, 0, runs);
      of = layout;
    }
    for (Run run : runs) {
      run.offset += offset;
      const PlacedRun one(ascending(run), i);
      if (one.run.offset < box.end && one.end > box.begin) placed.push_back(one);
    }
  }
  return placed;
}

void sort(PlacedRuns& placed) {
  std::ranges::sort(placed, {}, [](const PlacedRun& one) { return one.run.offset; });
}

std::int64_t number_of_pieces(const PlacedRuns& placed) {
  std::int64_t pieces = 0;
  for (const PlacedRun& one : placed) pieces += one.run.count;
  return pieces;
}

PlacedRuns pieces_of(const PlacedRuns& placed) {
  PlacedRuns pieces;
  pieces.reserve(static_cast<std::size_t>(number_of_pieces(placed)));
  for (const PlacedRun& one : placed) {
    one.run.for_each_piece([&](std::int64_t offset, std::int64_t length) {
      pieces.emplace_back(Run{offset, length, 1, 0}, one.owner);
    });
  }
  sort(pieces);
  return pieces;
}

/// A search for bytes in common among runs whose boxes overlap, with a limited number of steps.
class Search {
 public:
  explicit Search(std::int64_t steps) : steps_(steps) {}

  [[nodiscard]] bool gave_up() const { return steps_ < 0; }

  /// Searches for bytes that a run of one sorted list and a run of another sorted list have in common.
  std::optional<Overlap> between(std::span<const PlacedRun> ones, std::span<const PlacedRun> others) {
    while (!ones.empty() && !others.empty() && !gave_up()) {
      if (ones.front().run.offset <= others.front().run.offset) {
        if (const auto found = with_first(ones.front(), others)) return found;
        ones = ones.subspan(1);
      } else {
        if (const auto found = with_first(others.front(), ones))
          return Overlap{found->other, found->one, found->begin, found->end};
        others = others.subspan(1);
      }
    }
    return std::nullopt;
  }

  /// Searches for bytes that two runs of one sorted list have in common; runs do not overlap themselves.
  std::optional<Overlap> within(std::span<const PlacedRun> placed) {
    for (; !placed.empty() && !gave_up(); placed = placed.subspan(1)) {
      const auto found = with_first(placed.front(), placed.subspan(1));
      if (found)
        return Overlap{std::min(found->one, found->other), std::max(found->one, found->other), found->begin,
                       found->end};
    }
    return std::nullopt;
  }

 private:
  /// Searches for bytes that a run has in common with the runs after it that begin before it ends.
  std::optional<Overlap> with_first(const PlacedRun& first, std::span<const PlacedRun> after) {
    for (const PlacedRun& next : after) {
      if (next.run.offset >= first.end || gave_up()) break;
      const bool grows = first.run.growth != 0 || next.run.growth != 0;
      steps_ -= grows ? std::min(first.run.count, next.run.count) : 1;
      if (const auto common = common_bytes(first.run, next.run))
        return Overlap{first.owner, next.owner, common->begin, common->end};
    }
    return std::nullopt;
  }

  std::int64_t steps_;
};

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// Returns the number of steps after which sorting the pieces is better: the number of pieces, or no limit if they
/// would need too much memory.
std::int64_t worthwhile_steps(std::int64_t pieces) {
  constexpr std::int64_t kMostPieces = 1 << 22;
  return pieces <= kMostPieces ? pieces : kNoLimit;
}

}  // namespace

std::optional<Overlap> find_overlap(std::span<const PlacedLayout> ones, std::span<const PlacedLayout> others) {
  PlacedRuns of_ones = place(ones, box_of(others));
  PlacedRuns of_others = place(others, box_of(ones));
  sort(of_ones);
  sort(of_others);
  Search search(worthwhile_steps(number_of_pieces(of_ones) + number_of_pieces(of_others)));
  const auto found = search.between(of_ones, of_others);
  if (found || !search.gave_up()) return found;
  return Search(kNoLimit).between(pieces_of(of_ones), pieces_of(of_others));
}

std::optional<Overlap> find_overlap(std::span<const PlacedLayout> layouts) {
  PlacedRuns placed = place(layouts, box_of(layouts));
  for (const PlacedRun& one : placed) {
    if (const auto twice = bytes_that_come_twice(one.run))
      return Overlap{one.owner, one.owner, twice->begin, twice->end};
  }
  sort(placed);
  Search search(worthwhile_steps(number_of_pieces(placed)));
  const auto found = search.within(placed);
  if (found || !search.gave_up()) return found;
  return Search(kNoLimit).within(pieces_of(placed));
}

}  // namespace rondo::internal
