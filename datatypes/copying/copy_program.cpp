#include "datatypes/copying/copy_program.hpp"

#include "datatypes/copying/copy_kernels.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

namespace rondo::internal {
namespace {

/// Maximum number of pieces of both sides together in the body of a loop, if the sides repeat in different steps.
constexpr std::int64_t kLongestPeriod = 64;
constexpr std::int64_t kMostCount = std::numeric_limits<std::uint32_t>::max();

/// Minimum number of pieces of a run that a kernel copies: calling one costs as much as some short pieces.
constexpr std::uint32_t kFewPieces = 6;
/// Minimum number of pieces of a list.
constexpr std::size_t kShortestList = 7;

/// Returns whether the pieces of `run` fit into a list that begins with `first`: offsets from it must fit 32 bits.
bool is_within_reach(const CopyRun& run, const CopyRun& first) {
  const auto fits = [](std::int64_t offset) {
    return offset == static_cast<std::int64_t>(static_cast<std::int32_t>(offset));
  };
  const std::int64_t source = run.source - first.source;
  const std::int64_t target = run.target - first.target;
  const std::int64_t steps = std::int64_t{run.count} - 1;
  return fits(source) && fits(target) && fits(source + steps * run.source_stride) &&
         fits(target + steps * run.target_stride);
}

}  // namespace

/// The rest of a cursor's current item: `count` pieces, or passes of a loop's body, of `bytes` bytes.
struct LayoutPart {
  std::int64_t address;
  std::int64_t bytes;
  std::int64_t count;
  std::int64_t stride;
  std::int64_t growth;
  const std::shared_ptr<const Layout>* body;  ///< body of a loop; null: not a loop
  bool touching;                              ///< each piece begins where the one before it ends

  [[nodiscard]] bool is_loop() const { return body != nullptr; }
  [[nodiscard]] bool is_piece() const { return body == nullptr && count == 1; }
  /// Returns the first `passes` pieces or passes as an item at offset 0.
  [[nodiscard]] Layout::Item first(std::int64_t passes) const {
    return {{0, bytes, passes, stride, growth}, is_loop() ? *body : nullptr};
  }
};

/// A cursor that walks the items of a layout, and enters loops on request.
class LayoutCursor {
 public:
  LayoutCursor(std::span<const Layout::Item> items, std::int64_t base) { frames_.push_back({items, 0, base}); }

  [[nodiscard]] bool at_end() const { return frames_.back().items.empty(); }
  [[nodiscard]] LayoutPart part() const {
    const Frame& frame = frames_.back();
    const Layout::Item& item = frame.items.front();
    const Run& run = item.run;
    const std::int64_t address = frame.base + run.offset + frame.done * run.stride + within_;
    const std::int64_t bytes = run.length + frame.done * run.growth - within_;
    if (within_ > 0) return {address, bytes, 1, 0, 0, nullptr, false};
    const auto* body = item.body == nullptr ? nullptr : &item.body;
    return {address, bytes, run.count - frame.done, run.stride, run.growth, body, false};
  }
  /// Moves on by `count` pieces or passes of a body.
  void skip(std::int64_t count) {
    frames_.back().done += count;
    while (frames_.back().done == frames_.back().items.front().run.count) {
      Frame& frame = frames_.back();
      frame.items = frame.items.subspan(1);
      frame.done = 0;
      if (!frame.items.empty() || frames_.size() == 1) return;
      frames_.pop_back();
      ++frames_.back().done;
    }
  }
  /// Moves on by some bytes of a piece.
  void skip_bytes(std::int64_t bytes) {
    const std::int64_t left = part().bytes;
    within_ += bytes;
    if (bytes < left) return;
    within_ = 0;
    skip(1);
  }
  /// Enters the next pass of a loop's body.
  void enter() {
    const LayoutPart loop = part();
    frames_.push_back({(*loop.body)->items(), 0, loop.address});
  }

