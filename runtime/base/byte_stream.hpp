/// @file
/// ByteWriter and ByteReader: convert values to bytes, which are sent to another rank of the job, and back.
#ifndef RONDO_RUNTIME_BASE_BYTE_STREAM_HPP
#define RONDO_RUNTIME_BASE_BYTE_STREAM_HPP

#include <rondo/error.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace rondo::internal {

class ByteWriter {
 public:
  template <typename T>
  void write(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof(T));
  }
  /// Writes the length of a list, then its values.
  template <typename T>
  void write_list(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(values.size());
    const auto* begin = reinterpret_cast<const std::byte*>(values.data());
    bytes_.insert(bytes_.end(), begin, begin + values.size_bytes());
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// A reader of the values that a ByteWriter wrote, in the same order. Throws Error (MPI_ERR_INTERN) if bytes are
/// missing.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename T>
  [[nodiscard]] T read() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  template <typename T>
  [[nodiscard]] std::vector<T> read_list() {
    const auto size = read<std::size_t>();
    if (size > left_.size() / sizeof(T)) missing();
    std::vector<T> values(size);
    if (size > 0) std::memcpy(values.data(), take(size * sizeof(T)).data(), size * sizeof(T));
    return values;
  }

 private:
  [[noreturn]] static void missing() { throw Error(MPI_ERR_INTERN, "bytes from another rank are missing"); }
  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > left_.size()) missing();
    const auto taken = left_.first(bytes);
    left_ = left_.subspan(bytes);
    return taken;
  }

  std::span<const std::byte> left_;
};

}  // namespace rondo::internal

#endif
