// The C++ interface: the halo exchange.
#include <rondo/halo.hpp>

#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/halo_exchange.hpp"

#include <iterator>

namespace rondo {

using namespace internal;

/// Reaches what Rondo keeps for a grid.
struct internal::GridOfHalo {
  [[nodiscard]] static NeighborhoodContext& context(const CartComm& grid) { return grid.context(); }
};

namespace {

HaloCall call_of(const char* name, const HaloArray& array, Stencil stencil) {
  HaloCall call{.name = name,
                .array = array.data,
                .axes = static_cast<int>(array.sizes.size()),
                .sizes = array.sizes.data(),
                .strides = array.strides.empty() ? nullptr : array.strides.data(),
                .low = {},
                .high = {},
                .order = array.order,
                .element = array.element,
                .stencil = stencil,
                .elements = array.elements,
                .depths = std::ssize(array.depths),
                .stride_entries = std::ssize(array.strides)};
  if (!array.depths.empty()) {
    const HaloDepth& first = array.depths.front();
    call.low = {&first.low, sizeof(HaloDepth)};
    call.high = {&first.high, sizeof(HaloDepth)};
  }
  return call;
}

}  // namespace

void halo_exchange(const CartComm& grid, const HaloArray& array, Stencil stencil) {
  run_halo(call_of("halo_exchange", array, stencil), GridOfHalo::context(grid));
}

Request ihalo_exchange(const CartComm& grid, const HaloArray& array, Stencil stencil) {
  const HaloCall call = call_of("ihalo_exchange", array, stencil);
  return Request(started_request([&] { return start_halo(call, GridOfHalo::context(grid)); }));
}

Request halo_init(const CartComm& grid, const HaloArray& array, Stencil stencil, const Options& options) {
  const HaloCall call = call_of("halo_init", array, stencil);
  const auto operation = [&](const std::exception_ptr& trouble) {
    return init_halo(call, GridOfHalo::context(grid), {.options = &options}, trouble);
  };
  return Request(persistent_request([] {}, operation));
}

}  // namespace rondo
