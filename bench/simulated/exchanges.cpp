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

CartExchange::CartExchange(const machine::Machine& machine, std::vector<int> sizes, rondo::Neighborhood neighborhood,
                           std::string name, std::int64_t bytes)
    : name_(std::move(name)),
      grid_(sizes, 0),
      neighborhood_(std::move(neighborhood)),
      facts_(grid_, neighborhood_),
      blocks_(neighborhood_.size(), bytes),
      sizes_(static_cast<std::size_t>(neighborhood_.size()), bytes),
      nodes_(machine),
      near_(grid_, nodes_.numbers) {}

DenseExchange::DenseExchange(const machine::Machine& machine, std::int64_t bytes, const dense::Options& options)
    : size_(machine.ranks()), blocks_(size_, bytes), nodes_(machine), options_(options) {}

}  // namespace rondo::internal::simulated
