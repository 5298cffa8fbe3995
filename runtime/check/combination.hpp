/// @file
/// Combinations: bytes that are the reduction of others, for checking schedules without running them.
#ifndef RONDO_RUNTIME_CHECK_COMBINATION_HPP
#define RONDO_RUNTIME_CHECK_COMBINATION_HPP

#include "runtime/check/symbolic_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::internal {

/// A byte of a send buffer that is combined with others, so many times.
struct Term {
  std::int32_t rank;
  std::int64_t offset;
  std::int64_t times;

  friend bool operator==(const Term&, const Term&) = default;
};

/// Gives every combination a number, so that bytes which are combined of the same bytes, in whatever order, are the
/// same SymbolicBytes: terms are sorted, and their offsets counted from the first, which makes the next byte of the
/// same blocks the same combination, one further. Not for more than one thread.
class Combinations {
 public:
  /// What `one` and `other`, which are as long and both written, are together.
  [[nodiscard]] SymbolicBytes combine(const SymbolicBytes& one, const SymbolicBytes& other);
  /// The combination of `bytes` bytes from each of the terms on, of which there must be one; in any order.
  [[nodiscard]] SymbolicBytes of(std::vector<Term> terms, std::int64_t bytes);
  /// What the first of `bytes` is combined of, sorted by rank and offset: a single term where it is a copy, and none
  /// where nothing wrote it.
  [[nodiscard]] std::vector<Term> terms(const SymbolicBytes& bytes) const;

 private:
  struct Hash {
    std::size_t operator()(const std::vector<Term>& terms) const noexcept;
  };
  [[nodiscard]] SymbolicBytes intern(std::vector<Term> sorted, std::int64_t bytes);

  std::unordered_map<std::vector<Term>, std::int32_t, Hash> numbers_;
  std::vector<const std::vector<Term>*> by_number_;  ///< keys of numbers_, which stay where they are
};

}  // namespace rondo::internal

#endif
