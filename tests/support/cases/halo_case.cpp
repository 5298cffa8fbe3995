#include "tests/support/cases/halo_case.hpp"

#include "tests/support/nodes/known_nodes.hpp"

#include <span>
#include <utility>

namespace rondo::internal {

Layout element_of(std::int64_t bytes) {
  Layout element = Layout::contiguous(bytes);
  element.set_extent(bytes);
  return element;
}

Layout element_with_gaps() {
  Layout element;
  element.append({1, 2, 1, 0});
  element.append({4, 1, 1, 0});
  element.set_extent(7);
  return element;
}

std::string describe(const HaloCase& given) {
  std::string text = given.stencil == Stencil::box ? "box" : "star";
  if (given.order == StorageOrder::column_major) text += ", column major";
  text += describe_building(given.ordering, given.form, given.ports);
  text += ", grid";
  for (std::size_t k = 0; k < given.sizes.size(); ++k) {
    text += " " + std::to_string(given.sizes[k]);
    if (!given.periods.empty() && given.periods[k] == 0) text += "-";
  }
  text += ", depths";
  for (std::size_t k = 0; k < given.low.size(); ++k)
    text += " " + std::to_string(given.low[k]) + "/" + std::to_string(given.high[k]);
  if (!given.padding.empty()) text += ", padded";
  if (!given.others.empty()) text += ", with " + std::to_string(given.others.size()) + " others";
  text += ", inside";
  for (std::size_t k = 0; k < given.low.size(); ++k) {
    const int coordinates = k < given.sizes.size() ? given.sizes[k] : 1;
    for (int c = 0; c < coordinates; ++c)
      text += (c == 0 ? " " : ",") + std::to_string(given.inside(static_cast<int>(k), c));
  }
  return text + test::describe_nodes(given.nodes);
}

std::vector<std::int64_t> padded_strides(const HaloCase& given, const std::vector<halo::Axis>& axes, int times) {
  std::vector<std::int64_t> strides;
  if (given.padding.empty() || times == 0) return strides;
  strides.resize(axes.size());
  std::int64_t stride = given.element.extent() * times;
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const std::size_t k = given.order == StorageOrder::row_major ? axes.size() - 1 - n : n;
    strides[k] = stride;
    stride *= axes[k].size() + times * given.padding[k];
  }
  return strides;
}

namespace {

/// `inside`: elements along each axis.
std::shared_ptr<const halo::Shape> shape_of(const HaloCase& given, Stencil stencil, int padded,
                                            const std::function<std::int64_t(int axis)>& inside) {
  std::vector<halo::Axis> axes;
  for (std::size_t k = 0; k < given.low.size(); ++k)
    axes.push_back({inside(static_cast<int>(k)), given.low[k], given.high[k]});
  std::vector<std::int64_t> strides = padded_strides(given, axes, padded);
  return std::make_shared<const halo::Shape>(std::move(axes), stencil, given.order,
                                             std::make_shared<const Layout>(given.element), std::move(strides));
}

std::int64_t bytes_of(const halo::Shape& shape) {
  std::int64_t last = 0;
  for (int axis = 0; axis < shape.axes(); ++axis) {
    if (shape[axis].size() == 0) return 0;
    last += (shape[axis].size() - 1) * shape.stride(axis);
  }
  return last + shape.element().extent();
}

}  // namespace

HaloArrays::HaloArrays(const HaloCase& given) : grid_(given.sizes, given.periods, 0) {
  std::vector<const HaloCase*> cases{&given};
  for (const HaloCase& other : given.others) cases.push_back(&other);
  const auto on_grid = [&](int axis) { return axis < grid_.dimensions(); };
  for (int rank = 0; rank < grid_.size(); ++rank) {
    const Grid seen_from = grid_.seen_from(rank);
    std::vector<halo::PlacedShape> arrays;
    std::int64_t end = 0;
    for (const HaloCase* one : cases) {
      auto shape = shape_of(*one, given.stencil, 1 + rank % 2, [&](int axis) {
        return one->inside(axis, on_grid(axis) ? seen_from.coordinates()[static_cast<std::size_t>(axis)] : 0);
      });
      const std::int64_t bytes = bytes_of(*shape);
      arrays.push_back({std::move(shape), end});
      end += bytes + 5 + rank;
    }
    std::ranges::reverse(arrays);  // an order other than that in memory
    bundles_.push_back(std::make_shared<const halo::Bundle>(grid_.dimensions(), std::move(arrays)));
  }
  std::vector<halo::PlacedShape> typical;
  for (const HaloCase* one : cases) {
    auto shape = shape_of(*one, given.stencil, 0, [&](int axis) {
      std::int64_t most = 0;
      for (int c = 0; c < (on_grid(axis) ? grid_.sizes()[static_cast<std::size_t>(axis)] : 1); ++c)
        most = std::max(most, one->inside(axis, c));
      return most;
    });
    typical.push_back({std::move(shape), 0});
  }
  std::ranges::reverse(typical);
  typical_ = std::make_shared<const halo::Bundle>(grid_.dimensions(), std::move(typical));
  std::ranges::reverse(cases);
  std::vector<std::function<std::int64_t(int, int)>> inside;
  for (const HaloCase* one : cases) inside.push_back(one->inside);
  inside_ = [inside](std::size_t array, int axis, int coordinate) { return inside[array](axis, coordinate); };
}

