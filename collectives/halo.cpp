// The C++ interface: the halo exchange.
#include <rondo/error.hpp>
#include <rondo/halo.hpp>

#include "collectives/halo_exchange.hpp"
#include "runtime/request_table.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace rondo {

Request halo_exchange(const CartComm& grid, const HaloArray& array, Stencil stencil, const Options& options) {
  constexpr const char* kName = "halo_exchange";
  std::vector<int> low;
  std::vector<int> high;
  std::optional<ReservedRequest> reserved;
  const auto steps = [&](HaloCall& call, Settings& settings) {
    settings.take(options);
    if (array.depths.size() != array.sizes.size()) {
      throw Error(MPI_ERR_ARG, "depths: has " + std::to_string(array.depths.size()) + " entries, must have " +
                                   std::to_string(array.sizes.size()) + ", as sizes has");
    }
    for (const HaloDepth& depth : array.depths) {
      low.push_back(depth.low);
      high.push_back(depth.high);
    }
    call = {kName,
            array.data,
            static_cast<int>(array.sizes.size()),
            array.sizes.data(),
            low.data(),
            high.data(),
            array.order,
            array.element,
            stencil,
            array.elements};
    reserved.emplace();
  };
  std::unique_ptr<Operation> operation = init_halo(kName, grid.context(), std::ref(steps));
  return Request(reserved->fill(std::move(operation)));
}

}  // namespace rondo
