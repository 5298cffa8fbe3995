#include "collectives/arguments/halo_call.hpp"

#include <rondo/error.hpp>

#include "datatypes/layout/overlap.hpp"
#include "runtime/base/count_of.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

std::string array_name(std::size_t array) { return "arrays[" + std::to_string(array) + "]"; }
std::string entry(const char* name, int axis) { return std::string(name) + "[" + std::to_string(axis) + "]"; }

[[noreturn]] void refuse(int error_class, const std::string& argument, std::int64_t value, const std::string& must_be) {
  throw Error(error_class, argument + ": is " + std::to_string(value) + ", must be " + must_be);
}

void check_lists(const HaloCallArray& call, const Grid& grid) {
  if (call.depths != -1 && call.depths != call.axes) {
    throw Error(MPI_ERR_ARG, "depths: has length " + std::to_string(call.depths) + ", must have length " +
                                 std::to_string(call.axes) + ", the length of sizes");
  }
  if (call.strides != nullptr && call.stride_entries != -1 && call.stride_entries != call.axes) {
    throw Error(MPI_ERR_ARG, "strides: has length " + std::to_string(call.stride_entries) + ", must have length " +
                                 std::to_string(call.axes) + ", as sizes has, or none");
  }
  if (call.axes < grid.dimensions()) {
    refuse(MPI_ERR_DIMS, "ndims", call.axes,
           "at least " + std::to_string(grid.dimensions()) + ", the number of dimensions of cartcomm");
  }
  const auto require_list = [](const Strided<int>& list, const char* name) {
    if (!list) throw Error(MPI_ERR_ARG, std::string(name) + ": is null, must have ndims entries");
  };
  require_list(call.sizes, "sizes");
  require_list(call.low, "depth_low");
  require_list(call.high, "depth_high");
}

/// Throws Error if a halo is deeper than the interior from which a neighbor fills its halo: only the interior is sent.
/// Nothing is checked unless there is such a neighbor.
void check_depth(const char* name, int axis, int depth, std::int64_t inside, bool somebody_asks) {
  if (!somebody_asks || depth <= inside) return;
  refuse(MPI_ERR_ARG, entry(name, axis), depth,
         "at most " + std::to_string(inside) +
             ", the number of interior elements in this dimension: a neighbor's halo cannot reach beyond them");
}

halo::Axis check_axis(const HaloCallArray& call, const Grid& grid, int axis) {
  const int size = call.sizes[axis];
  const int low = call.low[axis];
  const int high = call.high[axis];
  if (low < 0) refuse(MPI_ERR_ARG, entry("depth_low", axis), low, "at least 0");
  if (high < 0) refuse(MPI_ERR_ARG, entry("depth_high", axis), high, "at least 0");
  if (axis >= grid.dimensions() && (low > 0 || high > 0)) {
    refuse(MPI_ERR_ARG, entry(low > 0 ? "depth_low" : "depth_high", axis), low > 0 ? low : high,
           "0: cartcomm has " + count_of(grid.dimensions(), "dimension") + ", so this one is not distributed");
  }
  const std::int64_t both = std::int64_t{low} + high;
  if (size < both) {
    refuse(MPI_ERR_ARG, entry("sizes", axis), size,
           "at least " + std::to_string(both) + ", the sum of the halo's depths on both sides");
  }
  const std::int64_t inside = size - both;
  if (axis < grid.dimensions()) {
    check_depth("depth_low", axis, low, inside, grid.rank_along(axis, 1) != kNoRank);
    check_depth("depth_high", axis, high, inside, grid.rank_along(axis, -1) != kNoRank);
  }
  return {inside, low, high};
}

constexpr const char* kTooManyElements = "sizes: the array has more elements than 64 bits can count";
constexpr const char* kTooManyBytes = "strides: the array reaches over more bytes than can be counted";

std::int64_t product(std::int64_t one, std::int64_t other, const char* what) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(one, other, &result)) throw Error(MPI_ERR_ARG, what);
  return result;
}

/// Returns the number of elements of memory from the first to the last element of an array with strides; 0 if it has
/// none. In the order of the strides, each stride must lead beyond all elements that the smaller ones lead to, so that
/// no two elements are in one place. Throws Error otherwise.
std::int64_t reach_of(const HaloCallArray& call, std::span<const halo::Axis> axes) {
  std::vector<int> by_stride;
  for (int axis = 0; axis < call.axes; ++axis) {
    const std::int64_t size = axes[static_cast<std::size_t>(axis)].size();
    if (size == 0) return 0;
    if (size > 1) by_stride.push_back(axis);
  }
  std::ranges::stable_sort(by_stride, {}, [&](int axis) { return call.strides[axis]; });
  std::int64_t reach = 1;
  for (const int axis : by_stride) {
    const std::int64_t stride = call.strides[axis];
    if (stride < reach) {
      refuse(MPI_ERR_ARG, entry("strides", axis), stride,
             "at least " + std::to_string(reach) +
                 ", or elements overlap: it must lead beyond all that smaller strides lead to");
    }
    const std::int64_t along = product(stride, axes[static_cast<std::size_t>(axis)].size() - 1, kTooManyBytes);
    if (__builtin_add_overflow(reach, along, &reach)) throw Error(MPI_ERR_ARG, kTooManyBytes);
  }
  return reach;
}

