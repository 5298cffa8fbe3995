#include "collectives/agreement/halo_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "runtime/base/mix.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

std::shared_ptr<const halo::Shape> dense_shape(std::vector<halo::Axis> axes, Stencil stencil, StorageOrder order,
                                               std::int64_t bytes) {
  Layout element = Layout::contiguous(bytes);
  element.set_extent(bytes);
  return std::make_shared<const halo::Shape>(std::move(axes), stencil, order,
                                             std::make_shared<const Layout>(std::move(element)));
}

}  // namespace

void HaloAgreement::prepare(const Grid& grid, const halo::Bundle& arrays) {
  dimensions_ = grid.dimensions();
  std::size_t places = 0;
  for (const halo::PlacedShape& placed : arrays.arrays()) {
    const halo::Shape& shape = *placed.shape;
    stencil_ = shape.stencil();
    Array array{{}, shape.order(), shape.element().size(), {}, {}};
    for (int axis = 0; axis < shape.axes(); ++axis) {
      const auto k = static_cast<std::size_t>(axis);
      const bool distributed = axis < grid.dimensions();
      array.axes.push_back(shape[axis]);
      array.first.push_back(places);
      array.own.push_back(places + (distributed ? static_cast<std::size_t>(grid.coordinates()[k]) : 0));
      places += distributed ? static_cast<std::size_t>(grid.sizes()[k]) : 1;
    }
    array.first.push_back(places);
    arrays_.push_back(std::move(array));
  }
  table_.assign(2 * places, 0);
}

void HaloAgreement::agree(const Settings& settings, const std::exception_ptr& trouble, MPI_Comm comm) {
  std::uint64_t axes = 1;
  std::uint64_t depths = 1;
  std::uint64_t orders = 1;
  std::uint64_t elements = 1;
  std::uint64_t inside = 1;
  for (const Array& array : arrays_) {
    axes = mix(axes, array.axes.size());
    orders = mix(orders, static_cast<std::uint64_t>(array.order));
    elements = mix(elements, static_cast<std::uint64_t>(array.element));
    for (const halo::Axis& axis : array.axes) {
      depths = mix(mix(depths, static_cast<std::uint64_t>(axis.low)), static_cast<std::uint64_t>(axis.high));
      inside = mix(inside, static_cast<std::uint64_t>(axis.inside));
    }
  }
  Agreement agreement(trouble, comm);
  const auto given_settings = agreement.same(settings.fingerprint());
  const auto given_arrays = agreement.same(arrays_.size());
  const auto given_axes = agreement.same(axes);
  const auto given_depths = agreement.same(depths);
  const auto given_stencil = agreement.same(static_cast<std::uint64_t>(stencil_));
  const auto given_orders = agreement.same(orders);
  const auto given_elements = agreement.same(elements);
  const auto given_inside = agreement.same(inside);
  agreement.reach("cartcomm");
  const auto must_agree = [&](Agreement::Same given, int error_class, const char* what, const char* rule) {
    if (!agreement.holds(given)) throw Error(error_class, std::string(what) + ": " + rule + ", but they did not");
  };
  must_agree(given_settings, MPI_ERR_INFO_VALUE, "info",
             "all ranks must ask for the same algorithm, schedule, messages, ports and learning");
  must_agree(given_arrays, MPI_ERR_ARG, "arrays", "all ranks must give equally many");
  must_agree(given_axes, MPI_ERR_ARG, "ndims", "all ranks must give the same");
  must_agree(given_depths, MPI_ERR_ARG, "depth_low, depth_high", "all ranks must give the same");
  must_agree(given_stencil, MPI_ERR_ARG, "stencil", "all ranks must give the same");
  must_agree(given_orders, MPI_ERR_ARG, "order", "all ranks must give the same");
  must_agree(given_elements, MPI_ERR_TYPE, "element", "all ranks must give elements with the same number of bytes");
  alike_ = agreement.holds(given_inside);
  if (!alike_) agree_by_coordinate(comm);
}

void HaloAgreement::agree_by_coordinate(MPI_Comm comm) {
  for (const Array& array : arrays_) {
    for (std::size_t axis = 0; axis < array.axes.size(); ++axis) {
      table_[2 * array.own[axis]] = static_cast<std::uint64_t>(array.axes[axis].inside);
      table_[2 * array.own[axis] + 1] = ~static_cast<std::uint64_t>(array.axes[axis].inside);
    }
  }
  max_over_ranks(table_, comm);
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    take_most(arrays_[i], arrays_.size() == 1 ? "" : "arrays[" + std::to_string(i) + "].");
}

void HaloAgreement::take_most(Array& array, const std::string& name) const {
  for (std::size_t axis = 0; axis < array.axes.size(); ++axis) {
    for (std::size_t place = array.first[axis]; place < array.first[axis + 1]; ++place) {
      const std::uint64_t most = table_[2 * place];
      const std::uint64_t fewest = ~table_[2 * place + 1];
      if (most != fewest) {
        throw Error(MPI_ERR_TRUNCATE,
                    name + "sizes[" + std::to_string(axis) + "]: ranks with coordinate " +
                        std::to_string(place - array.first[axis]) +
                        " in this dimension must have the same number of interior elements, but have from " +
                        std::to_string(fewest) + " to " + std::to_string(most));
      }
      array.axes[axis].inside = std::max(array.axes[axis].inside, static_cast<std::int64_t>(most));
    }
  }
}

std::unique_ptr<const halo::Bundle> HaloAgreement::typical() const {
  std::vector<halo::PlacedShape> arrays;
  for (const Array& array : arrays_)
    arrays.push_back({dense_shape(array.axes, stencil_, array.order, array.element), 0});
  return std::make_unique<const halo::Bundle>(dimensions_, std::move(arrays));
}

halo::InsideOfAll HaloAgreement::inside_of_all() const {
  return [this](std::size_t array, int axis, int coordinate) {
    const Array& of = arrays_[array];
    const auto k = static_cast<std::size_t>(axis);
    if (alike_) return of.axes[k].inside;
    return static_cast<std::int64_t>(table_[2 * (of.first[k] + static_cast<std::size_t>(coordinate))]);
  };
}

std::unique_ptr<const halo::Bundle> assumed_arrays(const Grid& grid, const halo::Bundle& own) {
  constexpr int kElements = 18;  // of the cube, as a power of two
  // If a grid has one place along a dimension, all ranks have the same coordinate, and so the same size.
  const auto may_differ = [&](int axis) {
    return axis < grid.dimensions() && grid.sizes()[static_cast<std::size_t>(axis)] > 1;
  };
  int differing = 0;
  for (int axis = 0; axis < grid.dimensions(); ++axis) differing += may_differ(axis) ? 1 : 0;
  std::vector<halo::PlacedShape> arrays;
  for (const halo::PlacedShape& placed : own.arrays()) {
    const halo::Shape& shape = *placed.shape;
    std::vector<halo::Axis> axes;
    for (int axis = 0; axis < shape.axes(); ++axis) {
      axes.push_back(shape[axis]);
      if (!may_differ(axis)) continue;
      const std::int64_t side = std::int64_t{1} << (kElements / differing);
      axes.back().inside = std::max({side, std::int64_t{shape[axis].low}, std::int64_t{shape[axis].high}});
    }
    arrays.push_back({dense_shape(std::move(axes), shape.stencil(), shape.order(), shape.element().size()), 0});
  }
  return std::make_unique<const halo::Bundle>(grid.dimensions(), std::move(arrays));
}

}  // namespace rondo::internal
