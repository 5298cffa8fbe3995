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

LearnedChoice::LearnedChoice(std::vector<Contender> contenders, int starts, int period,
                             std::unique_ptr<SummedTimes> sums, int rank, int ranks, std::string problem)
    : contenders_(std::move(contenders)),
      candidates_(contenders_.size()),
      turns_(candidates_.size(), starts, period),
      sums_(std::move(sums)),
      rank_(rank),
      ranks_(ranks),
      problem_(std::move(problem)),
      time_(compares_modes() ? Timed::all : Timed::waits) {}

/// Returns whether progress modes are compared.
bool LearnedChoice::compares_modes() const noexcept {
  return std::ranges::any_of(contenders_, [](const auto& one) { return one.progress != ProgressMode::automatic; });
}

void LearnedChoice::set_operation(std::size_t candidate, std::unique_ptr<Operation> operation) noexcept {
  Contestant& its = candidates_[candidate];
  its.operation = std::move(operation);
  its.alone = std::move(its.operation->explain);
  // Captures two words, for which std::function takes no memory.
  its.operation->explain = [this, &its] { return its.alone() + told(); };
}

std::unique_ptr<Operation> LearnedChoice::hand_out(std::unique_ptr<LearnedChoice> choice) {
  std::unique_ptr<Operation> first = std::move(choice->candidates_.front().operation);
  first->set_rotation(std::move(choice));
  return first;
}

std::uint32_t LearnedChoice::start(std::unique_ptr<Operation>& held) {
  if (!told_ && InsideFunctions::now()) {
    throw Error(MPI_ERR_OTHER, held->description() +
                                   ": it learns (rondo_learn), and must not be started inside a function of a compute "
                                   "task until it has decided");
  }
  turns_.skip(std::exchange(rests_for_, 0));
  is_timed_ = false;
  switch (turns_.due()) {
    case Turns::Due::nothing:
      break;
    case Turns::Due::sum:
      sums_->begin(turns_.times());
      mark_learning("learning: times are summed up");
      break;
    case Turns::Due::decision:
      if (!has_sums(*held)) {
        start_when_decided(*held);
        return 0;
      }
      decide();
      break;
  }
  put_into(held, turns_.start());
  if (!told_) drop_losers();
  is_timed_ = turns_.place().counts();
  if (is_timed_) time_.begin();
  held->start();
  if (is_timed_) time_.is_begun();
  if (turns_.over()) tell_winner(*held);
  return rest();
}

/// Returns for how many starts the rotation rests, or kForGood if only one candidate is left.
std::uint32_t LearnedChoice::rest() noexcept {
  if (turns_.contenders().size() == 1) return kForGood;
  rests_for_ = turns_.idle();
  return static_cast<std::uint32_t>(rests_for_);
}

/// Returns whether the sums are there. Throws Error inside a function if not: nothing makes progress to wait with.
bool LearnedChoice::has_sums(const Operation& held) {
  if (!InsideFunctions::now()) return sums_->test();
  if (sums_->is_over()) return true;
  throw Error(MPI_ERR_OTHER, held.description() +
                                 ": it waits for times of ranks that are far behind (rondo_learn_again), and must not "
                                 "be started inside a function of a compute task meanwhile");
}

/// Delays a start until the sums are there: another rank has not yet made the start at which they begin.
void LearnedChoice::start_when_decided(Operation& held) {
  ++late_starts_;
  held.start_after([this, &held] {
    if (!sums_->is_over()) return false;
    decide();
    if (const std::size_t next = turns_.start(); next != held_) held.begin_with(*candidates_[next].operation);
    return true;
  });
}

void LearnedChoice::decide() {
  const Times& sums = sums_->end();
  take_sums(contenders_, turns_, sums, ranks_);
  turns_.decide(sums);
  mark_learning("learning: decided");
  const std::size_t best = turns_.contenders().front();
  if (best == told_) return;
  if (told_) mark_learning("learning: another one is the fastest");
  keep_best(contenders_, turns_, problem_);
}

/// Puts the operation of candidate `next` into the user's hands.
void LearnedChoice::put_into(std::unique_ptr<Operation>& held, std::size_t next) noexcept {
  if (next == held_) return;
  std::unique_ptr<Rotation> self = held->take_rotation();
  std::unique_ptr<Operation>& others = candidates_[next].operation;
  others->set_rotation(std::move(self));
  candidates_[held_].operation = std::move(held);
  held = std::move(others);
  held_ = next;
}

/// Frees the operations of candidates that no start will run any more.
void LearnedChoice::drop_losers() noexcept {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (i != held_ && std::ranges::find(turns_.contenders(), i) == turns_.contenders().end())
      candidates_[i].operation.reset();
  }
}

void LearnedChoice::is_waited_for() noexcept {
  if (is_timed_) time_.is_waited_for();
}

void LearnedChoice::is_finished() noexcept {
  if (is_timed_) turns_.took(time_.took());
}

std::string LearnedChoice::told() const {
  std::string text = learning::tell(contenders_, turns_, "starts");
  if (compares_modes()) text += "  measured from the start to the end of the wait, with what is computed in between\n";
  if (turns_.over() && turns_.contenders().size() > 1) text += told_of_later_looks();
  if (late_starts_ > 0)
    text += "  starts that waited for times of ranks far behind: " + std::to_string(late_starts_) + "\n";
  return text;
}

std::string LearnedChoice::told_of_later_looks() const {
  const std::span<const std::size_t> two = turns_.contenders();
  return "  looks again: " + std::to_string(turns_.later_looks()) + " so far, " + std::to_string(turns_.changes()) +
         " changes; the " + (turns_.starts() > turns_.look_begins() ? "last began" : "next begins") + " after " +
         std::to_string(turns_.look_begins()) + " starts, of " + for_people(contenders_[two[0]]) + " and " +
         for_people(contenders_[two[1]]) + "\n";
}

/// Reports the winner if it is a new one. Nothing may fail any more.
void LearnedChoice::tell_winner(Operation& winner) noexcept {
  if (told_ == turns_.contenders().front()) return;
  const bool for_good = turns_.contenders().size() == 1;
  if (for_good) winner.explain = std::move(candidates_[held_].alone);
  const char* const why = told_ ? ", as it was faster in two looks; " : "; ";
  told_ = held_;
  const bool to_log = rank_ == 0 && logs(LogLevel::info);
  if (!for_good && !to_log) return;  // making the text takes as long as many short starts
  try {
    std::string text = told();
    if (to_log)
      log(LogLevel::info, winner.description(), ": ", for_people(contenders_[held_]), " runs from now on, after ",
          turns_.starts(), " starts", why, text);
    if (!for_good) return;
    auto explain = [alone = winner.explain, text = std::move(text)] { return alone() + text; };
    winner.explain = std::move(explain);
  } catch (const std::exception&) {
    // Without memory, nothing is reported.
  }
}

}  // namespace rondo::internal::learning
