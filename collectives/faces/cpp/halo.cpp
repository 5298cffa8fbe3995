// The C++ interface: the halo exchange.
#include <rondo/halo.hpp>

#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/halo_exchange.hpp"

#include <iterator>

namespace rondo {

using namespace internal;

Request halo_exchange(const CartComm& grid, const HaloArray& array, Stencil stencil, const Options& options) {
  HaloCall call{.name = "halo_exchange",
                .array = array.data,
                .axes = static_cast<int>(array.sizes.size()),
                .sizes = array.sizes.data(),
                .low = {},
                .high = {},
                .order = array.order,
                .element = array.element,
                .stencil = stencil,
                .elements = array.elements,
                .depths = std::ssize(array.depths)};
  if (!array.depths.empty()) {
    const HaloDepth& first = array.depths.front();
    call.low = {&first.low, sizeof(HaloDepth)};
    call.high = {&first.high, sizeof(HaloDepth)};
  }
  const auto operation = [&](const std::exception_ptr& trouble) {
    return init_halo(call, grid.context(), {.options = &options}, trouble);
  };
  return Request(persistent_request([] {}, operation));
}

}  // namespace rondo