 private:
  struct Frame {
    std::span<const Layout::Item> items;  ///< remaining items, the current one first
    std::int64_t done;                    ///< pieces or passes of the current item that are done
    std::int64_t base;
  };
  std::vector<Frame> frames_;
  std::int64_t within_ = 0;  ///< bytes of the current piece that are done
};

/// Walks two layouts side by side, in the largest steps that they have in common, and appends the copies to a program
/// (compare Mir and Träff, "Constructing MPI input-output datatypes for efficient transpacking", reference 5 of the
/// zero-copy Bruck paper).
class Transpacking {
 public:
  explicit Transpacking(CopyProgram& program) : program_(program) {}

  void run(LayoutCursor read, LayoutCursor write) {
    while (!read.at_end() && !write.at_end()) {
      Side from{read, read.part(), false};
      Side to{write, write.part(), false};
      if (step_together(from, to) || step_in_periods(from, to)) continue;
      // The longer part is cut up, or its loop is entered.
      Side& longer = from.part.bytes >= to.part.bytes ? from : to;
      Side& shorter = &longer == &from ? to : from;
      if (!longer.part.is_loop()) {
        longer.take_one_piece();
        if (step_together(from, to)) continue;
      }
      if (longer.part.is_loop())
        longer.cursor.enter();
      else if (shorter.part.is_loop())
        shorter.cursor.enter();
      else
        step_by_bytes(from, to);
    }
  }

 private:
  struct Side {
    LayoutCursor& cursor;
    LayoutPart part;
    bool by_bytes;  ///< the part is a number of bytes of one piece

    void take_one_piece() {
      part = {part.address, part.bytes, 1, 0, 0, nullptr, false};
      by_bytes = true;
    }
    /// Turns a piece into adjacent pieces of the lengths of those of `other`, as many as fit.
    void cut_like(const LayoutPart& other) {
      const Run all{0, other.bytes, other.count, other.stride, other.growth};
      std::int64_t count = std::min(other.count, part.bytes / other.bytes);
      if (other.growth != 0) count = all.size() <= part.bytes ? other.count : 0;
      part = {part.address, other.bytes, count, other.bytes, other.growth, nullptr, true};
      by_bytes = true;
    }
    void skip(std::int64_t count) {
      if (by_bytes)
        cursor.skip_bytes(Run{0, part.bytes, count, 0, part.growth}.size());
      else
        cursor.skip(count);
    }
  };

  void step_by_bytes(Side& from, Side& to) {
    const std::int64_t bytes = std::min(from.part.bytes, to.part.bytes);
    program_.append_run({from.part.address, to.part.address, 0, 0, bytes, 1, 0});
    from.cursor.skip_bytes(bytes);
    to.cursor.skip_bytes(bytes);
  }

  /// Appends a step if both sides go on in pieces or passes of the same length. Returns whether they do.
  bool step_together(const Side& read, const Side& write) {
    Side from = read;
    Side to = write;
    if (from.part.is_piece() && to.part.is_piece()) {
      step_by_bytes(from, to);
      return true;
    }
    if (from.part.is_piece()) from.cut_like(to.part);
    if (to.part.is_piece()) to.cut_like(from.part);
    const std::int64_t count = std::min({from.part.count, to.part.count, kMostCount});
    if (count == 0 || from.part.bytes != to.part.bytes || from.part.growth != to.part.growth) return false;
    if (!from.part.is_loop() && !to.part.is_loop()) {
      append_pieces(from.part, to.part, count);
    } else if (count == 1) {  // a body that repeats once is no loop
      if (from.part.is_loop()) read.cursor.enter();
      if (to.part.is_loop()) write.cursor.enter();
      return true;
    } else {
      append_loop(from.part, 1, to.part, 1, count);
    }
    from.skip(count);
    to.skip(count);
    return true;
  }

