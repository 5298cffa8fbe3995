#include "collectives/learning/learning_calls.hpp"

#include "collectives/learning/findings.hpp"
#include "collectives/learning/learned_file.hpp"
#include "runtime/base/count_of.hpp"
#include "runtime/base/log.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

namespace rondo::internal::learning {
namespace {

/// Logs, once, why the file of RONDO_LEARNED cannot be used.
void tell_once(const std::exception& error) noexcept {
  static std::once_flag once;
  try {
    std::call_once(once, [&] { log(LogLevel::error, "calls learn anew: ", error.what()); });
  } catch (const std::exception&) {
    // If this fails, nothing is reported.
  }
}

/// Returns the number of the plan that the file names as the fastest, plus 1; 0 if it names none.
std::int64_t known_plan(const std::vector<Contender>& contenders, const std::string& problem) noexcept {
  if (problem.empty()) return 0;
  try {
    const std::optional<std::string> plan = learned_plan(problem);
    for (std::size_t i = 0; plan && i < contenders.size(); ++i) {
      if (name_of(contenders[i]) == *plan) return static_cast<std::int64_t>(i) + 1;
    }
  } catch (const std::exception& error) {
    tell_once(error);
  }
  return 0;
}

}  // namespace

LearningCalls::LearningCalls(std::string calls, std::vector<Contender> contenders, int starts, int rank, int ranks,
                             std::string problem)
    : name_(std::move(calls)),
      contenders_(std::move(contenders)),
      rank_(rank),
      ranks_(ranks),
      problem_(std::move(problem)),
      turns_(contenders_.size(), starts) {}

bool LearningCalls::over() const {
  const std::scoped_lock lock(mutex_);
  return settled_.has_value();
}

std::optional<std::size_t> LearningCalls::next_plan(const MakeSums& make_sums) {
  std::shared_ptr<SummedTimes> done;  // to be destroyed without the lock
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      if (failure_) std::rethrow_exception(failure_);
      if (!late_.empty()) return std::nullopt;
      const Before before = before_next();
      if (settled_) done = std::move(sums_);
      if (before == Before::nothing) return plan_of_next();
      if (before == Before::sums_come) return std::nullopt;
    }
    if (sums_ == nullptr)
      make_sums_ready(make_sums);
    else
      begin_sums();
  }
}

void LearningCalls::wait_for_sums() const {
  std::shared_ptr<SummedTimes> sums;
  {
    const std::scoped_lock lock(mutex_);
    sums = sums_;
  }
  if (sums != nullptr) sums->wait();
}

void LearningCalls::make_sums_ready(const MakeSums& make_sums) {
  std::shared_ptr<SummedTimes> made = make_sums();
  const std::scoped_lock lock(mutex_);
  sums_ = std::move(made);
  if (sums_ == nullptr) settle(0, "as the ranks have no tags left to add up their times with");
}

void LearningCalls::begin_sums() {
  const auto become = [&](Sums state) {
    const std::scoped_lock lock(mutex_);
    state_ = state;
  };
  become(Sums::beginning);
  try {
    sums_->begin(here_);
  } catch (...) {
    become(Sums::idle);
    throw;
  }
  mark_learning("learning: times are summed up");
  become(Sums::under_way);
}

void LearningCalls::is_about(std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  fewest_bytes_ = fewest_bytes_ == 0 ? bytes : std::min(fewest_bytes_, bytes);
  most_bytes_ = std::max(most_bytes_, bytes);
}

Turns::Place LearningCalls::begun() {
  const std::scoped_lock lock(mutex_);
  return count();
}

Turns::Place LearningCalls::count() noexcept {
  ++calls_;
  if (settled_ || !asked_) return {};
  turns_.start();
  return turns_.place();
}

void LearningCalls::took(const Turns::Place& place, std::int64_t nanoseconds) {
  if (!place.counts()) return;
  const std::scoped_lock lock(mutex_);
  turns_.took(place, nanoseconds);
}

