#include "collectives/halo/shape.hpp"

#include <rondo/error.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace rondo::internal::halo {
namespace {

std::int64_t product(std::int64_t one, std::int64_t other, const char* what) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(one, other, &result)) throw Error(MPI_ERR_ARG, what);
  return result;
}

}  // namespace

Shape::Shape(std::vector<Axis> axes, Stencil stencil, StorageOrder order, std::shared_ptr<const Layout> element,
             std::vector<std::int64_t> strides)
    : axes_(std::move(axes)),
      stencil_(stencil),
      order_(order),
      slowest_first_(axes_.size()),
      element_(std::move(element)),
      spaced_element_(element_),
      strides_(std::move(strides)) {
  std::iota(slowest_first_.begin(), slowest_first_.end(), 0);
  if (order == StorageOrder::column_major) std::ranges::reverse(slowest_first_);
  if (strides_.empty()) set_dense_strides();
  if (!axes_.empty() && stride(slowest_first_.back()) != element_->extent()) {
    Layout spaced = *element_;
    spaced.set_extent(stride(slowest_first_.back()));
    spaced_element_ = std::make_shared<const Layout>(std::move(spaced));
  }
  if (stencil != Stencil::star) return;
  for (const Axis& axis : axes_) {
    for (const std::int64_t depth : {axis.low, axis.high}) {
      if (depth > 0)
        unit_ = product(unit_ / std::gcd(unit_, depth), depth,
                        "depths: the least common multiple of the depths of a star must fit in 63 bits");
    }
  }
}

void Shape::set_dense_strides() {
  strides_.resize(axes_.size());
  std::int64_t stride = element_->extent();
  for (std::size_t i = slowest_first_.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(slowest_first_[i]);
    strides_[axis] = stride;
    stride = product(stride, axes_[axis].size(), "sizes: the array has more bytes than can be counted");
  }
}

Shape Shape::without_halo() const {
  Shape whole = *this;
  for (Axis& axis : whole.axes_) axis = {axis.size(), 0, 0};
  return whole;
}

/// Walks through the elements of a zone, axis by axis, slowest first. `left`: the rest of a star's unit, for the axes
/// to come.
class Shape::Walk {
 public:
  /// Prepares a walk through a zone of the receiver of a message. If this process is the sender, the walk goes
  /// through the elements to send, and `step` leads from the receiver to this process. If this process is the
  /// receiver, `step` is empty.
  Walk(const Shape& shape, const Zone& zone, std::span<const int> step) : shape_(shape), zone_(zone), step_(step) {}

  [[nodiscard]] std::int64_t count(std::size_t level, std::int64_t left) const {
    if (level == shape_.slowest_first_.size()) return 1;
    std::int64_t sum = 0;
    for_each_segment(level, [&](const Axis& axis, const Segment& segment) {
      if (whole(segment)) {
        sum += segment.count * count(level + 1, left);
        return;
      }
      for (std::int64_t i = 0; i < segment.count; ++i) {
        const std::int64_t rest = left - weight(axis, segment, i);
        if (rest >= 0) sum += count(level + 1, rest);
      }
    });
    return sum;
  }

  [[nodiscard]] std::shared_ptr<const Layout> layout(std::size_t level, std::int64_t left) const {
    if (level == shape_.slowest_first_.size()) return shape_.spaced_element_;
    const int k = shape_.slowest_first_[level];
    const std::int64_t stride = shape_.stride(k);
    Layout made;
    for_each_segment(level, [&](const Axis& axis, const Segment& segment) {
      if (whole(segment)) {
        made.append_elements(layout(level + 1, left), segment.count, segment.begin * stride);
        return;
      }
      for (std::int64_t i = 0; i < segment.count; ++i) {
        const std::int64_t rest = left - weight(axis, segment, i);
        if (rest >= 0) made.append(*layout(level + 1, rest), (segment.begin + i) * stride);
      }
    });
    made.set_extent(level == 0 ? stride * shape_[k].size() : shape_.stride(shape_.slowest_first_[level - 1]));
    return std::make_shared<const Layout>(std::move(made));
  }

 private:
  /// Calls visit(axis, segment) for each side that the zone has along an axis, in the order of the receiver's memory.
  template <typename Visit>
  void for_each_segment(std::size_t level, Visit visit) const {
    const int k = shape_.slowest_first_[level];
    const Axis& axis = shape_[k];
    const int step = static_cast<std::size_t>(k) < step_.size() ? step_[static_cast<std::size_t>(k)] : 0;
    const Sides sides = zone_[static_cast<std::size_t>(k)];
    if ((sides & kLow) != 0 && axis.low > 0) visit(axis, Segment{step < 0 ? axis.inside : 0, axis.low, kLow});
    if ((sides & kInside) != 0 && axis.inside > 0) visit(axis, Segment{axis.low, axis.inside, kInside});
    if ((sides & kHigh) != 0 && axis.high > 0)
      visit(axis, Segment{step > 0 ? axis.low : axis.low + axis.inside, axis.high, kHigh});
  }
  [[nodiscard]] bool whole(const Segment& segment) const {
    return segment.side == kInside || shape_.stencil_ == Stencil::box;
  }
  /// Returns the share of the unit that the excess of element i of a segment takes.
  [[nodiscard]] std::int64_t weight(const Axis& axis, const Segment& segment, std::int64_t i) const {
    return segment.side == kLow ? (axis.low - i) * (shape_.unit_ / axis.low) : (i + 1) * (shape_.unit_ / axis.high);
  }

  const Shape& shape_;
  const Zone& zone_;
  std::span<const int> step_;
};

std::int64_t Shape::count(const Zone& zone) const { return Walk(*this, zone, {}).count(0, unit_); }

void Shape::append(const Zone& zone, Layout& layout) const { append_for_neighbor(zone, {}, layout); }

void Shape::append_for_neighbor(const Zone& zone, std::span<const int> step, Layout& layout,
                                std::int64_t offset) const {
  layout.append(*Walk(*this, zone, step).layout(0, unit_), offset);
}

}  // namespace rondo::internal::halo
