// The C++ interface: the halo exchange.
#include <rondo/halo.hpp>

#include "collectives/faces/handles/request_making.hpp"
#include "collectives/operations/halo_exchange.hpp"

#include <exception>
#include <iterator>
#include <span>
#include <vector>

namespace rondo {

using namespace internal;

/// Gives access to the context that Rondo keeps for a grid.
struct internal::GridOfHalo {
  [[nodiscard]] static NeighborhoodContext& context(const CartComm& grid) { return grid.context(); }
};

namespace {

HaloCallArray call_array_of(const HaloArray& array) {
  HaloCallArray call{.data = array.data,
                     .axes = static_cast<int>(array.sizes.size()),
                     .sizes = array.sizes.data(),
                     .strides = array.strides.empty() ? nullptr : array.strides.data(),
                     .low = {},
                     .high = {},
                     .order = array.order,
                     .element = array.element,
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

/// The argument of a call with one array. All such classes have take(), which may throw and comes before call().
class OneArray {
 public:
  explicit OneArray(const HaloArray& array) : array_(call_array_of(array)) {}
  void take() {}
  [[nodiscard]] HaloCall call(const char* name, Stencil stencil) const { return {name, {&array_, 1}, stencil, false}; }

 private:
  HaloCallArray array_;
};

class ArrayList {
 public:
  explicit ArrayList(std::span<const HaloArray> arrays) : given_(arrays) {}
  void take() {
    for (const HaloArray& array : given_) arrays_.push_back(call_array_of(array));
  }
  [[nodiscard]] HaloCall call(const char* name, Stencil stencil) const { return {name, arrays_, stencil, true}; }

 private:
  std::span<const HaloArray> given_;
  std::vector<HaloCallArray> arrays_;
};

template <typename Arrays>
void run_halos(const CartComm& grid, Arrays arrays, Stencil stencil) {
  arrays.take();
  run_halo(arrays.call("halo_exchange", stencil), GridOfHalo::context(grid));
}

template <typename Arrays>
Request start_halos(const CartComm& grid, Arrays arrays, Stencil stencil) {
  arrays.take();
  const HaloCall call = arrays.call("ihalo_exchange", stencil);
  return Request(started_request([&] { return start_halo(call, GridOfHalo::context(grid)); }));
}

template <typename Arrays>
Request init_halos(const CartComm& grid, Arrays arrays, Stencil stencil, const Options& options) {
  const auto operation = [&](const std::exception_ptr& trouble) {
    return init_halo(arrays.call("halo_init", stencil), GridOfHalo::context(grid), {.options = &options}, trouble);
  };
  return Request(persistent_request([&] { arrays.take(); }, operation));
}

}  // namespace

void halo_exchange(const CartComm& grid, const HaloArray& array, Stencil stencil) {
  run_halos(grid, OneArray(array), stencil);
}

void halo_exchange(const CartComm& grid, std::span<const HaloArray> arrays, Stencil stencil) {
  run_halos(grid, ArrayList(arrays), stencil);
}

Request ihalo_exchange(const CartComm& grid, const HaloArray& array, Stencil stencil) {
  return start_halos(grid, OneArray(array), stencil);
}

Request ihalo_exchange(const CartComm& grid, std::span<const HaloArray> arrays, Stencil stencil) {
  return start_halos(grid, ArrayList(arrays), stencil);
}

Request halo_init(const CartComm& grid, const HaloArray& array, Stencil stencil, const Options& options) {
  return init_halos(grid, OneArray(array), stencil, options);
}

Request halo_init(const CartComm& grid, std::span<const HaloArray> arrays, Stencil stencil, const Options& options) {
  return init_halos(grid, ArrayList(arrays), stencil, options);
}

}  // namespace rondo
