/// @file
/// CopyProgram: a copy between two layouts, compiled to a short list of runs and loops.
#ifndef RONDO_DATATYPES_COPYING_COPY_PROGRAM_HPP
#define RONDO_DATATYPES_COPYING_COPY_PROGRAM_HPP

#include "datatypes/copying/copy_bytes.hpp"
#include "datatypes/copying/copy_run.hpp"
#include "datatypes/layout/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace rondo::internal {

/// Returns the number of entries of the first run, list or loop of `program`.
[[nodiscard]] constexpr std::size_t entries_of_first(std::span<const CopyRun> program) noexcept {
  const CopyRun& run = program.front();
  if (run.body == kGrowing) return 2;
  if (run.body == kListed) return 1 + (std::size_t{run.count} + kPiecesPerEntry - 1) / kPiecesPerEntry;
  return 1 + std::size_t{run.body};
}
/// Returns the bytes that the first run, list or loop of `program` moves.
[[nodiscard]] constexpr std::int64_t bytes_of_first(std::span<const CopyRun> program) noexcept {
  const CopyRun& run = program.front();
  if (run.body == kListed) return run.bytes;
  const std::int64_t count = run.count;
  return run.bytes * count + (run.body == kGrowing ? program[1].bytes * (count * (count - 1) / 2) : 0);
}
/// Calls visit(source, target, bytes) for every piece of `program`, in order, displaced by `source` and `target`.
template <typename Visit>
void for_each_copied_piece(std::span<const CopyRun> program, Visit visit, std::int64_t source = 0,
                           std::int64_t target = 0) {
  while (!program.empty()) {
    const CopyRun& run = program.front();
    const std::size_t entries = entries_of_first(program);
    std::int64_t from = source + run.source;
    std::int64_t to = target + run.target;
    std::int64_t bytes = run.bytes;
    std::int64_t source_stride = run.source_stride;
    std::int64_t target_stride = run.target_stride;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      if (run.body == kListed) {
        const ListedPiece piece = ListedPieces(program)[i];
        visit(from + piece.source, to + piece.target, std::int64_t{piece.bytes});
        continue;
      }
      if (is_loop(run))
        for_each_copied_piece(program.subspan(1, run.body), visit, from, to);
      else
        visit(from, to, bytes);
      from += source_stride;
      to += target_stride;
      if (run.body != kGrowing) continue;
      source_stride += program[1].source_stride;
      target_stride += program[1].target_stride;
      bytes += program[1].bytes;
    }
    program = program.subspan(entries);
  }
}

/// The bounds of the bytes that an entry reads and writes, as offsets from the two base addresses.
struct CopyBounds {
  std::int64_t source_begin;
  std::int64_t source_end;
  std::int64_t target_begin;
  std::int64_t target_end;
};
/// Returns the bounds of the first run, list or loop of `program`. Costs as much as the length of its description.
[[nodiscard]] CopyBounds bounds_of_first(std::span<const CopyRun> program) noexcept;

/// A copy program under construction: appended runs merge with their neighbors, and pieces that cannot be merged form
/// lists.
class CopyProgram {
 public:
  /// Empties the program and keeps its memory.
  void clear() noexcept {
    runs_.clear();
    fix();
    bytes_ = 0;
  }
  /// Adds a copy of one piece of `bytes` bytes.
  void append(std::int64_t source, std::int64_t target, std::int64_t bytes);
  /// Adds a copy of the data of `from` at `source`, in its order, to the places of `to` at `target` (the "transpack" of
  /// the zero-copy Bruck paper, section 3.2: without an intermediate buffer). Both layouts must hold the same number of
  /// bytes. If one side is contiguous, or both repeat alike, the cost is that of the layouts' items, those of a body
  /// once for each loop over it; otherwise, that of their pieces.
  void append(const Layout& from, std::int64_t source, const Layout& to, std::int64_t target);
  /// Completes the program. Call this after everything is appended. The last piece may then join a list as well.
  void finish() { settle_last(); }

  [[nodiscard]] std::span<const CopyRun> runs() const noexcept { return runs_; }
  /// Returns the number of bytes that the whole program copies.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  friend class Transpacking;
  void append_run(CopyRun run);
  void append_growing(CopyRun run, const CopyRun& growth);
  /// Begin and end a loop: the entries appended between the two calls are its body. begin_loop() returns the index of
  /// the loop, for end_loop().
  std::size_t begin_loop(const CopyRun& loop);
  void end_loop(std::size_t at);
  /// Fixes all present entries, lists too: later entries do not merge with them.
  void fix() noexcept {
    fixed_ = runs_.size();
    tail_ = {fixed_, 0, false};
  }
  /// Settles the last entry: later runs do not merge with it any more, and it is put into a list if possible.
  void settle_last();
  void list_last();
  void make_list();
  void add_to_list(const CopyRun& run);

  /// The end of the program that a settled entry may join: settled entries of few pieces each, or a list of them.
  struct Tail {
    std::size_t begin;
    std::size_t pieces;
    bool is_list;
  };
  std::vector<CopyRun> runs_;
  std::size_t fixed_ = 0;  ///< index of the first entry that may still be merged with appended runs
  Tail tail_{};
  std::int64_t bytes_ = 0;
};

/// Runs a program between two base addresses. The bytes that it reads and those that it writes must not overlap.
void run_copies(std::span<const CopyRun> program, const std::byte* source, std::byte* target);

/// Copies bytes [begin, end) of the data that a program moves, in its order, so that several threads can run parts of a
/// program. Finding the first byte costs as much as the length of the program's description.
void run_copies(std::span<const CopyRun> program, const std::byte* source, std::byte* target, std::int64_t begin,
                std::int64_t end);

}  // namespace rondo::internal

#endif
