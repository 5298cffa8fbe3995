// The machine of a run as SimGrid's platform, a plug-in that it loads in place of a file: what our own simulation takes
// its time from, in SMPI's words. A message of any length between idle nodes takes as long in both.
#include "machine_of_run.hpp"
#include "runtime/machine/machine.hpp"

#include <smpi/smpi.h>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

namespace s4u = simgrid::s4u;

namespace rondo::internal::smpi {
namespace {

double seconds(machine::SimulatedTime time) { return machine::to_nanoseconds(time) * 1e-9; }
double bandwidth(machine::SimulatedTime of_byte) { return 1.0 / seconds(of_byte); }

/// SMPI sends these with each message.
constexpr double kEnvelope = 16;

/// What is the same for all: set before there is a platform.
void configure(const machine::NetworkCosts& network) {
  using s4u::Engine;
  const int first_long = static_cast<int>(network.eager_limit) + 1;
  Engine::set_config("smpi/send-is-detached-thresh", first_long);
  Engine::set_config("smpi/async-small-thresh", first_long);
  // Nothing of TCP's: no window, no traffic of acknowledgments, no share that depends on the links of a route.
  Engine::set_config("network/TCP-gamma", 1e15);
  Engine::set_config("network/crosstraffic", false);
  Engine::set_config("network/weight-S", 0.0);
}

class Builder {
 public:
  explicit Builder(const machine::Machine& machine)
      : machine_(machine), network_(machine.parameters.network), zone_(s4u::create_full_zone("machine")) {}

  void build() {
    add_nodes();
    const machine::Platform& platform = machine_.platform;
    for (std::size_t i = 0; i < platform.links(); ++i)
      links_.push_back(link("link" + std::to_string(i), bandwidth(network_.link_byte), network_.hop_latency));
    for (int from = 0; from < platform.nodes(); ++from) {
      for (int to = 0; to < platform.nodes(); ++to) add_route(from, to);
    }
    zone_->seal();
  }

  /// Requests and answers of long messages take a latency each.
  void set_factors() {
    using Links = std::vector<s4u::Link*>;
    using Zones = std::unordered_set<s4u::NetZone*>;
    auto* model = zone_->get_network_model();
    model->set_bw_factor_cb([](double, const s4u::Host*, const s4u::Host*, const Links&, const Zones&) { return 1.0; });
    model->set_lat_factor_cb([limit = static_cast<double>(network_.eager_limit)](
                                 double bytes, const s4u::Host* from, const s4u::Host* to, const Links&, const Zones&) {
      return from != to && bytes > limit + kEnvelope ? 3.0 : 1.0;
    });
  }

 private:
  using Sharing = s4u::Link::SharingPolicy;
  s4u::Link* link(const std::string& name, double bytes_per_second, machine::SimulatedTime latency,
                  Sharing sharing = Sharing::SHARED) {
    s4u::Link* made = zone_->create_link(name, bytes_per_second);
    made->set_sharing_policy(sharing);
    made->set_latency(seconds(latency));
    made->seal();
    return made;
  }

  void add_nodes() {
    constexpr double kSpeed = 1e9;     // any
    constexpr double kNoLimit = 1e15;  // bytes that stay on a node cost its cores, and nothing else
    const machine::SimulatedTime half = network_.latency / 2;
    const auto most = std::ranges::count(machine_.node_of, 0);
    for (int node = 0; node < machine_.platform.nodes(); ++node) {
      const std::string name = std::to_string(node);
      hosts_.push_back(zone_->create_host("n" + name, kSpeed));
      hosts_.back()->set_core_count(static_cast<int>(most))->seal();
      out_.push_back(link("out" + name, bandwidth(network_.gap_byte), half));
      in_.push_back(link("in" + name, bandwidth(network_.gap_byte), network_.latency - half));
      near_.push_back(link("near" + name, kNoLimit, machine_.parameters.near.latency, Sharing::FATPIPE));
    }
  }

  void add_route(int from, int to) {
    const auto at = [](const auto& all, int node) { return all[static_cast<std::size_t>(node)]; };
    std::vector<s4u::LinkInRoute> route;
    if (from == to) {
      route.emplace_back(at(near_, from));
    } else {
      route.emplace_back(at(out_, from));
      for (const machine::LinkId hop : machine_.platform.route(from, to)) route.emplace_back(links_[hop]);
      route.emplace_back(at(in_, to));
    }
    zone_->add_route(at(hosts_, from)->get_netpoint(), at(hosts_, to)->get_netpoint(), nullptr, nullptr, route, false);
  }

  const machine::Machine& machine_;
  const machine::NetworkCosts& network_;
  s4u::NetZone* zone_;
  std::vector<s4u::Host*> hosts_;
  std::vector<s4u::Link*> out_;
  std::vector<s4u::Link*> in_;
  std::vector<s4u::Link*> near_;
  std::vector<s4u::Link*> links_;
};

/// What an end of a message costs its core. SMPI asks for those of all sends, and of receives that need no handshake.
void set_overheads(const machine::Parameters& parameters) {
  const auto cost = [limit = parameters.network.eager_limit](machine::EndCosts near, machine::EndCosts far) {
    return [=](std::size_t size, s4u::Host* from, s4u::Host* to) {
      const auto bytes = static_cast<std::int64_t>(size);
      return seconds(from == to ? near.of(bytes, true) : far.of(bytes, bytes <= limit));
    };
  };
  const auto send = cost(parameters.near.send, parameters.network.send);
  smpi_register_op_cost_callback(SmpiOperation::SEND, send);
  smpi_register_op_cost_callback(SmpiOperation::ISEND, send);
  smpi_register_op_cost_callback(SmpiOperation::RECV, cost(parameters.near.receive, parameters.network.receive));
}

}  // namespace
}  // namespace rondo::internal::smpi

extern "C" void load_platform(const s4u::Engine&);

void load_platform(const s4u::Engine&) try {
  using namespace rondo::internal::smpi;
  const auto machine = machine_of_run();
  configure(machine.parameters.network);
  Builder builder(machine);
  builder.set_factors();
  builder.build();
  set_overheads(machine.parameters);
} catch (const std::invalid_argument& error) {
  std::fprintf(stderr, "smpi: %s\n", error.what());
  std::_Exit(2);  // SimGrid would tell where it was thrown
}
