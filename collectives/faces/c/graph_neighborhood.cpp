// The C interface: a neighborhood found in a distributed graph.
#include <rondo/cart.h>

#include "collectives/communicators/graph_neighborhood.hpp"
#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/faces/c/errors.hpp"

#include <algorithm>
#include <functional>
#include <string>

using namespace rondo;
using namespace rondo::internal;

int Rondo_Neighborhood_from_graph(MPI_Comm graphcomm, int d, const int dimensions[], const int periods[], MPI_Info info,
                                  int* isomorphic, char* reason, MPI_Comm* cartcomm) {
  return guarded(graphcomm, "Rondo_Neighborhood_from_graph", [&] {
    if (cartcomm != nullptr) *cartcomm = MPI_COMM_NULL;
    const auto steps = [&](NeighborhoodArguments&, Settings& settings) {
      settings.take_assertions(info);
      require(isomorphic, "isomorphic");
      require(cartcomm, "cartcomm");
      settings.take_environment();
      settings.take(info, graphcomm);
    };
    const FoundNeighborhood found = find_neighborhood({.function = "Rondo_Neighborhood_from_graph",
                                                       .comm = graphcomm,
                                                       .d = d,
                                                       .dimensions = dimensions,
                                                       .periods = periods,
                                                       .t = 0,
                                                       .targetrelative = nullptr,
                                                       .weight = nullptr,
                                                       .reorder = 0},
                                                      std::ref(steps));
    *cartcomm = found.comm;
    *isomorphic = found.comm != MPI_COMM_NULL ? 1 : 0;
    if (reason != nullptr) {
      const std::size_t length = found.reason.copy(reason, RONDO_MAX_ERROR_STRING - 1);
      reason[length] = '\0';
    }
  });
}

int Rondo_Neighborhood_graph_order(MPI_Comm cartcomm, int maxt, int sourceindex[], int targetindex[]) {
  return guarded(cartcomm, "Rondo_Neighborhood_graph_order", [&] {
    if (maxt < 0) throw Error(MPI_ERR_ARG, "maxt: is " + std::to_string(maxt) + ", must be at least 0");
    const NeighborhoodContext& context = NeighborhoodContext::of(cartcomm);
    const GraphOrder& order = context.graph_order();
    const auto fill = [&](const std::vector<int>& from, int* to, const char* name) {
      const std::size_t some = std::min(from.size(), static_cast<std::size_t>(maxt));
      if (some > 0) require(to, name);
      std::transform(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(some), to,
                     [](int index) { return index < 0 ? MPI_UNDEFINED : index; });
    };
    fill(order.sources, sourceindex, "sourceindex");
    fill(order.targets, targetindex, "targetindex");
  });
}
