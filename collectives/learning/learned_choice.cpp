#include "collectives/learning/learned_choice.hpp"

#include "collectives/learning/learned_file.hpp"
#include "runtime/base/log.hpp"
#include "runtime/trace/observers.hpp"
#include "runtime/trace/trace.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <utility>

namespace rondo::internal::learning {
namespace {

/// `literal` as a mark on the timeline.
void mark(const char* literal) noexcept {
  Trace* const trace = Engine::process().observers().trace.get();
  if (trace == nullptr) return;
  const std::uint64_t now = trace->now();
  trace->add_from_anywhere({.begin = now,
                            .end = now,
                            .detail = std::bit_cast<std::uint64_t>(literal),
                            .operation = 0,
                            .task = kNoTask,
                            .peer = -1,
                            .round = 0,
                            .thread = this_thread_for_trace(),
                            .phase = 0,
                            .kind = TraceKind::mark,
                            .task_kind = TaskKind::join});
}

}  // namespace

LearnedChoice::LearnedChoice(std::vector<Candidate> candidates, int starts, std::unique_ptr<SummedTimes> sums, int rank,
                             int ranks, std::string problem)
    : candidates_(std::move(candidates)),
      turns_(candidates_.size(), starts),
      sums_(std::move(sums)),
      rank_(rank),
      problem_(std::move(problem)),
      ranks_(ranks) {
  for (Candidate& candidate : candidates_) {
    candidate.alone = std::move(candidate.operation->explain);
    candidate.operation->explain = [this, &candidate] { return candidate.alone() + told(); };
  }
}

std::unique_ptr<Operation> LearnedChoice::hand_out(std::unique_ptr<LearnedChoice> choice) {
  std::unique_ptr<Operation> first = std::move(choice->candidates_.front().operation);
  first->set_rotation(std::move(choice));
  return first;
}

bool LearnedChoice::start(std::unique_ptr<Operation>& held) {
  began_ = Clock::now();
  waited_since_.reset();
  switch (turns_.due()) {
    case Turns::Due::nothing:
      break;
    case Turns::Due::sum:
      sums_->begin(turns_.times());
      mark("learning: times are summed up");
      break;
    case Turns::Due::decision:
      if (!sums_->test()) {
        start_when_decided(*held);
        return false;
      }
      decide();
      break;
  }
  put_into(held, turns_.start());
  drop_losers();
  held->start();
  starting_ = Clock::now() - began_;
  if (!turns_.over()) return false;
  tell(*held);
  return true;
}

/// Another rank is more than kLag starts behind. This one goes on when that has come so far.
void LearnedChoice::start_when_decided(Operation& held) {
  ++late_starts_;
  held.start_after([this, &held] {
    if (!sums_->is_over()) return false;
    decide();
    if (const std::size_t next = turns_.start(); next != held_) held.begin_with(*candidates_[next].operation);
    return true;
  });
  starting_ = Clock::now() - began_;
}

void LearnedChoice::decide() {
  const Times& sums = sums_->end();
  for (const std::size_t candidate : turns_.contenders())
    mean_[candidate] = static_cast<double>(sums[candidate]) / ranks_;
  turns_.decide(sums);
  mark("learning: decided");
}

/// Gives the user the operation whose turn it is.
void LearnedChoice::put_into(std::unique_ptr<Operation>& held, std::size_t next) noexcept {
  if (next == held_) return;
  std::unique_ptr<Rotation> self = held->take_rotation();
  std::unique_ptr<Operation>& others = candidates_[next].operation;
  others->set_rotation(std::move(self));
  candidates_[held_].operation = std::move(held);
  held = std::move(others);
  held_ = next;
}

/// Gives back what those hold that no start is for any more.
void LearnedChoice::drop_losers() noexcept {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (i != held_ && std::ranges::find(turns_.contenders(), i) == turns_.contenders().end())
      candidates_[i].operation.reset();
  }
}

void LearnedChoice::is_waited_for() noexcept {
  if (!waited_since_) waited_since_ = Clock::now();
}

/// What its user could not do anything else in: the start, and from when he began to wait on.
void LearnedChoice::is_finished() noexcept {
  const Clock::duration took = waited_since_ ? starting_ + (Clock::now() - *waited_since_) : Clock::now() - began_;
  turns_.took(std::chrono::nanoseconds(took).count());
}

std::string LearnedChoice::told() const {
  std::string text = turns_.over()
                         ? "learned: the fastest of " + std::to_string(candidates_.size()) + " that took turns\n"
                         : "learning: " + std::to_string(turns_.contenders().size()) + " candidates take turns, " +
                               std::to_string(turns_.starts()) + " starts so far\n";
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    text += "  " + candidates_[i].plan + ": predicted " + std::to_string(std::llround(candidates_[i].predicted)) +
            " ns, measured ";
    text += mean_[i] > 0 ? std::to_string(std::llround(mean_[i])) + " ns\n" : "not yet\n";
  }
  if (late_starts_ > 0)
    text += "  starts that waited for times of ranks far behind: " + std::to_string(late_starts_) + "\n";
  return text;
}

/// When all is found out; nothing may fail any more.
void LearnedChoice::tell(Operation& winner) noexcept {
  try {
    std::string text = told();
    if (rank_ == 0) {
      log(LogLevel::info, winner.description(), ": ", candidates_[held_].plan, " runs from start ", turns_.starts(),
          " on, ", text);
    }
    winner.explain = [alone = std::move(candidates_[held_].alone), text = std::move(text)] { return alone() + text; };
    if (rank_ == 0 && !problem_.empty()) keep_learned_plan(problem_, candidates_[held_].plan);
  } catch (const std::exception& error) {
    log(LogLevel::error, winner.description(), ": what it has learned is not kept: ", error.what());
  }
}

}  // namespace rondo::internal::learning
