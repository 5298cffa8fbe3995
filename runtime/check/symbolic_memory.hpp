/// @file
/// Memory that knows where each of its bytes came from, for checking schedules without running them.
#ifndef RONDO_RUNTIME_CHECK_SYMBOLIC_MEMORY_HPP
#define RONDO_RUNTIME_CHECK_SYMBOLIC_MEMORY_HPP

#include "runtime/schedule/task.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace rondo::internal {

/// `bytes` bytes that are a copy of those at `offset` in the send buffer of rank `rank` (in place: in its only one), or
/// that nothing wrote, or that are combined of several such: then `rank` is a number below kNothing, and what it stands
/// for at `offset` 0 is known to a Combinations (combination.hpp).
struct SymbolicBytes {
  static constexpr std::int32_t kNothing = -1;

  std::int32_t rank;
  std::int64_t offset;
  std::int64_t bytes;

  [[nodiscard]] bool written() const noexcept { return rank != kNothing; }
  /// What is `skipped` bytes further, `length` bytes of it.
  [[nodiscard]] SymbolicBytes part(std::int64_t skipped, std::int64_t length) const noexcept {
    return {rank, written() ? offset + skipped : 0, length};
  }

  friend bool operator==(const SymbolicBytes&, const SymbolicBytes&) = default;
};

/// A row of them, as a message carries it. Neighbors that continue each other are merged.
class SymbolicRow {
 public:
  void append(const SymbolicBytes& piece);
  [[nodiscard]] const std::vector<SymbolicBytes>& pieces() const noexcept { return pieces_; }

 private:
  std::vector<SymbolicBytes> pieces_;
};

/// Takes a row piece by piece; the row must outlive it.
class SymbolicRowReader {
 public:
  explicit SymbolicRowReader(const SymbolicRow& row) : next_(row.pieces().data()) {}
  /// Bytes until something else follows; there must be more.
  [[nodiscard]] std::int64_t ahead() const noexcept { return next_->bytes - used_; }
  /// The next bytes, `at_most` and at most ahead().
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

/// One space of one rank. A send buffer is its own origin and is not kept in one of these.
class SymbolicMemory {
 public:
  struct Written {
    std::int64_t end;
    SymbolicBytes origin;  ///< of the first byte
    TaskId writer;
  };

  /// Appends what bytes [begin, end) hold to `row`.
  void read(std::int64_t begin, std::int64_t end, SymbolicRow& row) const;
  void write(std::int64_t begin, const SymbolicBytes& origin, TaskId writer);
  /// The task that last wrote the byte at `place`, or kNoTask.
  [[nodiscard]] TaskId writer_of(std::int64_t place) const;
  /// What was written, by first byte.
  [[nodiscard]] const std::map<std::int64_t, Written>& written() const noexcept { return written_; }

 private:
  /// Makes `place` a border between two entries, if it lies inside one.
  void split(std::int64_t place);
  std::map<std::int64_t, Written> written_;
};

}  // namespace rondo::internal

#endif
