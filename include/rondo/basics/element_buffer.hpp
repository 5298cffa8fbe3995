/// @file
/// Buffers and blocks as the collectives take them, in C++.
#ifndef RONDO_ELEMENT_BUFFER_HPP
#define RONDO_ELEMENT_BUFFER_HPP

#include <rondo/basics/cpp20.hpp>

#include <mpi.h>

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

namespace rondo {

/// The MPI datatype for elements of a user's type. Specialize it with a function `static MPI_Datatype native()`, which
/// is called once for each buffer of a call, in any thread. The function returns a committed datatype whose extent is
/// sizeof(T), and which is not freed as long as the function may be called. The call reports errors of the datatype as
/// for any datatype. For a struct of two doubles:
///
///     template <>
///     struct rondo::DatatypeOf<Point> {
///       static MPI_Datatype native() { return point_type; }  // by MPI_Type_contiguous(2, MPI_DOUBLE, ...), committed
///     };
template <typename T>
struct DatatypeOf;

/// Returns MPI's name for a C++ element type: bool, the integers and characters that C has, floating-point numbers,
/// std::byte, std::complex, and types for which DatatypeOf is specialized. Local; any other type does not compile.
template <typename T>
[[nodiscard]] MPI_Datatype datatype_of() {
  if constexpr (requires { DatatypeOf<T>::native(); })
    return DatatypeOf<T>::native();
  else if constexpr (std::is_same_v<T, double>)
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
  else if constexpr (std::is_same_v<T, long double>)
    return MPI_LONG_DOUBLE;
  else if constexpr (std::is_same_v<T, bool>)
    return MPI_CXX_BOOL;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return MPI_CXX_FLOAT_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return MPI_CXX_DOUBLE_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<long double>>)
    return MPI_CXX_LONG_DOUBLE_COMPLEX;
  else
    static_assert(!sizeof(T), "no MPI datatype for this element type: specialize rondo::DatatypeOf, or use alltoallw");
}

/// Stands for the element type of a call that names none: the type is that of the buffers' elements.
struct Deduced {};

/// Requires that `T` is the type of the elements of `Range`, or Deduced.
template <typename T, typename Range>
concept ElementTypeOf = std::same_as<T, Deduced> || std::same_as<T, std::ranges::range_value_t<Range>>;

/// A buffer to send from: elements one after the other in memory, in a range that knows its length, such as
/// std::vector, std::array, arrays and std::span.
template <typename Range, typename T>
concept SendElements =
    std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> && ElementTypeOf<T, Range>;

/// A buffer to send from whose elements still exist when the call returns: the range has a name, or is a view of
/// elements, such as a span. A temporary vector would be gone before it is sent.
template <typename Range, typename T>
concept LastingElements = SendElements<Range, T> && std::ranges::borrowed_range<Range>;

/// Whether the elements of `Range` cannot be written.
template <typename Range>
inline constexpr bool kElementsAreConst =
    std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

/// A buffer that outlives the call and can be written to, as for an operation in place.
template <typename Range, typename T>
concept WritableElements = LastingElements<Range, T> && !kElementsAreConst<Range>;

/// A buffer to receive the elements of `Send`: its elements have the same type.
template <typename Range, typename Send>
concept RecvElements = WritableElements<Range, std::ranges::range_value_t<Send>>;

/// Named in the compiler's error if a collective does not take the arguments. Buffers are contiguous ranges that know
/// their length, such as std::vector, std::array, arrays and std::span, with elements of the same type. Receive buffers
/// can be written.
struct BuffersAreContiguousRangesOfTheSameElements;
/// Named in the compiler's error if a nonblocking or persistent collective does not take the arguments. Buffers are as
/// for blocking collectives, and exist until the operation is complete: no temporary vector or array.
struct BuffersAreContiguousRangesThatOutliveTheCall;

/// A buffer of elements that MPI has a name for. `elements` -1: the length is unknown and not checked.
struct ElementBuffer {
  void* address;          ///< address of the first element
  std::int64_t elements;  ///< number of elements
  MPI_Datatype type;      ///< datatype of each element

  /// Returns the buffer of a range.
  template <typename Range>
  [[nodiscard]] static ElementBuffer of(Range& range) {
    using T = std::ranges::range_value_t<Range>;
    const T* const first = std::ranges::data(range);
    return {const_cast<T*>(first), static_cast<std::int64_t>(std::ranges::size(range)), datatype_of<T>()};
  }
};

/// Where the blocks of a buffer lie: counts and displacements in elements.
struct BlockPlaces {
  std::span<const int> counts;         ///< elements of each block
  std::span<const int> displacements;  ///< elements from the buffer's beginning to that of each block
};

/// One block of an alltoallw to send from: `count` elements of `type` at `address`.
struct SendBlock {
  const void* address;  ///< address of the block
  int count;            ///< elements
  MPI_Datatype type;    ///< datatype of each element
};

/// One block of an alltoallw to receive into.
struct RecvBlock {
  void* address;      ///< address of the block
  int count;          ///< elements
  MPI_Datatype type;  ///< datatype of each element
};

}  // namespace rondo

#endif
