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

/// Which elements of the halo an update needs. An element's excess along an axis is how many elements it lies outside
/// of the process's own part, at least 1, or 0 where it does not.
enum class Stencil : std::uint8_t {
  box,  ///< all of them: 9-point, 27-point
  star  ///< those whose excesses, each divided by the halo's depth there, add up to at most 1: 5-point, 7-point. With
        ///< depth 1 there are no corners; with depth k they are triangles of k(k-1)/2 elements (EuroMPI 2015, section
        ///< 2), what k steps of such a stencil need
};

/// How the elements of an array of several dimensions lie in memory.
enum class StorageOrder : std::uint8_t {
  row_major,    ///< the last dimension varies fastest, as in C
  column_major  ///< the first does, as in Fortran
};

/// Elements of halo before and behind those that a process has inside.
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
  /// Of data: as many as the sizes say, or with strides at least as many as these reach over; -1: unchecked.
  std::int64_t elements;
  MPI_Datatype element;  ///< elements lie one extent apart; may have gaps, or be of several fields far from each other
  /// Elements along each dimension of the array, halo included. The first dimensions are those of
  /// the grid of processes; along further ones the array is not distributed.
  std::vector<int> sizes;
  std::vector<HaloDepth> depths;                 ///< one for each dimension; zero along those that are not distributed
  StorageOrder order = StorageOrder::row_major;  ///< of `data`
  /// Elements from one to the next along each dimension, where the array lies in a larger one or its rows are padded:
  /// see Rondo_Halo_exchange. Empty: there are no gaps, and `order` says which dimension varies fastest.
  std::vector<MPI_Aint> strides = {};

  /// The same with other strides: HaloArray::of<double>(values, {rows + 2, columns + 2}, 1).strided({pitch, 1}).
  [[nodiscard]] HaloArray strided(std::vector<MPI_Aint> by) const {
    HaloArray array = *this;
    array.strides = std::move(by);
    return array;
  }

  /// Elements of a contiguous range that lasts, such as a std::vector, of a type that MPI has a name for, and one depth
  /// on all sides: HaloArray::of(values, {10, 10}, 1).
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

  /// The array of a view: HaloArray::of(view, 1). Its order, which must be the same on all ranks, follows from the
  /// strides: column_major if the first is less than the last. Give `order` where the strides differ between ranks, as
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
/// Elements are sent once, whichever corners and faces they lie in. Blocking. See rondo/halo.h for what must be the
/// same on all ranks, for the edges of a mesh and for the errors. Collective over the grid. Ranks do not exchange
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

/// Several arrays at once: what goes to one process goes as one message, as it would of one array, so that many fields
/// cost no more messages than one. The arrays may differ in everything but the grid: element, sizes, depths, order,
/// strides. All ranks give the same number of arrays, at least one, in the same order. Arrays share no byte. Block i of
/// the request is the part of all halos in direction i, of those along the dimensions in which some
/// array has a halo.
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

/// The same for a list: rondo::halo_init(torus, {density, velocity}).
inline void halo_exchange(const CartComm& grid, std::initializer_list<HaloArray> arrays,
                          Stencil stencil = Stencil::box) {
  halo_exchange(grid, std::span<const HaloArray>(arrays.begin(), arrays.size()), stencil);
}
/// The same for a list.
[[nodiscard]] inline Request ihalo_exchange(const CartComm& grid, std::initializer_list<HaloArray> arrays,
                                            Stencil stencil = Stencil::box) {
  return ihalo_exchange(grid, std::span<const HaloArray>(arrays.begin(), arrays.size()), stencil);
}
/// The same for a list.
[[nodiscard]] inline Request halo_init(const CartComm& grid, std::initializer_list<HaloArray> arrays,
                                       Stencil stencil = Stencil::box, const Options& options = {}) {
  return halo_init(grid, std::span<const HaloArray>(arrays.begin(), arrays.size()), stencil, options);
}

}  // namespace rondo

#endif
