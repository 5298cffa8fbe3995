#include "collectives/learning/learning_calls.hpp"

#include "collectives/learning/findings.hpp"
#include "collectives/learning/learned_file.hpp"
#include "runtime/base/log.hpp"

#include <exception>
#include <mutex>
#include <utility>

namespace rondo::internal::learning {
namespace {

/// Why the file of RONDO_LEARNED says nothing.
void tell_once(const std::exception& error) noexcept {
  static std::once_flag once;
  try {
    std::call_once(once, [&] { log(LogLevel::error, "blocking calls learn anew: ", error.what()); });
  } catch (const std::exception&) {
    // Then it is not told.
  }
}

/// The number of the plan that the file says is the fastest, plus 1; 0 where it says nothing.
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
      turns_(contenders_.size(), starts, contenders_.back().outsider),
      rank_(rank),
      ranks_(ranks),
      problem_(std::move(problem)) {}

std::size_t LearningCalls::next_plan(const MakeSums& make_sums) {
  if (!over() && !asked_) ask(make_sums);
  if (!over() && asked_) take_turns(make_sums);
  return over() ? *settled_ : turns_.next();
}

void LearningCalls::begun() noexcept {
  ++calls_;
  if (!over() && asked_) turns_.start();
}

void LearningCalls::ask(const MakeSums& make_sums) {
  if (calls_ == kAsk && !adding_up_) {
    if (has_sums(make_sums)) begin_sums({known_plan(contenders_, problem_)});
  } else if (calls_ == kAnswer && adding_up_) {
    const std::int64_t known = wait_for_sums().front();
    asked_ = true;
    if (known != 0) settle(static_cast<std::size_t>(known) - 1, "as the file of RONDO_LEARNED on rank 0 says");
  }
}

void LearningCalls::take_turns(const MakeSums& make_sums) {
  switch (turns_.due()) {
    case Turns::Due::nothing:
      break;
    case Turns::Due::sum:
      if (adding_up_ || !has_sums(make_sums)) break;
      begin_sums(turns_.times());
      mark_learning("learning: times are summed up");
      break;
    case Turns::Due::decision:
      if (adding_up_) decide();
      break;
  }
}

bool LearningCalls::has_sums(const MakeSums& make_sums) {
  if (sums_ == nullptr) sums_ = make_sums();
  if (sums_ == nullptr) settle(0, "as the ranks have no tags left to add up their times with");
  return sums_ != nullptr;
}

void LearningCalls::begin_sums(const Times& here) {
  sums_->begin(here);
  adding_up_ = true;
}

const Times& LearningCalls::wait_for_sums() {
  const Times& sums = sums_->wait();
  adding_up_ = false;
  return sums;
}

void LearningCalls::decide() {
  const Times& sums = wait_for_sums();
  take_sums(contenders_, turns_, sums, ranks_);
  turns_.decide(sums);
  mark_learning("learning: decided");
  keep_best(contenders_, turns_, problem_);
  if (turns_.over()) settle(turns_.contenders().front(), "which was the fastest");
}

void LearningCalls::settle(std::size_t plan, const char* why) noexcept {
  settled_ = plan;
  sums_.reset();
  try {
    if (rank_ == 0)
      log(LogLevel::info, name_, ": ", for_people(contenders_[plan]), " runs from now on, after ", calls_, " calls, ",
          why, turns_.over() ? "; " + told() : std::string());
  } catch (const std::exception&) {
    // Then it is not told.
  }
}

std::string LearningCalls::told() const { return tell(contenders_, turns_, "calls"); }

}  // namespace rondo::internal::learning
