#include "runtime/check/combination.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rondo::internal {
namespace {

/// SymbolicBytes::rank of combination 0; further combinations count down from it.
constexpr std::int32_t kFirst = SymbolicBytes::kNothing - 1;

bool comes_before(const Term& one, const Term& other) {
  return std::tie(one.rank, one.offset) < std::tie(other.rank, other.offset);
}

/// Adds a term to a sorted list, in which no term comes after it.
void append(std::vector<Term>& sorted, const Term& term) {
  if (!sorted.empty() && sorted.back().rank == term.rank && sorted.back().offset == term.offset)
    sorted.back().times += term.times;
  else
    sorted.push_back(term);
}

}  // namespace

std::size_t Combinations::Hash::operator()(const std::vector<Term>& terms) const noexcept {
  std::uint64_t hash = terms.size();
  for (const Term& term : terms) {
    for (const auto word : {static_cast<std::uint64_t>(term.rank), static_cast<std::uint64_t>(term.offset),
                            static_cast<std::uint64_t>(term.times)}) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29U;
    }
  }
  return hash;
}

SymbolicBytes Combinations::intern(std::vector<Term> sorted, std::int64_t bytes) {
  if (sorted.size() == 1 && sorted.front().times == 1) return {sorted.front().rank, sorted.front().offset, bytes};
  const std::int64_t first = sorted.front().offset;
  for (Term& term : sorted) term.offset -= first;
  const auto [entry, is_new] = numbers_.try_emplace(std::move(sorted), static_cast<std::int32_t>(by_number_.size()));
  if (is_new) by_number_.push_back(&entry->first);
  return {kFirst - entry->second, first, bytes};
}

SymbolicBytes Combinations::of(std::vector<Term> terms, std::int64_t bytes) {
  std::ranges::sort(terms, comes_before);
  std::vector<Term> sorted;
  for (const Term& term : terms) append(sorted, term);
  return intern(std::move(sorted), bytes);
}

SymbolicBytes Combinations::combine(const SymbolicBytes& one, const SymbolicBytes& other) {
  const std::vector<Term> ours = terms(one);
  const std::vector<Term> theirs = terms(other);
  std::vector<Term> sorted;
  sorted.reserve(ours.size() + theirs.size());
  auto next = theirs.begin();
  for (const Term& term : ours) {
    for (; next != theirs.end() && comes_before(*next, term); ++next) append(sorted, *next);
    append(sorted, term);
  }
  for (; next != theirs.end(); ++next) append(sorted, *next);
  return intern(std::move(sorted), one.bytes);
}

std::vector<Term> Combinations::terms(const SymbolicBytes& bytes) const {
  if (!bytes.written()) return {};
  if (bytes.rank >= 0) return {{bytes.rank, bytes.offset, 1}};
  std::vector<Term> terms = *by_number_[static_cast<std::size_t>(kFirst - bytes.rank)];
  for (Term& term : terms) term.offset += bytes.offset;
  return terms;
}

}  // namespace rondo::internal
