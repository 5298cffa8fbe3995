#include "collectives/learning/findings.hpp"

#include "collectives/learning/learned_file.hpp"
#include "collectives/selection/selection.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/trace/named_event.hpp"
#include "runtime/trace/observers.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace rondo::internal::learning {

std::string for_people(const Contender& contender) {
  const auto [algorithm, plan] = asked_plan(contender.name);
  std::string text = plan.starts_with(algorithm) ? std::string(plan) : contender.name;
  if (contender.messages == MessageForm::staged) text += ", messages staged";
  if (contender.messages == MessageForm::datatype) text += ", messages as datatypes";
  if (contender.over_mpi) text += ", all over MPI";
  if (contender.progress == ProgressMode::async) text += ", in the background";
  return text;
}

void take_sums(std::span<Contender> contenders, const Turns& turns, const Times& sums, int ranks) noexcept {
  for (const std::size_t candidate : turns.contenders())
    contenders[candidate].measured = static_cast<double>(sums[candidate]) / ranks;
}

std::string tell(std::span<const Contender> contenders, const Turns& turns, std::string_view begun) {
  std::string text = "learned: the fastest of " + std::to_string(contenders.size()) + " that took turns\n";
  if (!turns.over()) {
    const bool rests = turns.starts() < turns.look_begins();
    text = "learning: " + std::to_string(turns.contenders().size()) + " candidates take turns" +
           (rests ? " again after " : ", ") + std::to_string(rests ? turns.look_begins() : turns.starts()) + " " +
           std::string(begun) + (rests ? "\n" : " so far\n");
  }
  for (const Contender& contender : contenders) {
    const bool is_predicted = contender.predicted > 0;
    text += "  " + for_people(contender) + ": " +
            (is_predicted ? "predicted " + std::to_string(std::llround(contender.predicted)) + " ns, measured "
                          : "not predicted, measured ");
    text += contender.measured > 0 ? std::to_string(std::llround(contender.measured)) + " ns\n" : "not yet\n";
  }
  return text;
}

void keep_best(std::span<const Contender> contenders, const Turns& turns, const std::string& problem) noexcept {
  try {
    if (!problem.empty()) keep_learned_plan(problem, name_of(contenders[turns.contenders().front()]));
  } catch (const std::exception&) {
    // Without memory, a later run learns again.
  }
}

void mark_learning(const char* literal) noexcept {
  Trace* const trace = Engine::process().observers().trace.get();
  if (trace == nullptr) return;
  const std::uint64_t now = trace->now();
  add_named(*trace, TraceKind::mark, literal, now, now);
}

}  // namespace rondo::internal::learning
