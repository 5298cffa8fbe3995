/// @file
/// Buffers and blocks as the collectives take them, in C++.
#ifndef RONDO_ELEMENT_BUFFER_HPP
#define RONDO_ELEMENT_BUFFER_HPP

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace rondo {

/// MPI's name for a C++ element type.
template <typename T>
[[nodiscard]] MPI_Datatype datatype_of() {
  if constexpr (std::is_same_v<T, double>)
    return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, float>)
    return MPI_FLOAT;
  else if constexpr (std::is_same_v<T, char>)
    return MPI_CHAR;
  else if constexpr (std::is_same_v<T, signed char>)
    return MPI_SIGNED_CHAR;
  else if constexpr (std::is_same_v<T, unsigned char>)
    return MPI_UNSIGNED_CHAR;
  else if constexpr (std::is_same_v<T, std::byte>)
    return MPI_BYTE;
  else if constexpr (std::is_same_v<T, short>)
    return MPI_SHORT;
  else if constexpr (std::is_same_v<T, unsigned short>)
    return MPI_UNSIGNED_SHORT;
  else if constexpr (std::is_same_v<T, int>)
    return MPI_INT;
  else if constexpr (std::is_same_v<T, unsigned>)
    return MPI_UNSIGNED;
  else if constexpr (std::is_same_v<T, long>)
    return MPI_LONG;
  else if constexpr (std::is_same_v<T, unsigned long>)
    return MPI_UNSIGNED_LONG;
  else if constexpr (std::is_same_v<T, long long>)
    return MPI_LONG_LONG;
  else if constexpr (std::is_same_v<T, unsigned long long>)
    return MPI_UNSIGNED_LONG_LONG;
  else
    static_assert(!sizeof(T), "no MPI datatype for this element type: use alltoallw with an MPI_Datatype");
}

/// Memory of elements that MPI has a name for. Made of spans; `elements` -1: as many as are needed, unchecked.
struct ElementBuffer {
  void* address;
  std::int64_t elements;
  MPI_Datatype type;

  template <typename T>
  [[nodiscard]] static ElementBuffer of(std::span<T> buffer) {
    return {const_cast<std::remove_const_t<T>*>(buffer.data()), static_cast<std::int64_t>(buffer.size()),
            datatype_of<std::remove_const_t<T>>()};
  }
};

/// Where the blocks of a buffer lie: counts and displacements in elements.
struct BlockPlaces {
  std::span<const int> counts;
  std::span<const int> displacements;
};

/// One block of an alltoallw to send from: `count` elements of `type` at `address`.
struct SendBlock {
  const void* address;
  int count;
  MPI_Datatype type;
};

/// One block of an alltoallw to receive into.
struct RecvBlock {
  void* address;
  int count;
  MPI_Datatype type;
};

}  // namespace rondo

#endif
