/// @file
/// Memory that knows where each of its bytes came from, for checking schedules without running them.
#ifndef RONDO_RUNTIME_SYMBOLIC_MEMORY_HPP
#define RONDO_RUNTIME_SYMBOLIC_MEMORY_HPP

#include "runtime/task.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo {

/// `bytes` bytes that are a copy of those at `offset` in the send buffer of rank `rank` (in place: in its only one);
/// rank -1: nothing wrote them.
struct SymbolicBytes {
  std::int32_t rank;
  std::int64_t offset;
  std::int64_t bytes;

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

}  // namespace rondo

#endif
