/// @file
/// Strided: a view of a user's array, or of one member of each struct in an array.
#ifndef RONDO_COLLECTIVES_BLOCKS_STRIDED_HPP
#define RONDO_COLLECTIVES_BLOCKS_STRIDED_HPP

#include <cstddef>

namespace rondo::internal {

/// A view of values that are `step` bytes apart. Null if there is no array. A value.
template <typename T>
class Strided {
 public:
  constexpr Strided() noexcept = default;
  constexpr Strided(const T* array) noexcept : first_(array) {}
  /// Views one member of each struct in an array. `first`: the member in the first struct.
  constexpr Strided(const T* first, std::size_t step) noexcept : first_(first), step_(step) {}

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return first_ != nullptr; }
  [[nodiscard]] const T& operator[](int i) const noexcept {
    const auto* at = reinterpret_cast<const std::byte*>(first_) + static_cast<std::size_t>(i) * step_;
    return *reinterpret_cast<const T*>(at);
  }

  /// Returns whether the values follow each other without gaps.
  [[nodiscard]] constexpr bool is_dense() const noexcept { return step_ == sizeof(T); }

 private:
  const T* first_ = nullptr;
  std::size_t step_ = sizeof(T);
};

}  // namespace rondo::internal

#endif