  /// Appends a loop if both sides repeat, in steps of different lengths with a short common period. Returns whether
  /// they do.
  bool step_in_periods(const Side& read, const Side& write) {
    Side from = read;
    Side to = write;
    if (from.part.count <= 1 || to.part.count <= 1 || from.part.growth != 0 || to.part.growth != 0) return false;
    const std::int64_t common = std::gcd(from.part.bytes, to.part.bytes);
    const std::int64_t of_from = to.part.bytes / common;
    const std::int64_t of_to = from.part.bytes / common;
    const std::int64_t count = std::min({from.part.count / of_from, to.part.count / of_to, kMostCount});
    if (count < 2 || (std::min(of_from, of_to) > 1 && of_from + of_to > kLongestPeriod)) return false;
    append_loop(from.part, of_from, to.part, of_to, count);
    from.skip(count * of_from);
    to.skip(count * of_to);
    return true;
  }

  void append_pieces(const LayoutPart& from, const LayoutPart& to, std::int64_t count) {
    const CopyRun run{
        from.address, to.address, from.stride, to.stride, from.bytes, static_cast<std::uint32_t>(count), 0};
    if (from.growth == 0) {
      program_.append_run(run);
      return;
    }
    const auto acceleration = [&](const LayoutPart& part) { return part.touching ? part.growth : 0; };
    program_.append_growing(run, {0, 0, acceleration(from), acceleration(to), from.growth, 0, 0});
  }

  /// Appends a loop of `count` passes, each over `of_from` passes of `from` and `of_to` passes of `to`.
  void append_loop(const LayoutPart& from, std::int64_t of_from, const LayoutPart& to, std::int64_t of_to,
                   std::int64_t count) {
    const Layout::Item read = from.first(of_from);
    const Layout::Item write = to.first(of_to);
    const std::size_t loop = program_.begin_loop({from.address, to.address, of_from * from.stride, of_to * to.stride,
                                                  of_from * from.bytes, static_cast<std::uint32_t>(count), 0});
    run(LayoutCursor({&read, 1}, 0), LayoutCursor({&write, 1}, 0));
    program_.end_loop(loop);
  }

  CopyProgram& program_;
};

void CopyProgram::append_run(CopyRun run) {
  if (run.count == 1) run.source_stride = run.target_stride = 0;
  if (run.count > 1 && run.source_stride == run.bytes && run.target_stride == run.bytes)
    run = {run.source, run.target, 0, 0, run.bytes * run.count, 1, 0};
  if (runs_.size() > fixed_) {
    CopyRun& last = runs_.back();
    if (last.count == 1 && run.count == 1 && last.source + last.bytes == run.source &&
        last.target + last.bytes == run.target) {
      last.bytes += run.bytes;
      return;
    }
    const std::int64_t source_step = run.source - (last.source + (last.count - 1) * last.source_stride);
    const std::int64_t target_step = run.target - (last.target + (last.count - 1) * last.target_stride);
    const auto fits = [&](const CopyRun& one) {
      return one.count == 1 || (one.source_stride == source_step && one.target_stride == target_step);
    };
    if (last.bytes == run.bytes && fits(last) && fits(run) && last.count <= kMostCount - run.count) {
      last.count += run.count;
      last.source_stride = source_step;
      last.target_stride = target_step;
      return;
    }
    settle_last();
  }
  runs_.push_back(run);
}

void CopyProgram::settle_last() {
  if (runs_.size() <= fixed_) return;
  list_last();
  fixed_ = runs_.size();
}

void CopyProgram::list_last() {
  const CopyRun last = runs_.back();
  // Maximum number of pieces of a run that joins a list. A run of fewer than kPiecesPerEntry pieces takes less memory
  // in a list; one of fewer than kFewPieces is no work for a kernel.
  const std::uint32_t most = tail_.is_list ? kFewPieces - 1 : kPiecesPerEntry - 1;
  // The pieces of one run may be out of reach of each other, if they lie in different arrays.
  if (last.count > most || last.bytes > std::numeric_limits<std::uint32_t>::max() || !is_within_reach(last, last)) {
    tail_ = {runs_.size(), 0, false};
    return;
  }
  if (tail_.pieces == 0 || tail_.pieces > static_cast<std::size_t>(kMostCount) - last.count ||
      !is_within_reach(last, runs_[tail_.begin]))
    tail_ = {runs_.size() - 1, 0, false};
  tail_.pieces += last.count;
  if (tail_.is_list) {
    runs_.pop_back();
    add_to_list(last);
  } else if (tail_.pieces >= kShortestList) {
    make_list();
  }
}

/// Makes a list of the tail. Call this only if the tail without its last entry has fewer pieces than a list needs.
void CopyProgram::make_list() {
  const auto first = runs_.begin() + static_cast<std::ptrdiff_t>(tail_.begin);
  std::array<CopyRun, kShortestList> entries;
  const auto end = std::copy(first, runs_.end(), entries.begin());
  runs_.resize(tail_.begin);
  const CopyRun& head = entries.front();
  runs_.push_back({head.source, head.target, head.bytes, head.bytes, 0, 0, kListed});
  tail_.is_list = true;
  std::for_each(entries.begin(), end, [&](const CopyRun& run) { add_to_list(run); });
}

void CopyProgram::add_to_list(const CopyRun& run) {
  std::int64_t source = run.source;
  std::int64_t target = run.target;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const std::uint32_t place = runs_[tail_.begin].count % kPiecesPerEntry;
    if (place == 0) runs_.emplace_back();
    CopyRun& list = runs_[tail_.begin];
    const ListedPiece piece{static_cast<std::int32_t>(source - list.source),
                            static_cast<std::int32_t>(target - list.target), static_cast<std::uint32_t>(run.bytes)};
    piece.write(reinterpret_cast<std::byte*>(&runs_.back()) + place * sizeof piece);
    list.source_stride = std::min(list.source_stride, run.bytes);
    list.target_stride = std::max(list.target_stride, run.bytes);
    ++list.count;
    list.bytes += run.bytes;
    source += run.source_stride;
    target += run.target_stride;
  }
}

