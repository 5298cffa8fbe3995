/// @file
/// Integers: a view of a user's array of ints or of 64-bit integers.
#ifndef RONDO_COLLECTIVES_BLOCKS_INTEGERS_HPP
#define RONDO_COLLECTIVES_BLOCKS_INTEGERS_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace rondo::internal {

/// The types of a user's integers: int, or a type of 64 bits that MPI_Count and MPI_Aint are names for.
template <typename T>
concept CountType = std::signed_integral<T> &&(sizeof(T) == sizeof(int) || sizeof(T) == sizeof(std::int64_t));

/// A view of integers that are `step` bytes apart, all of one width. Null if there is no array. A value.
class Integers {
 public:
  /// The type by which any 64-bit integer may be read, whatever it was declared as.
  using Wide [[gnu::may_alias]] = std::int64_t;

  constexpr Integers() noexcept = default;
  template <CountType T>
  constexpr Integers(const T* array) noexcept : Integers(array, sizeof(T)) {}
  /// Views one member of each struct in an array. `first`: the member in the first struct.
  template <CountType T>
  constexpr Integers(const T* first, std::size_t step) noexcept
      : first_(first), step_(static_cast<std::uint32_t>(step)), wide_(sizeof(T) == sizeof(Wide)) {}

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return first_ != nullptr; }
  [[nodiscard]] std::int64_t operator[](int i) const noexcept {
    const void* const at = static_cast<const std::byte*>(first_) + static_cast<std::size_t>(i) * step_;
    return wide_ ? *static_cast<const Wide*>(at) : *static_cast<const int*>(at);
  }

  /// Returns whether the integers follow each other without gaps. If they do, either ints() or wide() is the array.
  [[nodiscard]] constexpr bool is_dense() const noexcept { return step_ == (wide_ ? sizeof(Wide) : sizeof(int)); }
  [[nodiscard]] const int* ints() const noexcept { return wide_ ? nullptr : static_cast<const int*>(first_); }
  [[nodiscard]] const Wide* wide() const noexcept { return wide_ ? static_cast<const Wide*>(first_) : nullptr; }

 private:
  const void* first_ = nullptr;
  std::uint32_t step_ = sizeof(int);
  bool wide_ = false;
};

}  // namespace rondo::internal

#endif
