#include "runtime/machine/parameters.hpp"

#include <cmath>

namespace rondo::internal::machine {
namespace {

// Costs from docs/tuning.md for ranks with a core each: half of a message's cost at each end, bytes copied in and out.
constexpr NearCosts kSharedMemory{
    .send = {from_nanoseconds(22), from_nanoseconds(0.025)},
    .receive = {from_nanoseconds(22), from_nanoseconds(0.025)},
    .latency = from_nanoseconds(150),
};
constexpr TaskCosts kTasks{
    .copied_piece = from_nanoseconds(2),
    .copied_byte = from_nanoseconds(0.05),
    .reduction = from_nanoseconds(20),
    .reduced_byte = from_nanoseconds(0.1),
};

}  // namespace

Parameters omni_path() {
  return {.name = "Omni-Path",
          .network = {.send = {from_nanoseconds(250), from_nanoseconds(0.05)},
                      .receive = {from_nanoseconds(250), from_nanoseconds(0.05)},
                      .latency = from_nanoseconds(500),
                      .hop_latency = from_nanoseconds(110),
                      .gap = from_nanoseconds(10),
                      .gap_byte = from_nanoseconds(0.08),
                      .link_byte = from_nanoseconds(0.08),
                      .eager_limit = 64000},
          .near = kSharedMemory,
          .tasks = kTasks};
}

Parameters fdr_infiniband() {
  return {.name = "InfiniBand FDR",
          .network = {.send = {from_nanoseconds(200), from_nanoseconds(0.05)},
                      .receive = {from_nanoseconds(200), from_nanoseconds(0.05)},
                      .latency = from_nanoseconds(700),
                      .hop_latency = from_nanoseconds(200),
                      .gap = from_nanoseconds(30),
                      .gap_byte = from_nanoseconds(0.147),
                      .link_byte = from_nanoseconds(0.147),
                      .eager_limit = 12288},
          .near = kSharedMemory,
          .tasks = kTasks};
}

Parameters qdr_infiniband() {
  return {.name = "InfiniBand QDR",
          .network = {.send = {from_nanoseconds(300), from_nanoseconds(0.1)},
                      .receive = {from_nanoseconds(300), from_nanoseconds(0.1)},
                      .latency = from_nanoseconds(900),
                      .hop_latency = from_nanoseconds(200),
                      .gap = from_nanoseconds(50),
                      .gap_byte = from_nanoseconds(0.31),
                      .link_byte = from_nanoseconds(0.31),
                      .eager_limit = 12288},
          .near = kSharedMemory,
          .tasks = kTasks};
}

Parameters gemini() {
  return {.name = "Gemini",
          .network = {.send = {from_nanoseconds(500), from_nanoseconds(0.1)},
                      .receive = {from_nanoseconds(500), from_nanoseconds(0.1)},
                      .latency = from_nanoseconds(1000),
                      .hop_latency = from_nanoseconds(100),
                      .gap = from_nanoseconds(50),
                      .gap_byte = from_nanoseconds(0.17),
                      .link_byte = from_nanoseconds(0.2),
                      .eager_limit = 8192},
          .near = kSharedMemory,
          .tasks = kTasks};
}

const char* name(Quantity quantity) {
  switch (quantity) {
    case Quantity::overhead:
      return "overhead";
    case Quantity::latency:
      return "latency";
    case Quantity::gap:
      return "gap";
    case Quantity::byte:
      return "time of a byte";
    case Quantity::eager_limit:
      return "eager limit";
  }
  return "";
}

Parameters scaled(Parameters parameters, Quantity quantity, double factor) {
  NetworkCosts& network = parameters.network;
  const auto scale = [factor](std::int64_t& value) {
    value = static_cast<std::int64_t>(std::llround(static_cast<double>(value) * factor));
  };
  switch (quantity) {
    case Quantity::overhead:
      scale(network.send.overhead);
      scale(network.receive.overhead);
      break;
    case Quantity::latency:
      scale(network.latency);
      scale(network.hop_latency);
      break;
    case Quantity::gap:
      scale(network.gap);
      break;
    case Quantity::byte:
      scale(network.gap_byte);
      scale(network.link_byte);
      break;
    case Quantity::eager_limit:
      scale(network.eager_limit);
      break;
  }
  parameters.name += std::string(", ") + name(quantity) + (factor < 1 ? " halved" : " doubled");
  return parameters;
}

Parameters with_rails(Parameters parameters, int rails, RailBinding binding) {
  parameters.rails = rails;
  parameters.binding = binding;
  if (rails > 1) {
    parameters.name += ", " + std::to_string(rails) + " rails ";
    parameters.name += binding == RailBinding::in_turn ? "in turn" : "in blocks";
  }
  return parameters;
}

}  // namespace rondo::internal::machine