void LearningCalls::begun_late(LateCalls& call) {
  const std::scoped_lock lock(mutex_);
  late_.splice(late_.end(), call);
}

std::optional<std::size_t> LearningCalls::plan_of(const LateCall& call) {
  const std::scoped_lock lock(mutex_);
  if (!call.plan && failure_) std::rethrow_exception(failure_);
  while (!call.plan && !late_.empty()) {
    const Before before = before_next();
    if (before == Before::sums_come) break;
    if (before == Before::sums_begin) {
      sums_->begin_in_prologue(here_);
      state_ = Sums::under_way;
      mark_learning("learning: times are summed up");
      continue;
    }
    LateCall& first = *late_.front();
    first.plan = plan_of_next();
    static_cast<void>(count());
    late_.pop_front();
  }
  return call.plan;
}

LearningCalls::Before LearningCalls::before_next() {
  if (!settled_ && !asked_) {
    if (calls_ == kAsk && state_ == Sums::idle) {
      here_ = {known_plan(contenders_, problem_)};
      return Before::sums_begin;
    }
    if (calls_ < kAnswer) return Before::nothing;
    if (!sums_are_there()) return Before::sums_come;
    take_answer();
  }
  if (settled_) return Before::nothing;
  switch (turns_.due()) {
    case Turns::Due::nothing:
      break;
    case Turns::Due::sum:
      if (state_ != Sums::idle) break;
      here_ = times();
      return Before::sums_begin;
    case Turns::Due::decision:
      if (state_ == Sums::idle) break;
      if (!sums_are_there()) return Before::sums_come;
      decide();
      break;
  }
  return Before::nothing;
}

/// Returns this rank's part in the sums. If calls differ in size, all entries are so negative that no other ranks'
/// times can make a sum positive.
Times LearningCalls::times() {
  Times here = turns_.times();
  if (most_bytes_ - fewest_bytes_ > fewest_bytes_ / 4) here.fill(std::numeric_limits<std::int64_t>::min() / ranks_);
  return here;
}

const Times& LearningCalls::take_sums_here() {
  try {
    state_ = Sums::idle;
    return sums_->end();
  } catch (...) {
    failure_ = std::current_exception();
    late_.clear();
    throw;
  }
}

void LearningCalls::take_answer() {
  const std::int64_t known = take_sums_here().front();
  asked_ = true;
  if (known != 0) settle(static_cast<std::size_t>(known) - 1, "as the file of RONDO_LEARNED on rank 0 says");
}

void LearningCalls::decide() {
  const Times& sums = take_sums_here();
  if (sums[turns_.contenders().front()] < 0) {
    settle(0, "as calls differ in size");
    return;
  }
  const auto is_unknown = [&](std::size_t plan) { return sums[plan] == 0; };
  if (std::ranges::any_of(turns_.contenders(), is_unknown)) {
    // So many calls are under way at once that the calls of a trial end after it.
    turns_.look_again();
    if (++looks_in_vain_ == kMostInVain) settle(0, "as too many are under way at once to tell what they take");
    return;
  }
  looks_in_vain_ = 0;
  take_sums(contenders_, turns_, sums, ranks_);
  turns_.decide(sums);
  mark_learning("learning: decided");
  keep_best(contenders_, turns_, problem_);
  if (turns_.over()) settle(turns_.contenders().front(), "which was the fastest");
}

void LearningCalls::settle(std::size_t plan, const char* why) noexcept {
  settled_ = plan;
  try {
    if (rank_ == 0)
      log(LogLevel::info, name_, ": ", for_people(contenders_[plan]), " runs from now on, after ",
          count_of(calls_, "call"), ", ", why, turns_.over() ? "; " + told_with_lock() : std::string());
  } catch (const std::exception&) {
    // Without memory, nothing is reported.
  }
}

std::string LearningCalls::told() const {
  const std::scoped_lock lock(mutex_);
  return told_with_lock();
}

std::string LearningCalls::told_with_lock() const { return tell(contenders_, turns_, "calls"); }

}  // namespace rondo::internal::learning
