/// @file
/// Handles of MPI's as words.
#ifndef RONDO_COLLECTIVES_BLOCKS_HANDLE_WORD_HPP
#define RONDO_COLLECTIVES_BLOCKS_HANDLE_WORD_HPP

#include <cstdint>
#include <cstring>

namespace rondo::internal {

/// A handle of MPI's, which is a pointer or a number, as a word of what calls are recognized by.
template <typename Handle>
[[nodiscard]] std::int64_t handle_word(Handle handle) noexcept {
  static_assert(sizeof handle <= sizeof(std::int64_t));
  std::int64_t word = 0;
  std::memcpy(&word, &handle, sizeof handle);
  return word;
}

}  // namespace rondo::internal

#endif
