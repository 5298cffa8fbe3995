#include "network_probe.hpp"

#include "collectives/communicators/network_probe.hpp"
#include "run_plans.hpp"
#include "runtime/schedule/schedule_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal::simulated {
namespace {

/// For each rank that sends, the rank of the next node that it sends to.
struct Pair {
  int source;
  int target;
};

std::vector<Pair> pairs_of(const NodeMembers& members, bool first_ranks_only) {
  std::vector<Pair> pairs;
  for (int node = 0; node < members.nodes(); ++node) {
    const auto own = members.members(node);
    const auto next = members.members((node + 1) % members.nodes());
    for (std::size_t i = 0; i < (first_ranks_only ? 1 : own.size()); ++i)
      pairs.push_back({own[i], next[i % next.size()]});
  }
  return pairs;
}

/// Nanoseconds of a burst from each source to its target.
double time_of(const machine::Machine& machine, const std::vector<Pair>& pairs, NetworkProbe::Burst burst) {
  const auto [messages, bytes] = burst;
  std::vector<ScheduleBuilder> builders(static_cast<std::size_t>(machine.ranks()));
  for (const auto& [source, target] : pairs) {
    for (int i = 0; i < messages; ++i) {
      ScheduleBuilder& receiver = builders[static_cast<std::size_t>(target)];
      // All into one place in the library; here each has its own, as a schedule must have it.
      receiver.receive(source, 0, std::vector{receiver.block(Space::recv, std::int64_t{i} * bytes, bytes)});
      ScheduleBuilder& sender = builders[static_cast<std::size_t>(source)];
      sender.send(target, 0, std::vector{sender.block(Space::send, 0, bytes)});
    }
  }
  Schedules schedules;
  for (ScheduleBuilder& builder : builders)
    schedules.push_back(std::make_shared<const Schedule>(std::move(builder).build()));
  const std::size_t all = static_cast<std::size_t>(messages) * static_cast<std::size_t>(bytes);
  return run_schedules(machine, schedules, all, all).nanoseconds;
}

}  // namespace

NetworkTimes probe(const machine::Machine& machine, const NodeMembers& members) {
  using Probe = NetworkProbe;
  const std::vector<Pair> all = pairs_of(members, false);
  return Probe::times_of({.one = time_of(machine, pairs_of(members, true), Probe::kOne),
                          .many = time_of(machine, all, Probe::kMany),
                          .many_long = time_of(machine, all, Probe::kLong),
                          .full = time_of(machine, all, Probe::kFull),
                          .huge = time_of(machine, all, Probe::kHuge)});
}

}  // namespace rondo::internal::simulated
