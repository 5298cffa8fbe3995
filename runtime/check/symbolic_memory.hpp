/// @file
/// SymbolicMemory: memory that knows the origin of each of its bytes, for checking schedules without running them.
#ifndef RONDO_RUNTIME_CHECK_SYMBOLIC_MEMORY_HPP
#define RONDO_RUNTIME_CHECK_SYMBOLIC_MEMORY_HPP

#include "runtime/schedule/task.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace rondo::internal {

/// The origin of `bytes` bytes. They are a copy of the bytes at `offset` in the send buffer of rank `rank` (in place:
/// in its only buffer), or nothing wrote them, or they combine several such bytes. In the last case `rank` is a number
/// below kNothing, and a Combinations (combination.hpp) knows its meaning at `offset` 0.
struct SymbolicBytes {
  static constexpr std::int32_t kNothing = -1;

  std::int32_t rank;
  std::int64_t offset;
  std::int64_t bytes;

  [[nodiscard]] bool written() const noexcept { return rank != kNothing; }
  /// Returns the `length` bytes that are `skipped` bytes further.
  [[nodiscard]] SymbolicBytes part(std::int64_t skipped, std::int64_t length) const noexcept {
    return {rank, written() ? offset + skipped : 0, length};
  }

  friend bool operator==(const SymbolicBytes&, const SymbolicBytes&) = default;
};

/// A row of pieces, as a message carries it. Neighbors that continue each other are merged.
class SymbolicRow {
 public:
  void append(const SymbolicBytes& piece);
  [[nodiscard]] const std::vector<SymbolicBytes>& pieces() const noexcept { return pieces_; }

 private:
  std::vector<SymbolicBytes> pieces_;
};

/// A reader that takes the bytes of a row piece by piece. The row must outlive the reader.
class SymbolicRowReader {
 public:
  explicit SymbolicRowReader(const SymbolicRow& row) : next_(row.pieces().data()) {}
  /// Returns the number of bytes until the current piece ends. Call this only if the row has more bytes.
  [[nodiscard]] std::int64_t ahead() const noexcept { return next_->bytes - used_; }
  /// Returns the next bytes and moves on behind them: at most `at_most` bytes, and at most ahead().
  [[nodiscard]] SymbolicBytes take(std::int64_t at_most) noexcept {
    const SymbolicBytes taken = next_->part(used_, std::min(at_most, ahead()));
    used_ += taken.bytes;
    if (used_ == next_->bytes) {
      ++next_;
      used_ = 0;
    }
    return taken;
  }

 private:
  const SymbolicBytes* next_;
  std::int64_t used_ = 0;
};

/// The contents of one space (buffer or scratch memory) of one rank: the origin and the writer of each byte. The data
/// of a send buffer need no SymbolicMemory, because each byte is its own origin.
class SymbolicMemory {
 public:
  struct Written {
    std::int64_t end;
    SymbolicBytes origin;  ///< origin of the first byte
    TaskId writer;
  };

  /// Appends the contents of bytes [begin, end) to `row`.
  void read(std::int64_t begin, std::int64_t end, SymbolicRow& row) const;
  void write(std::int64_t begin, const SymbolicBytes& origin, TaskId writer);
  /// Returns the task that last wrote the byte at `place`, or kNoTask if none did.
  [[nodiscard]] TaskId writer_of(std::int64_t place) const;
  /// Returns the written pieces by the offsets of their first bytes.
  [[nodiscard]] const std::map<std::int64_t, Written>& written() const noexcept { return written_; }

 private:
  /// Makes `place` a border between two entries, if it lies inside one.
  void split(std::int64_t place);
  std::map<std::int64_t, Written> written_;
};

}  // namespace rondo::internal

#endif
