#include "sites.hpp"

#include <mpi.h>

#include <cstddef>
#include <limits>

namespace rondo::internal::papers {
namespace {

using machine::Machine;

Machine of(machine::Platform platform, machine::Parameters parameters, int ranks_per_node) {
  const int nodes = platform.nodes();
  return {std::move(platform), std::move(parameters),
          machine::nodes_of_ranks(nodes * ranks_per_node, nodes, machine::Mapping::blocks)};
}

}  // namespace

std::vector<int> even_sizes(int ranks, int dimensions) {
  std::vector<int> sizes(static_cast<std::size_t>(dimensions));
  MPI_Dims_create(ranks, dimensions, sizes.data());
  return sizes;
}

Machine hydra(int nodes, int ranks_per_node) {
  return of(machine::fat_tree(nodes, nodes < 32 ? 4 : 16, 2), machine::omni_path(), ranks_per_node);
}

Machine titan(int nodes, int ranks_per_node) {
  return of(machine::torus(even_sizes(nodes, 3)), machine::gemini(), ranks_per_node);
}

Machine jupiter(int nodes, int ranks_per_node) {
  return of(machine::one_switch(nodes), machine::qdr_infiniband(), ranks_per_node);
}

Machine mars(int ranks) { return of(machine::one_switch(1), machine::qdr_infiniband(), ranks); }

Machine linear(int ranks) {
  machine::Parameters parameters = machine::omni_path();
  parameters.name = "linear";
  parameters.network.send.byte = 0;
  parameters.network.receive.byte = 0;
  parameters.network.gap = 0;
  parameters.network.eager_limit = std::numeric_limits<std::int64_t>::max();
  parameters.tasks = {};
  return of(machine::one_switch(ranks), parameters, 1);
}

}  // namespace rondo::internal::papers
