/// @file
/// The halo exchange: borders of a distributed array, given as a region and not as blocks.
#ifndef RONDO_HALO_HPP
#define RONDO_HALO_HPP

#include <rondo/basics/cpp20.hpp>

#include <mpi.h>
#include <rondo/cart_comm.hpp>
#include <rondo/error.hpp>
#include <rondo/request.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo {

/// Which elements of the halo an update needs. An element's excess along an axis is its distance, in elements, from the
/// process's own part: at least 1 outside, 0 inside.
enum class Stencil : std::uint8_t {
  box,  ///< all elements: 9-point, 27-point
  star  ///< elements whose excesses, each divided by the halo's depth along its axis, add up to at most 1: 5-point,
        ///< 7-point. With depth 1 there are no corners; with depth k corners are triangles of k(k-1)/2 elements, as k
        ///< steps of such a stencil need (EuroMPI 2015, section 2)
};

/// How the elements of an array of several dimensions lie in memory.
enum class StorageOrder : std::uint8_t {
  row_major,    ///< the last dimension varies fastest, as in C
  column_major  ///< the first dimension varies fastest, as in Fortran
};

/// Depths of a halo along one dimension, in elements, before and behind the process's own elements.
struct HaloDepth {
  int low;   ///< before
  int high;  ///< behind
};

/// A view of an array of several dimensions whose elements may be written, in the manner of std::mdspan: with extents,
/// strides and a pointer to the element of index 0.
template <typename View>
concept ArrayView = requires(const View& view, std::size_t k) {
  typename View::element_type;
  requires !std::is_const_v<typename View::element_type>;
  { View::rank() } -> std::convertible_to<std::size_t>;
  { view.extent(k) } -> std::convertible_to<std::int64_t>;
  { view.stride(k) } -> std::convertible_to<std::int64_t>;
  { view.data_handle() } -> std::convertible_to<typename View::element_type*>;
};

/// A process's part of a distributed array, with its halo. A value; it does not own the array.
struct HaloArray {
  void* data;  ///< the array, halo included
  /// Number of elements of `data`: the product of the sizes, or with strides at least the number that they span; -1:
  /// unchecked.
  std::int64_t elements;
  MPI_Datatype element;  ///< elements lie one extent apart; may have gaps, or be of several fields far from each other
  /// Elements along each dimension of the array, halo included. The first dimensions are those of the grid of
  /// processes; along further ones the array is not distributed.
  std::vector<int> sizes;
  std::vector<HaloDepth> depths;  ///< one for each dimension; zero along dimensions that are not distributed
  StorageOrder order = StorageOrder::row_major;  ///< how `data` lies in memory
  /// Distance, in elements, from one element to the next along each dimension, if the array lies in a larger one or its
  /// rows are padded: see Rondo_Halo_exchange. Empty: there are no gaps, and `order` says which dimension varies
  /// fastest.
  std::vector<MPI_Aint> strides = {};

  /// Returns this array with strides `by`:
  /// HaloArray::of<double>(values, {rows + 2, columns + 2}, 1).strided({pitch, 1}).
  [[nodiscard]] HaloArray strided(std::vector<MPI_Aint> by) const {
    HaloArray array = *this;
    array.strides = std::move(by);
    return array;
  }

  /// Makes the array of a contiguous range that outlives the call, such as a std::vector, of a type that MPI has a name
  /// for, and one depth on all sides: HaloArray::of(values, {10, 10}, 1).
  template <typename T = Deduced, WritableElements<T> Values = std::span<T>>
  [[nodiscard]] static HaloArray of(Values&& values, std::vector<int> sizes, int depth,
                                    StorageOrder order = StorageOrder::row_major) {
    std::vector<HaloDepth> depths(sizes.size(), {depth, depth});
    return of<T>(values, std::move(sizes), std::move(depths), order);
  }
  template <typename T = Deduced, WritableElements<T> Values = std::span<T>>
  [[nodiscard]] static HaloArray of(Values&& values, std::vector<int> sizes, std::vector<HaloDepth> depths,
                                    StorageOrder order = StorageOrder::row_major) {
    const ElementBuffer elements = ElementBuffer::of(values);
    return {elements.address, elements.elements, elements.type, std::move(sizes), std::move(depths), order, {}};
  }

