/// @file
/// Combinations: a table of the reductions of bytes, for checking schedules without running them.
#ifndef RONDO_RUNTIME_CHECK_COMBINATION_HPP
#define RONDO_RUNTIME_CHECK_COMBINATION_HPP

#include "runtime/check/symbolic_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::internal {

/// A byte of a send buffer that is combined with others, and how often.
struct Term {
  std::int32_t rank;
  std::int64_t offset;
  std::int64_t times;

  friend bool operator==(const Term&, const Term&) = default;
};

/// A Combinations object gives every combination of bytes a number, so that bytes which are combined of the same bytes,
/// in whatever order, are the same SymbolicBytes. Terms are sorted, and their offsets are relative to the first one, so
/// the next byte of the same blocks is the same combination at the next offset. Not thread-safe.
class Combinations {
 public:
  /// Returns the combination of two pieces, which must have equally many bytes and both be written.
  [[nodiscard]] SymbolicBytes combine(const SymbolicBytes& one, const SymbolicBytes& other);
  /// Returns the combination of `bytes` bytes from each of the terms on, in any order. There must be at least one term.
  [[nodiscard]] SymbolicBytes of(std::vector<Term> terms, std::int64_t bytes);
  /// Returns the terms of the first of these bytes, sorted by rank and offset: a single term if the byte is a copy, and
  /// an empty list if nothing wrote it.
  [[nodiscard]] std::vector<Term> terms(const SymbolicBytes& bytes) const;

 private:
  struct Hash {
    std::size_t operator()(const std::vector<Term>& terms) const noexcept;
  };
  [[nodiscard]] SymbolicBytes intern(std::vector<Term> sorted, std::int64_t bytes);

  std::unordered_map<std::vector<Term>, std::int32_t, Hash> numbers_;
  std::vector<const std::vector<Term>*> by_number_;  ///< keys of numbers_, which do not move
};

}  // namespace rondo::internal

#endif
