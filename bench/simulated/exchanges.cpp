#include "exchanges.hpp"

#include "network_probe.hpp"

namespace rondo::internal::simulated {
namespace {

std::vector<std::int64_t> numbers_of(const machine::Machine& machine) {
  std::vector<std::int64_t> numbers;
  for (const int node : machine.node_of) numbers.push_back(node + 1);
  return numbers;
}

CostModel costs_of(const machine::Machine& machine, const NodeMembers& members) {
  if (members.nodes() == 1) return CostModel::through_slots(1.0);
  return CostModel(1.0).over_network(probe(machine, members)).with_near(CostModel::through_slots(1.0));
}

}  // namespace

KnownNodes::KnownNodes(const machine::Machine& machine)
    : numbers(numbers_of(machine)),
      members(numbers),
      fewest_near(internal::fewest_near(numbers)),
      costs(costs_of(machine, members)) {}

Torus::Torus(const machine::Machine& machine, std::span<const int> sizes, rondo::Neighborhood neighbors)
    : grid(sizes, 0),
      neighborhood(std::move(neighbors)),
      facts(grid, neighborhood),
      nodes(machine),
      near(grid, nodes.numbers) {}

CartExchange::CartExchange(const machine::Machine& machine, std::span<const int> sizes,
                           const rondo::Neighborhood& neighborhood, std::string name, std::vector<std::int64_t> bytes,
                           int ports)
    : name_(std::move(name)),
      torus_(machine, sizes, neighborhood),
      sizes_(std::move(bytes)),
      blocks_(sizes_),
      ports_(ports) {}

CartExchange::CartExchange(const machine::Machine& machine, std::span<const int> sizes,
                           const rondo::Neighborhood& neighborhood, std::string name, std::int64_t bytes, int ports)
    : CartExchange(machine, sizes, neighborhood, std::move(name),
                   std::vector(static_cast<std::size_t>(neighborhood.size()), bytes), ports) {}

AllgatherExchange::AllgatherExchange(const machine::Machine& machine, std::span<const int> sizes,
                                     const rondo::Neighborhood& neighborhood, std::string name, std::int64_t bytes,
                                     int ports)
    : name_(std::move(name)),
      torus_(machine, sizes, neighborhood),
      bytes_(bytes),
      sent_(1, bytes),
      received_(neighborhood.size(), bytes),
      ports_(ports) {}

DenseExchange::DenseExchange(const machine::Machine& machine, std::int64_t bytes, const dense::Options& options)
    : size_(machine.ranks()), bytes_(bytes), blocks_(size_, bytes), nodes_(machine), options_(options) {}

}  // namespace rondo::internal::simulated