  /// Makes the array of a view: HaloArray::of(view, 1). The order, which must be the same on all ranks, follows from
  /// the strides: column_major if the first is less than the last. Give `order` if the strides differ between ranks, as
  /// for a single column. Throws Error, MPI_ERR_ARG, for an extent that does not fit an int.
  template <ArrayView View>
  [[nodiscard]] static HaloArray of(const View& view, int depth, std::optional<StorageOrder> order = {}) {
    return of(view, std::vector<HaloDepth>(View::rank(), {depth, depth}), order);
  }
  template <ArrayView View>
  [[nodiscard]] static HaloArray of(const View& view, std::vector<HaloDepth> depths,
                                    std::optional<StorageOrder> order = {}) {
    HaloArray array{view.data_handle(), -1, datatype_of<typename View::element_type>(), {}, std::move(depths)};
    for (std::size_t k = 0; k < View::rank(); ++k) {
      const auto extent = static_cast<std::int64_t>(view.extent(k));
      if (extent > std::numeric_limits<int>::max())
        throw Error(MPI_ERR_ARG, "view: an extent is " + std::to_string(extent) + ", must be an int");
      array.sizes.push_back(static_cast<int>(extent));
      array.strides.push_back(static_cast<MPI_Aint>(view.stride(k)));
    }
    const bool first_is_fastest = View::rank() > 0 && array.strides.front() < array.strides.back();
    array.order = order.value_or(first_is_fastest ? StorageOrder::column_major : StorageOrder::row_major);
    return array;
  }
};

/// Fills the halo of `array` from the neighbors on `grid`: the halo exchange (ICPP 2019, sections 2.1 and 3.4).
/// Elements are sent once, whichever corners and faces they lie in. Blocking. rondo/halo.h says what must be the same
/// on all ranks, and describes the edges of a mesh and the errors. Collective over the grid. Ranks do not exchange
/// information about their arrays: an error on one rank is thrown on that rank only.
void halo_exchange(const CartComm& grid, const HaloArray& array, Stencil stencil = Stencil::box);
/// Nonblocking: never waits for another rank.
[[nodiscard]] Request ihalo_exchange(const CartComm& grid, const HaloArray& array, Stencil stencil = Stencil::box);
/// Persistent: prepared once, started any number of times. Waits for the other ranks, which exchange information about
/// their arrays: an error on one rank is thrown on all, and the algorithm is chosen for the actual sizes.
///
///     rondo::Request halo = rondo::halo_init(torus, rondo::HaloArray::of<double>(values, {rows + 2, columns + 2}, 1));
[[nodiscard]] Request halo_init(const CartComm& grid, const HaloArray& array, Stencil stencil = Stencil::box,
                                const Options& options = {});

/// Fills the halos of several arrays at once: all data for one process go in one message, so that many fields cost no
/// more messages than one. The arrays may differ in everything but the grid: element, sizes, depths, order, strides.
/// All ranks give the same number of arrays, at least one, in the same order. Arrays share no byte. Block i of the
/// request is the part of all halos in direction i, along the dimensions in which some array has a halo.
///
///     const std::array fields{rondo::HaloArray::of<double>(density, {rows + 2, columns + 2}, 1),
///                             rondo::HaloArray::of<float>(velocity, {rows + 4, columns + 4, 3}, {{2, 2}, {2, 2},
///                             {}})};
///     rondo::Request halos = rondo::halo_init(torus, fields);
void halo_exchange(const CartComm& grid, std::span<const HaloArray> arrays, Stencil stencil = Stencil::box);
[[nodiscard]] Request ihalo_exchange(const CartComm& grid, std::span<const HaloArray> arrays,
                                     Stencil stencil = Stencil::box);
[[nodiscard]] Request halo_init(const CartComm& grid, std::span<const HaloArray> arrays, Stencil stencil = Stencil::box,
                                const Options& options = {});

/// Takes a list of arrays in braces: rondo::halo_exchange(torus, {density, velocity}).
inline void halo_exchange(const CartComm& grid, std::initializer_list<HaloArray> arrays,
                          Stencil stencil = Stencil::box) {
  halo_exchange(grid, std::span<const HaloArray>(arrays.begin(), arrays.size()), stencil);
}
/// Takes a list of arrays in braces: rondo::ihalo_exchange(torus, {density, velocity}).
[[nodiscard]] inline Request ihalo_exchange(const CartComm& grid, std::initializer_list<HaloArray> arrays,
                                            Stencil stencil = Stencil::box) {
  return ihalo_exchange(grid, std::span<const HaloArray>(arrays.begin(), arrays.size()), stencil);
}
/// Takes a list of arrays in braces: rondo::halo_init(torus, {density, velocity}).
[[nodiscard]] inline Request halo_init(const CartComm& grid, std::initializer_list<HaloArray> arrays,
                                       Stencil stencil = Stencil::box, const Options& options = {}) {
  return halo_init(grid, std::span<const HaloArray>(arrays.begin(), arrays.size()), stencil, options);
}

}  // namespace rondo

#endif