/// Returns the number of elements of memory from the array's first to its last. Throws Error if the user's array is
/// shorter or, if it has no strides, not exactly as long.
std::int64_t elements_of(const HaloCallArray& call, std::span<const halo::Axis> axes) {
  std::int64_t elements = 1;
  // Elements are counted for strided arrays, too, because elements without extent add nothing to the shape's bytes.
  for (int axis = 0; axis < call.axes; ++axis) elements = product(elements, call.sizes[axis], kTooManyElements);
  const bool dense = call.strides == nullptr;
  if (!dense) elements = reach_of(call, axes);
  if (call.elements < 0 || (dense ? call.elements == elements : call.elements >= elements)) return elements;
  throw Error(MPI_ERR_BUFFER, "array: has " + count_of(call.elements, "element") + ", must have " +
                                  (dense ? std::to_string(elements) + ", the product of its sizes, halo included"
                                         : "at least " + std::to_string(elements) + ", as its sizes and strides say"));
}

std::vector<std::int64_t> strides_in_bytes(const HaloCallArray& call, std::int64_t extent, std::int64_t reach) {
  std::vector<std::int64_t> strides;
  if (call.strides == nullptr) return strides;
  static_cast<void>(product(reach, extent, kTooManyBytes));
  // The stride of a dimension with at most one element, or of an empty array, is ignored, whatever its value.
  for (int axis = 0; axis < call.axes; ++axis)
    strides.push_back(call.sizes[axis] > 1 && reach > 0 ? call.strides[axis] * extent : extent);
  return strides;
}

std::shared_ptr<const halo::Shape> check_array(const HaloCallArray& call, Stencil stencil, const Grid& grid,
                                               MPI_Comm probe) {
  check_lists(call, grid);
  std::vector<halo::Axis> axes;
  bool with_halo = false;
  for (int axis = 0; axis < call.axes; ++axis) {
    axes.push_back(check_axis(call, grid, axis));
    with_halo = with_halo || axes.back().low > 0 || axes.back().high > 0;
  }
  if (call.order != StorageOrder::row_major && call.order != StorageOrder::column_major)
    throw Error(MPI_ERR_ARG, "order: must be row_major or column_major");
  if (call.element == MPI_DATATYPE_NULL) throw Error(MPI_ERR_TYPE, "element: is MPI_DATATYPE_NULL");
  const std::shared_ptr<const Layout> element = layout_of(call.element, probe);
  const std::int64_t elements = elements_of(call, axes);
  auto shape = std::make_shared<const halo::Shape>(std::move(axes), stencil, call.order, element,
                                                   strides_in_bytes(call, element->extent(), elements));
  if (call.data == nullptr && elements > 0 && shape->element().size() > 0 && with_halo)
    throw Error(MPI_ERR_BUFFER, "array: is null");
  return shape;
}

void check_directions(const halo::Shape& hull) {
  int with_halo = 0;
  for (int axis = 0; axis < hull.axes(); ++axis) with_halo += hull[axis].low > 0 || hull[axis].high > 0 ? 1 : 0;
  if (with_halo <= kMostHaloAxes) return;
  throw Error(MPI_ERR_DIMS, "depth_low, depth_high: " + std::to_string(with_halo) +
                                " dimensions have a halo, must be at most " + std::to_string(kMostHaloAxes));
}

/// Checks array i of the call and returns its shape. In a list, errors name the array by its number.
std::shared_ptr<const halo::Shape> check_numbered(const HaloCall& call, std::size_t i, const Grid& grid,
                                                  MPI_Comm probe) {
  try {
    return check_array(call.arrays[i], call.stencil, grid, probe);
  } catch (const Error& error) {
    if (!call.is_list) throw;
    throw Error(error.error_class(), array_name(i) + "." + error.what());
  }
}

/// Throws Error if two arrays share a byte. Arrays may lie between each other.
void check_apart(std::span<const halo::PlacedShape> arrays) {
  std::vector<Layout> layouts(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const halo::Shape whole = arrays[i].shape->without_halo();
    whole.append(halo::Zone(static_cast<std::size_t>(whole.axes()), halo::kInside), layouts[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const PlacedLayout one{arrays[j].offset, &layouts[j]};
      const PlacedLayout other{arrays[i].offset, &layouts[i]};
      if (one.offset + layouts[j].true_end() <= other.offset + layouts[i].true_begin() ||
          other.offset + layouts[i].true_end() <= one.offset + layouts[j].true_begin())
        continue;
      if (const auto shared = find_overlap({&one, 1}, {&other, 1})) {
        throw Error(MPI_ERR_BUFFER, array_name(i) + ".array: shares " + std::to_string(shared->end - shared->begin) +
                                        " bytes with that of " + array_name(j) + ", must share none");
      }
    }
  }
}

}  // namespace

void* base_of(const HaloCall& call) noexcept {
  void* base = nullptr;
  for (const HaloCallArray& array : call.arrays) {
    if (base == nullptr || (array.data != nullptr && std::less<>()(array.data, base))) base = array.data;
  }
  return base;
}

std::shared_ptr<const halo::Bundle> check_halo_call(const HaloCall& call, const Grid& grid, MPI_Comm probe) {
  if (call.arrays.empty()) throw Error(MPI_ERR_ARG, "arrays: there are none, must be at least 1");
  if (call.stencil != Stencil::box && call.stencil != Stencil::star)
    throw Error(MPI_ERR_ARG, "stencil: must be box or star");
  const auto* base = static_cast<const std::byte*>(base_of(call));
  std::vector<halo::PlacedShape> arrays;
  for (std::size_t i = 0; i < call.arrays.size(); ++i) {
    const auto* data = static_cast<const std::byte*>(call.arrays[i].data);
    const std::intptr_t offset = reinterpret_cast<std::intptr_t>(data) - reinterpret_cast<std::intptr_t>(base);
    arrays.push_back({check_numbered(call, i, grid, probe), data == nullptr ? 0 : offset});
  }
  if (arrays.size() > 1) check_apart(arrays);
  auto bundle = std::make_shared<const halo::Bundle>(grid.dimensions(), std::move(arrays));
  check_directions(bundle->hull());
  return bundle;
}

}  // namespace rondo::internal
