/// @file
/// Copying between two layouts, compiled to a short list of runs and loops.
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

/// Number of entries that the first of `program` stands for: itself and what belongs to it.
[[nodiscard]] constexpr std::size_t entries_of_first(std::span<const CopyRun> program) noexcept {
  const CopyRun& run = program.front();
  if (run.body == kGrowing) return 2;
  if (run.body == kListed) return 1 + (std::size_t{run.count} + kPiecesPerEntry - 1) / kPiecesPerEntry;
  return 1 + std::size_t{run.body};
}
/// Bytes that the first entry of `program` moves, with what belongs to it.
[[nodiscard]] constexpr std::int64_t bytes_of_first(std::span<const CopyRun> program) noexcept {
  const CopyRun& run = program.front();
  if (run.body == kListed) return run.bytes;
  const std::int64_t count = run.count;
  return run.bytes * count + (run.body == kGrowing ? program[1].bytes * (count * (count - 1) / 2) : 0);
}
/// Calls visit(source, target, bytes) for every piece, in order.
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

/// What an entry reads and writes lies between these.
struct CopyBounds {
  std::int64_t source_begin;
  std::int64_t source_end;
  std::int64_t target_begin;
  std::int64_t target_end;
};
/// Those of the first entry of `program`, with what belongs to it. Costs what its description does.
[[nodiscard]] CopyBounds bounds_of_first(std::span<const CopyRun> program) noexcept;

/// A list of runs under construction: neighbors merge as they are appended, and pieces that cannot form lists.
class CopyProgram {
 public:
  /// Begins anew, in the same memory.
  void clear() noexcept {
    runs_.clear();
    fix();
    bytes_ = 0;
  }
  /// Adds one piece.
  void append(std::int64_t source, std::int64_t target, std::int64_t bytes);
  /// Adds the data of `from` at `source`, in its order, into the places of `to` at `target` (the "transpack" of the
  /// zero-copy Bruck paper, section 3.2: no buffer between). Both must hold the same number of bytes. Where one side
  /// is contiguous, or both repeat alike, this costs what the layouts' items do, those of a body once for each loop
  /// over it; otherwise, what their pieces do.
  void append(const Layout& from, std::int64_t source, const Layout& to, std::int64_t target);
  /// To be called once all is appended: the last piece may go to a list as well.
  void finish() { settle_last(); }

  [[nodiscard]] std::span<const CopyRun> runs() const noexcept { return runs_; }
  /// Bytes that the whole program moves.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  friend class Transpacking;
  void append_run(CopyRun run);
  void append_growing(CopyRun run, const CopyRun& growth);
  /// What is appended between the two is the loop's body. Returns the loop's place.
  std::size_t begin_loop(const CopyRun& loop);
  void end_loop(std::size_t at);
  /// What is there stays as it is, lists too.
  void fix() noexcept {
    fixed_ = runs_.size();
    tail_ = {fixed_, 0, false};
  }
  /// The last entry will not be merged with any more, and so it may go to a list.
  void settle_last();
  void list_last();
  void make_list();
  void add_to_list(const CopyRun& run);

  /// What a settled entry may join: settled entries of few pieces each at the end of the program, or a list of them.
  struct Tail {
    std::size_t begin;
    std::size_t pieces;
    bool is_list;
  };
  std::vector<CopyRun> runs_;
  std::size_t fixed_ = 0;  ///< what is appended may be merged with the last entry, if it does not lie before this one
  Tail tail_{};
  std::int64_t bytes_ = 0;
};

/// Runs a program between two base addresses, which must not overlap where it reads and writes.
void run_copies(std::span<const CopyRun> program, const std::byte* source, std::byte* target);

/// Bytes [begin, end) of the data that a program moves, in its order: a program can be run in several parts, by several
/// threads. Finding the first byte costs what the program's description does.
void run_copies(std::span<const CopyRun> program, const std::byte* source, std::byte* target, std::int64_t begin,
                std::int64_t end);

}  // namespace rondo::internal

#endif
