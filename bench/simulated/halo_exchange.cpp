#include "halo_exchange.hpp"

#include <memory>

namespace rondo::internal::simulated {
namespace {

std::shared_ptr<const halo::Shape> shape_of(const Matrix& matrix) {
  const halo::Axis axis{matrix.order, matrix.depth, matrix.depth};
  Layout byte = Layout::contiguous(1);
  byte.set_extent(1);
  return std::make_shared<const halo::Shape>(std::vector{axis, axis}, matrix.stencil, rondo::StorageOrder::row_major,
                                             std::make_shared<const Layout>(std::move(byte)));
}

std::size_t bytes_of(const Matrix& matrix) {
  const auto side = static_cast<std::size_t>(matrix.order + 2 * matrix.depth);
  return side * side;
}

}  // namespace

HaloExchange::HaloExchange(const machine::Machine& machine, std::span<const int> sizes, const Matrix& matrix, int ports)
    : torus_(machine, sizes, rondo::Neighborhood(static_cast<int>(sizes.size()))),
      bytes_(bytes_of(matrix)),
      matrix_(static_cast<int>(sizes.size()), shape_of(matrix)),
      inside_([order = matrix.order](std::size_t, int, int) { return order; }),
      ports_(ports) {}

}  // namespace rondo::internal::simulated