void CopyProgram::append_growing(CopyRun run, const CopyRun& growth) {
  run.body = kGrowing;
  settle_last();
  if (tail_.is_list && run.count < 2 * kPiecesPerEntry) {  // even growth by chance: shorter as a part of the list
    for_each_copied_piece(std::array{run, growth}, [&](std::int64_t source, std::int64_t target, std::int64_t bytes) {
      append_run({source, target, 0, 0, bytes, 1, 0});
    });
    return;
  }
  runs_.push_back(run);
  runs_.push_back(growth);
  fix();
}

std::size_t CopyProgram::begin_loop(const CopyRun& loop) {
  settle_last();
  runs_.push_back(loop);
  fix();
  return runs_.size() - 1;
}

void CopyProgram::end_loop(std::size_t at) {
  const CopyRun loop = runs_[at];
  const CopyRun& inner = runs_.back();
  if (runs_.size() - at == 2 && (inner.count == 1 || (inner.count * inner.source_stride == loop.source_stride &&
                                                      inner.count * inner.target_stride == loop.target_stride &&
                                                      inner.count <= kMostCount / loop.count))) {
    CopyRun run = inner;  // a run that repeats with the same stride is one run
    if (run.count == 1) {
      run.source_stride = loop.source_stride;
      run.target_stride = loop.target_stride;
    }
    run.source += loop.source;
    run.target += loop.target;
    run.count *= loop.count;
    runs_.resize(at);
    fix();  // the entry before may be a loop, with which the run must not merge
    append_run(run);
    return;
  }
  settle_last();
  runs_[at].body = static_cast<std::uint32_t>(runs_.size() - at - 1);
  fix();
}

void CopyProgram::append(std::int64_t source, std::int64_t target, std::int64_t bytes) {
  if (bytes <= 0) return;
  bytes_ += bytes;
  append_run({source, target, 0, 0, bytes, 1, 0});
}

void CopyProgram::append(const Layout& from, std::int64_t source, const Layout& to, std::int64_t target) {
  assert(from.size() == to.size());
  if (from.size() == 0) return;
  bytes_ += from.size();
  Transpacking(*this).run(LayoutCursor(from.items(), source), LayoutCursor(to.items(), target));
}

