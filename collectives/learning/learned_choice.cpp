#include "collectives/learning/learned_choice.hpp"

#include <rondo/error.hpp>

#include "collectives/learning/findings.hpp"
#include "collectives/learning/learned_file.hpp"
#include "runtime/base/log.hpp"
#include "runtime/functions/inside_function.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace rondo::internal::learning {

LearnedChoice::LearnedChoice(std::vector<Contender> contenders, int starts, std::unique_ptr<SummedTimes> sums, int rank,
                             int ranks, std::string problem)
    : contenders_(std::move(contenders)),
      candidates_(contenders_.size()),
      turns_(candidates_.size(), starts, !contenders_.empty() && contenders_.back().outsider),
      sums_(std::move(sums)),
      rank_(rank),
      ranks_(ranks),
      problem_(std::move(problem)) {}

void LearnedChoice::set_operation(std::size_t candidate, std::unique_ptr<Operation> operation) noexcept {
  Contestant& its = candidates_[candidate];
  its.operation = std::move(operation);
  its.alone = std::move(its.operation->explain);
  // Two words, for which std::function takes no memory.
  its.operation->explain = [this, &its] { return its.alone() + told(); };
}

std::unique_ptr<Operation> LearnedChoice::hand_out(std::unique_ptr<LearnedChoice> choice) {
  std::unique_ptr<Operation> first = std::move(choice->candidates_.front().operation);
  first->set_rotation(std::move(choice));
  return first;
}

bool LearnedChoice::start(std::unique_ptr<Operation>& held) {
  if (InsideFunctions::now()) {
    throw Error(MPI_ERR_OTHER, held->description() +
                                   ": it learns (rondo_learn), and must not be started inside a function of a compute "
                                   "task until it has decided");
  }
  began_ = Clock::now();
  waited_since_.store(kNotYet, std::memory_order_relaxed);  // relaxed: nobody waits for it yet
  switch (turns_.due()) {
    case Turns::Due::nothing:
      break;
    case Turns::Due::sum:
      sums_->begin(turns_.times());
      mark_learning("learning: times are summed up");
      break;
    case Turns::Due::decision:
      if (!sums_->test()) {
        start_when_decided(*held);
        return false;
      }
      decide();
      keep_best(contenders_, turns_, problem_);
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
  take_sums(contenders_, turns_, sums, ranks_);
  turns_.decide(sums);
  mark_learning("learning: decided");
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
  // relaxed: a time, and nothing else, is told
  if (waited_since_.load(std::memory_order_relaxed) != kNotYet) return;
  Clock::rep not_yet = kNotYet;
  waited_since_.compare_exchange_strong(not_yet, Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
}

/// What its user could not do anything else in: the start, and from when he began to wait on.
void LearnedChoice::is_finished() noexcept {
  const Clock::rep since = waited_since_.load(std::memory_order_relaxed);  // relaxed: as above
  const Clock::time_point now = Clock::now();
  const Clock::duration took =
      since == kNotYet ? now - began_ : starting_ + (now - Clock::time_point(Clock::duration(since)));
  turns_.took(std::chrono::nanoseconds(took).count());
}

std::string LearnedChoice::told() const {
  std::string text = learning::tell(contenders_, turns_, "starts");
  if (late_starts_ > 0)
    text += "  starts that waited for times of ranks far behind: " + std::to_string(late_starts_) + "\n";
  return text;
}

/// When all is found out; nothing may fail any more.
void LearnedChoice::tell(Operation& winner) noexcept {
  winner.explain = std::move(candidates_[held_].alone);
  try {
    std::string text = told();
    if (rank_ == 0)
      log(LogLevel::info, winner.description(), ": ", for_people(contenders_[held_]), " runs from now on, after ",
          turns_.starts(), " starts; ", text);
    auto explain = [alone = winner.explain, text = std::move(text)] { return alone() + text; };
    winner.explain = std::move(explain);
    keep_best(contenders_, turns_, problem_);
  } catch (const std::exception&) {
    // Then it is not told.
  }
}

}  // namespace rondo::internal::learning
