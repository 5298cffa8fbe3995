#include "collectives/rehearsal/own_choice.hpp"

#include <rondo/error.hpp>

#include "collectives/rehearsal/machine_costs.hpp"
#include "collectives/rehearsal/prediction.hpp"
#include "runtime/base/mix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rondo::internal {

void check_ways(std::span<const OwnWay> ways) {
  if (ways.empty()) throw Error(MPI_ERR_ARG, "algorithms: has 0 entries, must have at least 1");
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::string entry = "algorithms[" + std::to_string(i) + "].name: is ";
    if (ways[i].name.empty()) throw Error(MPI_ERR_ARG, entry + "empty, must have at least 1 character");
    const auto same = [&](const OwnWay& other) { return other.name == ways[i].name; };
    if (std::ranges::any_of(ways.first(i), same))
      throw Error(MPI_ERR_ARG, entry + "\"" + ways[i].name + "\", must be no other's");
  }
}

std::uint64_t hash_of_names(std::span<const OwnWay> ways) {
  std::uint64_t hash = ways.size();
  for (const OwnWay& way : ways) {
    hash = mix(hash, way.name.size());
    hash = mix_text(hash, way.name);
  }
  return hash;
}

namespace {

double predicted(const OwnWay& way, const CallState& calls, const Settings& settings) {
  const CommState& on = *calls.on();
  const CostModel& costs = calls.costs(settings);
  const auto nodes = on.spans_nodes() ? on.nodes() : std::span<const std::int64_t>();
  const rondo::Machine machine = machine_of(costs, nodes, on.size());
  if (!way.predict)
    return predict_own(way.lower, on.size(), machine, {settings.ordering, settings.messages, costs.form_costs()})
        .nanoseconds;
  const double nanoseconds = way.predict(machine, on.size());
  if (std::isnan(nanoseconds) || nanoseconds < 0) {
    throw Error(MPI_ERR_ARG, "algorithms: predict of " + way.name + " returns " + std::to_string(nanoseconds) +
                                 ", must return nanoseconds, at least 0");
  }
  return nanoseconds;
}

/// Returns a line that says in the builder's words what this rank has to do.
std::string work_of(const Schedule& schedule) {
  struct Messages {
    std::int64_t number = 0;
    std::int64_t bytes = 0;
  };
  Messages sent;
  Messages received;
  for (const TaskId id : schedule.messages()) {
    const Task& task = schedule.tasks()[id];
    Messages& of = task.kind == TaskKind::send ? sent : received;
    ++of.number;
    of.bytes += task.bytes;
  }
  return "this rank: phases " + std::to_string(schedule.phases()) + ", messages sent " + std::to_string(sent.number) +
         " with bytes " + std::to_string(sent.bytes) + ", received " + std::to_string(received.number) +
         " with bytes " + std::to_string(received.bytes) + "\n";
}

}  // namespace

void predict_ways(std::span<const OwnWay> ways, const CallState& calls, const Settings& settings,
                  std::span<double> times) {
  for (std::size_t way = 0; way < ways.size(); ++way) times[way] = predicted(ways[way], calls, settings);
}

OwnChoice fastest(std::span<const OwnWay> ways, std::span<const double> times) {
  std::vector<std::size_t> order(ways.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t way) { return times[way]; });
  OwnChoice choice{order.front()};
  for (const std::size_t way : order) choice.candidates.push_back({ways[way].name, {.nanoseconds = times[way]}});
  return choice;
}

std::string explain_own(const Chosen& chosen) {
  if (chosen.candidates.empty()) return chosen.algorithm + ": as its lowering says\n" + work_of(*chosen.schedule);
  std::size_t width = std::string_view("algorithm").size();
  for (const Candidate& candidate : chosen.candidates) width = std::max(width, candidate.name.size());
  const auto row = [&](const std::string& name, const std::string& time) {
    constexpr std::size_t kTimeWidth = 14;
    const std::size_t blanks = kTimeWidth - std::min(kTimeWidth, time.size());
    return name + std::string(width - name.size() + blanks, ' ') + time + "\n";
  };
  std::string table = row("algorithm", "predicted ns");
  for (const Candidate& candidate : chosen.candidates) {
    const double time = candidate.prediction.nanoseconds;
    table += row(candidate.name, std::isfinite(time) ? std::to_string(std::llround(time)) : "-");
  }
  return table + work_of(*chosen.schedule) + chosen.algorithm + was_chosen(chosen);
}

}  // namespace rondo::internal