namespace {

CopyBounds round_both(const CopyBounds& one, const CopyBounds& other) noexcept {
  return {std::min(one.source_begin, other.source_begin), std::max(one.source_end, other.source_end),
          std::min(one.target_begin, other.target_begin), std::max(one.target_end, other.target_end)};
}

CopyBounds moved(const CopyBounds& bounds, std::int64_t source, std::int64_t target) noexcept {
  return {bounds.source_begin + source, bounds.source_end + source, bounds.target_begin + target,
          bounds.target_end + target};
}

}  // namespace

CopyBounds bounds_of_first(std::span<const CopyRun> program) noexcept {
  const CopyRun& run = program.front();
  CopyBounds each{0, run.bytes, 0, run.bytes};
  if (run.body == kGrowing || run.body == kListed) {  // a growing run has only one piece for each row of a triangle
    CopyBounds all{run.source, run.source, run.target, run.target};  // the place of the first piece
    for_each_copied_piece(program.first(entries_of_first(program)),
                          [&](std::int64_t source, std::int64_t target, std::int64_t bytes) {
                            all = round_both(all, {source, source + bytes, target, target + bytes});
                          });
    return all;
  }
  if (run.body != 0) {
    auto body = program.subspan(1, run.body);
    each = bounds_of_first(body);
    for (body = body.subspan(entries_of_first(body)); !body.empty(); body = body.subspan(entries_of_first(body)))
      each = round_both(each, bounds_of_first(body));
  }
  const std::int64_t steps = std::int64_t{run.count} - 1;
  const CopyBounds first = moved(each, run.source, run.target);
  return round_both(first, moved(first, steps * run.source_stride, steps * run.target_stride));
}

namespace {

void copy_few(const CopyRun& run, const std::byte* source, std::byte* target) {
  for (std::uint32_t i = 0; i < run.count; ++i) {
    copy_bytes(target, source, static_cast<std::size_t>(run.bytes));
    source += run.source_stride;
    target += run.target_stride;
  }
}

void copy_growing(const CopyRun& run, const CopyRun& growth, const std::byte* source, std::byte* target) {
  std::int64_t source_stride = run.source_stride;
  std::int64_t target_stride = run.target_stride;
  std::int64_t bytes = run.bytes;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    copy_bytes(target, source, static_cast<std::size_t>(bytes));
    source += source_stride;
    target += target_stride;
    source_stride += growth.source_stride;
    target_stride += growth.target_stride;
    bytes += growth.bytes;
  }
}

/// Copies bytes [begin, end) of a run: the end of a piece, whole pieces, and the beginning of a piece.
void run_part_of_pieces(const CopyRun& run, const std::byte* source, std::byte* target, std::int64_t begin,
                        std::int64_t end) {
  const auto copy = [&](std::int64_t piece, std::int64_t first, std::int64_t last) {
    copy_bytes(target + run.target + piece * run.target_stride + first,
               source + run.source + piece * run.source_stride + first, static_cast<std::size_t>(last - first));
  };
  const std::int64_t first_piece = begin / run.bytes;
  const std::int64_t last_piece = (end - 1) / run.bytes;
  if (first_piece == last_piece) {
    copy(first_piece, begin - first_piece * run.bytes, end - first_piece * run.bytes);
    return;
  }
  copy(first_piece, begin - first_piece * run.bytes, run.bytes);
  const std::int64_t whole = first_piece + 1;
  if (last_piece > whole) {
    copy_pieces({target + run.target + whole * run.target_stride, run.target_stride,
                 source + run.source + whole * run.source_stride, run.source_stride, run.bytes, last_piece - whole});
  }
  copy(last_piece, 0, end - last_piece * run.bytes);
}

