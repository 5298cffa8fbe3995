#include "collectives/selection/selection.hpp"

#include <array>
#include <cmath>
#include <tuple>

namespace rondo::internal {
namespace {

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

/// Returns the name of the chosen plan, after the algorithm's name unless the plan's name begins with it.
std::string title(const Chosen& chosen) {
  if (chosen.plan.empty() || chosen.plan.starts_with(chosen.algorithm))
    return chosen.plan.empty() ? chosen.algorithm : chosen.plan;
  return chosen.algorithm + " (" + chosen.plan + ")";
}

}  // namespace

std::string sent_by(const Schedule& schedule) {
  std::int64_t rounds = 0;
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;
  for (const TaskId id : schedule.messages()) {
    const Task& task = schedule.tasks()[id];
    if (task.kind != TaskKind::send) continue;
    ++rounds;
    blocks += task.part_count;
    bytes += task.bytes;
  }
  return "this rank: phases " + std::to_string(schedule.phases()) + ", rounds " + std::to_string(rounds) + ", blocks " +
         std::to_string(blocks) + ", bytes " + std::to_string(bytes) + "\n";
}

std::string name_of_plan(std::string_view algorithm, std::string_view plan) {
  return algorithm.empty() ? std::string(plan) : std::string(algorithm) + ": " + std::string(plan);
}

AskedPlan asked_plan(std::string_view name) noexcept {
  const std::size_t colon = name.find(": ");
  if (colon == std::string_view::npos) return {name, {}};
  return {name.substr(0, colon), name.substr(colon + 2)};
}

std::string note_on_sizes(std::string_view asked, std::string_view running) {
  return "algorithm " + std::string(asked) +
         " was requested but is not available: the ranks have not agreed that block i has the same size on all of "
         "them (use an _init call, or rondo_assert_uniform); running " +
         quoted(running) + " instead";
}

std::string note_on_missing(std::string_view collective, std::string_view asked, std::string_view running) {
  return "algorithm " + std::string(asked) + " was requested but is not available: there is none for " +
         std::string(collective) + "; running " + quoted(running) + " instead";
}

std::string note_on_problem(std::string_view collective, std::string_view asked, std::string_view running) {
  return "algorithm " + std::string(asked) + " was requested but is not available: it does not apply to this " +
         std::string(collective) + "; running " + quoted(running) + " instead";
}

std::string reason(std::string_view asked, std::size_t plans, bool uniform, double preferred) {
  std::string text;
  if (asked != "auto") text = "because rondo_algorithm=" + std::string(asked) + " asks for it";
  if (uniform && plans > 1) {
    text += text.empty() ? "because " : ", and because ";
    if (preferred > 0)
      text += "it is preferred unless another of " + std::to_string(plans) + " is predicted to take " +
              std::to_string(std::llround(100 * preferred)) + "% less";
    else
      text += "its predicted time is the lowest of " + std::to_string(plans);
  }
  if (text.empty()) text = "because there is no other";
  return text;
}

std::string was_chosen(const Chosen& chosen) {
  return " was chosen " + chosen.why + (chosen.costs.empty() ? "" : "; costs: " + chosen.costs) + "\n";
}

std::string explain(const Chosen& chosen) {
  if (chosen.candidates.empty())
    return title(chosen) + ": not compared with others, as the ranks do not know each other's block sizes\n" +
           sent_by(*chosen.schedule);
  using Row = std::array<std::string, 6>;
  std::vector<Row> rows{{"algorithm", "phases", "rounds", "blocks", "bytes", "predicted ns"}};
  for (const Candidate& candidate : chosen.candidates) {
    const Prediction& prediction = candidate.prediction;
    const auto counted = [&](std::int64_t number) {
      return prediction.phases == kNotCounted ? std::string("-") : std::to_string(number);
    };
    rows.push_back(
        {candidate.name, counted(prediction.phases), counted(prediction.rounds), counted(prediction.blocks),
         counted(prediction.bytes),
         std::isfinite(prediction.nanoseconds) ? std::to_string(std::llround(prediction.nanoseconds)) : "-"});
  }
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  }
  std::string table;
  for (const Row& row : rows) {
    table += row.front() + std::string(widths.front() - row.front().size(), ' ');
    for (std::size_t column = 1; column < row.size(); ++column)
      table += std::string(2 + widths[column] - row[column].size(), ' ') + row[column];
    table += '\n';
  }
  table += sent_by(*chosen.schedule);
  if (!chosen.why.empty()) table += title(chosen) + was_chosen(chosen);
  if (!chosen.note.empty()) table += chosen.note + "\n";
  return table;
}

}  // namespace rondo::internal
