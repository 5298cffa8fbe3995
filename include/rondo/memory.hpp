/// @file
/// Memory for arrays that neighbors on the same node can read: an allocator for containers, and an array.
#ifndef RONDO_MEMORY_HPP
#define RONDO_MEMORY_HPP

#include <rondo/basics/cpp20.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace rondo {

/// Allocates `bytes` bytes, which begin on a cache line (64 bytes); their content is not defined. A message of a
/// persistent operation that lies in such memory at both ends, on one node, is copied once, from the sender's array
/// straight into the receiver's, however the blocks are scattered (docs/shared-memory.md). Nothing else differs from
/// other memory, except that a child after fork() does not have it. If no memory can be shared, or RONDO_SHM is off,
/// the memory comes from the heap, and the log says so once. Call between MPI_Init and MPI_Finalize. Local, any thread.
/// Throws std::bad_alloc; Error, MPI_ERR_OTHER while MPI is not running.
[[nodiscard]] void* allocate(std::size_t bytes);
/// Frees memory that allocate() returned; null: does nothing. No active operation may use the memory. If an inactive
/// request that is not freed uses it, the memory is given back when the request is freed. Local, any thread, at any
/// time, also after MPI_Finalize.
void deallocate(void* memory) noexcept;

/// An allocator for containers: std::vector<double, rondo::Allocator<double>>. Uses allocate() and deallocate(): a
/// container that allocates must be made, and must grow, between MPI_Init and MPI_Finalize.
template <typename T>
class Allocator {
 public:
  static_assert(alignof(T) <= 64, "memory begins on a cache line of 64 bytes");
  /// Type of the elements.
  using value_type = T;

  Allocator() noexcept = default;
  /// Makes an allocator from one for elements of another type.
  template <typename U>
  Allocator(const Allocator<U>&) noexcept {}

  /// Allocates memory for `count` elements. Throws as rondo::allocate().
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(rondo::allocate(count * sizeof(T)));
  }
  /// Frees memory that allocate() returned.
  void deallocate(T* memory, std::size_t) noexcept { rondo::deallocate(memory); }

  /// True: each allocator frees memory of any other.
  template <typename U>
  bool operator==(const Allocator<U>&) const noexcept {
    return true;
  }
};

/// An array of fixed size in memory of allocate(), for fields with halos: a contiguous range, which every call takes as
/// a buffer. Move-only, so that no field is copied by accident; clone() copies.
///
///     rondo::Array<double> field((rows + 2) * (columns + 2));
///     rondo::Request halo = rondo::halo_init(torus, rondo::HaloArray::of(field, {rows + 2, columns + 2}, 1));
template <typename T>
class Array {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "elements travel as bytes");
  /// Type of the elements.
  using value_type = T;

  /// Makes an array without elements.
  Array() noexcept = default;
  /// Makes an array of `size` elements, all T(). Throws as allocate().
  explicit Array(std::size_t size) : Array(size, T()) {}
  /// Makes an array of `size` elements, all `value`. Throws as allocate().
  Array(std::size_t size, const T& value) : Array(Uninitialized(), size) {
    std::uninitialized_fill_n(data_, size, value);
  }
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { rondo::deallocate(data_); }

  /// Returns another array with the same elements. Throws as allocate().
  [[nodiscard]] Array clone() const {
    Array copy(Uninitialized(), size_);
    for (std::size_t i = 0; i < size_; ++i) std::construct_at(copy.data_ + i, data_[i]);
    return copy;
  }

  /// The number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Whether there are no elements.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// The address of the first element; null if there are no elements.
  [[nodiscard]] T* data() noexcept { return data_; }
  /// The address of the first element; null if there are no elements.
  [[nodiscard]] const T* data() const noexcept { return data_; }
  /// A span of all elements.
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  /// A span of all elements.
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  /// An iterator at the first element.
  [[nodiscard]] T* begin() noexcept { return data_; }
  /// An iterator past the last element.
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  /// An iterator at the first element.
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  /// An iterator past the last element.
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  /// The element at `index`, which is not checked.
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return data_[index]; }
  /// The element at `index`, which is not checked.
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
  struct Uninitialized {};
  Array(Uninitialized, std::size_t size) : data_(size == 0 ? nullptr : Allocator<T>().allocate(size)), size_(size) {}

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rondo

#endif