std::vector<Placement> HaloArrays::definition() const {
  std::vector<const halo::Bundle*> bundles;
  for (const auto& bundle : bundles_) bundles.push_back(bundle.get());
  return halo_definition(grid_, std::span<const halo::Bundle* const>(bundles));
}

std::int64_t HaloArrays::bytes(int rank) const {
  std::int64_t end = 0;
  for (const halo::PlacedShape& array : bundle(rank).arrays())
    end = std::max(end, array.offset + bytes_of(*array.shape));
  return end;
}

HaloWay halo_way(const halo::Expansion& expansion) {
  return {expansion.name, [expansion](const halo::Problem& problem, ScheduleBuilder& builder) {
            if (problem.ports > 0) builder.set_window(static_cast<std::uint32_t>(problem.ports));
            halo::build(problem, expansion, builder);
          }};
}

std::vector<HaloWay> node_aware_ways(const HaloCase& given, const HaloArrays& arrays) {
  const CostModel costs(1.0);
  const test::KnownNodes nodes(given.nodes, arrays.grid());
  halo::Problem problem{arrays.grid(), arrays.bundle(0), arrays.typical_bundle(), costs};
  problem.inside = &arrays.inside();
  nodes.tell(problem);
  std::vector<HaloWay> ways;
  for (Plan<halo::Problem>& plan : halo::node_aware(problem)) ways.push_back({plan.name, std::move(plan.build)});
  return ways;
}

CollectiveCase halo_case(const HaloCase& given, const HaloArrays& arrays, const std::vector<Placement>& definition,
                         const HaloWay& way) {
  const CostModel costs(1.0);
  const test::KnownNodes nodes(given.nodes, arrays.grid());
  CollectiveCase made{"halo, " + way.name + ", " + describe(given), {}, definition, {}, {}};
  for (int rank = 0; rank < arrays.grid().size(); ++rank) {
    const Grid seen_from = arrays.grid().seen_from(rank);
    halo::Problem problem{seen_from, arrays.bundle(rank), arrays.typical_bundle(), costs};
    problem.ports = given.ports;
    problem.inside = &arrays.inside();
    nodes.tell(problem);
    ScheduleBuilder builder(given.ordering, given.form);
    way.build(problem, builder);
    made.schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
    made.blocks.push_back(arrays.blocks(rank));
    made.send_bytes.push_back(0);
    made.recv_bytes.push_back(arrays.bytes(rank));
  }
  return made;
}

std::vector<halo::Expansion> halo_expansions(const Grid& grid, const halo::Shape& shape) {
  std::vector<halo::Expansion> all{halo::direct(grid, shape, halo::Messages::apart),
                                   halo::direct(grid, shape, halo::Messages::coalesced)};
  std::vector<int> axes = halo::exchanged_axes(grid, shape);
  for (const auto& stages : halo::divisions(axes)) {
    all.push_back(halo::dimension_wise(grid, shape, stages));
    all.push_back(halo::joined(grid, shape, stages));
  }
  if (axes.size() > 3) return all;
  std::ranges::sort(axes);
  do {
    std::vector<std::vector<int>> stages;
    std::string order;
    for (const int axis : axes) {
      stages.push_back({axis});
      order += " " + std::to_string(axis);
    }
    for (const halo::Timing timing : {halo::Timing::by_stage, halo::Timing::by_hops}) {
      all.push_back(halo::expand(grid, shape, stages, timing, halo::Messages::apart));
      all.back().name = (timing == halo::Timing::by_stage ? "by stage, apart, axes" : "by hops, apart, axes") + order;
    }
  } while (std::ranges::next_permutation(axes).found);
  return all;
}

}  // namespace rondo::internal
