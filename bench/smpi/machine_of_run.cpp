#include "machine_of_run.hpp"

#include "runtime/machine/named_machines.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

namespace rondo::internal::smpi {
namespace {

void take_away(const std::string& change, machine::Parameters& parameters) {
  machine::NetworkCosts& network = parameters.network;
  if (change == "free-receives") {
    network.receive = parameters.near.receive = {0, 0};
  } else if (change == "no-gaps") {
    network.gap = 0;
  } else if (change == "wide-links") {
    network.link_byte = 1;
  } else {
    throw std::invalid_argument("SIMULATED_MACHINE: " + change + ": is no change that is known");
  }
  parameters.name += ", " + change;
}

}  // namespace

machine::Machine machine_of_run() {
  const char* said = std::getenv("SIMULATED_MACHINE");
  std::istringstream words(said == nullptr ? "" : said);
  std::string platform;
  std::string network;
  int nodes = 0;
  int ranks = 0;
  if (!(words >> platform >> network >> nodes >> ranks) || nodes < 1 || ranks < nodes)
    throw std::invalid_argument("SIMULATED_MACHINE: must be PLATFORM NETWORK NODES RANKS");
  machine::Parameters parameters = machine::network_named(network);
  for (std::string change; words >> change;) take_away(change, parameters);
  return {machine::platform_named(platform, nodes), parameters,
          machine::nodes_of_ranks(ranks, nodes, machine::Mapping::blocks)};
}

}  // namespace rondo::internal::smpi