/// Copies bytes [begin, end) of a list: the end of a piece, whole pieces, and the beginning of a piece.
void run_part_of_list(std::span<const CopyRun> program, const std::byte* source, std::byte* target, std::int64_t begin,
                      std::int64_t end) {
  const ListedPieces pieces(program);
  const auto copy = [&](const ListedPiece& piece, std::int64_t first, std::int64_t last) {
    copy_bytes(target + piece.target + first, source + piece.source + first, static_cast<std::size_t>(last - first));
  };
  const auto go_on = [&](const ListedPiece& piece) {
    begin -= piece.bytes;
    end -= piece.bytes;
  };
  std::size_t i = 0;
  for (; pieces[i].bytes <= begin; ++i) go_on(pieces[i]);
  if (begin > 0) {
    const ListedPiece piece = pieces[i++];
    copy(piece, begin, std::min<std::int64_t>(end, piece.bytes));
    go_on(piece);
  }
  const std::size_t whole = i;
  for (; i < pieces.size() && pieces[i].bytes <= end; ++i) go_on(pieces[i]);
  copy_listed(pieces.part(whole, i), source, target);
  if (i < pieces.size() && end > 0) copy(pieces[i], 0, end);
}

/// Copies bytes [begin, end) of the first run, list or loop of `program`.
void run_part(std::span<const CopyRun> program, const std::byte* source, std::byte* target, std::int64_t begin,
              std::int64_t end) {
  const CopyRun& run = program.front();
  if (run.body == 0) {
    run_part_of_pieces(run, source, target, std::max<std::int64_t>(begin, 0), std::min(end, run.bytes * run.count));
    return;
  }
  if (run.body == kListed) {
    run_part_of_list(program, source + run.source, target + run.target, begin, end);
    return;
  }
  std::int64_t source_stride = run.source_stride;
  std::int64_t target_stride = run.target_stride;
  std::int64_t bytes = run.bytes;
  source += run.source;
  target += run.target;
  std::uint32_t i = 0;
  if (run.body != kGrowing) {  // skips to the first piece directly
    i = static_cast<std::uint32_t>(std::max<std::int64_t>(begin, 0) / bytes);
    source += i * source_stride;
    target += i * target_stride;
    begin -= i * bytes;
    end -= i * bytes;
  }
  for (; i < run.count && end > 0; ++i) {
    const std::int64_t first = std::max<std::int64_t>(begin, 0);
    const std::int64_t last = std::min(end, bytes);
    if (is_loop(run))
      run_copies(program.subspan(1, run.body), source, target, first, last);
    else if (first < last)
      copy_bytes(target + first, source + first, static_cast<std::size_t>(last - first));
    source += source_stride;
    target += target_stride;
    begin -= bytes;
    end -= bytes;
    if (run.body != kGrowing) continue;
    source_stride += program[1].source_stride;
    target_stride += program[1].target_stride;
    bytes += program[1].bytes;
  }
}

}  // namespace

void run_copies(std::span<const CopyRun> program, const std::byte* source, std::byte* target) {
  for (std::size_t i = 0; i < program.size();) {
    const CopyRun& run = program[i];
    const std::byte* from = source + run.source;
    std::byte* to = target + run.target;
    if (run.body == 0) {
      if (run.count < kFewPieces)
        copy_few(run, from, to);
      else
        copy_pieces({to, run.target_stride, from, run.source_stride, run.bytes, run.count});
      ++i;
    } else if (run.body == kGrowing) {
      copy_growing(run, program[i + 1], from, to);
      i += 2;
    } else if (run.body == kListed) {
      copy_listed(ListedPieces(program.subspan(i)), from, to);
      i += entries_of_first(program.subspan(i));
    } else {
      const auto body = program.subspan(i + 1, run.body);
      for (std::uint32_t pass = 0; pass < run.count; ++pass) {
        run_copies(body, from, to);
        from += run.source_stride;
        to += run.target_stride;
      }
      i += 1 + run.body;
    }
  }
}

void run_copies(std::span<const CopyRun> program, const std::byte* source, std::byte* target, std::int64_t begin,
                std::int64_t end) {
  while (!program.empty() && begin < end && end > 0) {
    const std::int64_t bytes = bytes_of_first(program);
    const std::size_t entries = entries_of_first(program);
    if (begin <= 0 && bytes <= end)
      run_copies(program.first(entries), source, target);
    else if (begin < bytes)
      run_part(program, source, target, begin, end);
    begin -= bytes;
    end -= bytes;
    program = program.subspan(entries);
  }
}

}  // namespace rondo::internal
