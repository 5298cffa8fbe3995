#include "collectives/agreement/halo_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "runtime/base/mix.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

std::shared_ptr<const Layout> contiguous_element(std::int64_t bytes) {
  Layout element = Layout::contiguous(bytes);
  element.set_extent(bytes);
  return std::make_shared<const Layout>(std::move(element));
}

}  // namespace

void HaloAgreement::prepare(const Grid& grid, const halo::Shape& shape) {
  stencil_ = shape.stencil();
  order_ = shape.order();
  element_ = shape.element().size();
  std::size_t places = 0;
  for (int axis = 0; axis < shape.axes(); ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    const bool distributed = axis < grid.dimensions();
    axes_.push_back(shape[axis]);
    first_.push_back(places);
    own_.push_back(places + (distributed ? static_cast<std::size_t>(grid.coordinates()[k]) : 0));
    places += distributed ? static_cast<std::size_t>(grid.sizes()[k]) : 1;
  }
  first_.push_back(places);
  table_.assign(2 * places, 0);
}

void HaloAgreement::agree(const Settings& settings, const std::exception_ptr& trouble, MPI_Comm comm) {
  std::uint64_t depths = 1;
  std::uint64_t inside = 1;
  for (const halo::Axis& axis : axes_) {
    depths = mix(mix(depths, static_cast<std::uint64_t>(axis.low)), static_cast<std::uint64_t>(axis.high));
    inside = mix(inside, static_cast<std::uint64_t>(axis.inside));
  }
  Agreement agreement(trouble, comm);
  const auto given_settings = agreement.same(settings.fingerprint());
  const auto given_axes = agreement.same(axes_.size());
  const auto given_depths = agreement.same(depths);
  const auto given_stencil = agreement.same(static_cast<std::uint64_t>(stencil_));
  const auto given_order = agreement.same(static_cast<std::uint64_t>(order_));
  const auto given_element = agreement.same(static_cast<std::uint64_t>(element_));
  const auto given_inside = agreement.same(inside);
  agreement.reach("cartcomm");
  const auto must_agree = [&](Agreement::Same given, int error_class, const char* what, const char* rule) {
    if (!agreement.holds(given)) throw Error(error_class, std::string(what) + ": " + rule + ", and they did not");
  };
  must_agree(given_settings, MPI_ERR_INFO_VALUE, "info",
             "all ranks must ask for the same algorithm, schedule, messages and ports");
  must_agree(given_axes, MPI_ERR_ARG, "ndims", "all ranks must give the same");
  must_agree(given_depths, MPI_ERR_ARG, "depth_low, depth_high", "all ranks must give the same");
  must_agree(given_stencil, MPI_ERR_ARG, "stencil", "all ranks must give the same");
  must_agree(given_order, MPI_ERR_ARG, "order", "all ranks must give the same");
  must_agree(given_element, MPI_ERR_TYPE, "element", "elements of all ranks must have the same number of bytes");
  if (!agreement.holds(given_inside)) agree_by_coordinate(comm);
}

void HaloAgreement::agree_by_coordinate(MPI_Comm comm) {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    table_[2 * own_[axis]] = static_cast<std::uint64_t>(axes_[axis].inside);
    table_[2 * own_[axis] + 1] = ~static_cast<std::uint64_t>(axes_[axis].inside);
  }
  max_over_ranks(table_, comm);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (std::size_t place = first_[axis]; place < first_[axis + 1]; ++place) {
      const std::uint64_t most = table_[2 * place];
      const std::uint64_t fewest = ~table_[2 * place + 1];
      if (most != fewest) {
        throw Error(MPI_ERR_TRUNCATE,
                    "sizes[" + std::to_string(axis) + "]: ranks with coordinate " +
                        std::to_string(place - first_[axis]) +
                        " along this dimension must have equally many elements inside, and have from " +
                        std::to_string(fewest) + " to " + std::to_string(most));
      }
      axes_[axis].inside = std::max(axes_[axis].inside, static_cast<std::int64_t>(most));
    }
  }
}

std::unique_ptr<const halo::Shape> HaloAgreement::typical() const {
  return std::make_unique<const halo::Shape>(axes_, stencil_, order_, contiguous_element(element_));
}

std::unique_ptr<const halo::Shape> assumed_shape(const Grid& grid, const halo::Shape& own) {
  constexpr int kElements = 18;  // as a power of two
  // Where a grid has one place along a dimension, all ranks have the same coordinate, and so the same size.
  const auto may_differ = [&](int axis) {
    return axis < grid.dimensions() && grid.sizes()[static_cast<std::size_t>(axis)] > 1;
  };
  int differing = 0;
  for (int axis = 0; axis < own.axes(); ++axis) differing += may_differ(axis) ? 1 : 0;
  std::vector<halo::Axis> axes;
  for (int axis = 0; axis < own.axes(); ++axis) {
    axes.push_back(own[axis]);
    if (!may_differ(axis)) continue;
    const std::int64_t side = std::int64_t{1} << (kElements / differing);
    axes.back().inside = std::max({side, std::int64_t{own[axis].low}, std::int64_t{own[axis].high}});
  }
  return std::make_unique<const halo::Shape>(std::move(axes), own.stencil(), own.order(),
                                             contiguous_element(own.element().size()));
}

}  // namespace rondo::internal
