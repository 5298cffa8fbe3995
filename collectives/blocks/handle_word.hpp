/// @file
/// handle_word(): a function that turns a handle of MPI's into a word.
#ifndef RONDO_COLLECTIVES_BLOCKS_HANDLE_WORD_HPP
#define RONDO_COLLECTIVES_BLOCKS_HANDLE_WORD_HPP

#include <cstdint>
#include <cstring>

namespace rondo::internal {

/// Returns a word that holds the bits of a handle of MPI's, which is a pointer or a number. Keys by which calls are
/// recognized contain such words.
template <typename Handle>
[[nodiscard]] std::int64_t handle_word(Handle handle) noexcept {
  static_assert(sizeof handle <= sizeof(std::int64_t));
  std::int64_t word = 0;
  std::memcpy(&word, &handle, sizeof handle);
  return word;
}

}  // namespace rondo::internal

#endif
