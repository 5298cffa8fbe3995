#include "collectives/learning/contenders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace rondo::internal::learning {
namespace {

constexpr double kSameTime = 1e-9;  ///< relative difference of equal times

/// Returns whether the model sees no difference between two candidates, for example because a special case of one
/// algorithm is another algorithm. Never true of a user's algorithm, of which the model knows only the time.
bool are_alike(const Candidate& of_one, const Candidate& of_other) {
  if (of_one.algorithm.empty() || of_one.prediction.phases == kNotCounted) return false;
  const Prediction& one = of_one.prediction;
  const Prediction& other = of_other.prediction;
  // Sums of the same costs in another order differ in their last bits.
  const bool same_time = std::abs(one.nanoseconds - other.nanoseconds) <= kSameTime * one.nanoseconds;
  return same_time && one.phases == other.phases && one.rounds == other.rounds && one.blocks == other.blocks &&
         one.bytes == other.bytes;
}

/// Separators of the parts of a contender's name: the environment variables that ask for the further parts.
constexpr std::string_view kForm = ", RONDO_MESSAGES=";
constexpr std::string_view kOverMpi = ", RONDO_SHM=off";
constexpr std::string_view kProgress = ", RONDO_PROGRESS=";

/// Splits `key` and one of `values` off the end of `text` and returns the value; returns automatic if there is none.
template <typename Value, std::size_t kValues>
Value split_off(std::string_view& text, std::string_view key, const std::array<Value, kValues>& values) noexcept {
  for (const Value value : values) {
    const std::string_view last = name(value);
    if (!text.ends_with(last) || !text.substr(0, text.size() - last.size()).ends_with(key)) continue;
    text.remove_suffix(key.size() + last.size());
    return value;
  }
  return Value::automatic;
}

/// Returns contenders for the chosen plan with other forms of its messages, if they take at most `longest` ns.
std::vector<Contender> by_form(const Candidate& chosen, const TimesOfForms& forms, double longest) {
  std::vector<Contender> all;
  const std::string plan = name_of_plan(chosen.algorithm, chosen.name);
  const auto add = [&](MessageForm messages, double time) {
    if (std::isfinite(time) && time <= longest) all.push_back({.name = plan, .messages = messages, .predicted = time});
  };
  add(MessageForm::staged, forms.staged);
  add(MessageForm::datatype, forms.datatype);
  return all;
}

}  // namespace

std::string name_of(const Contender& contender) {
  std::string text = contender.name;
  if (contender.messages != MessageForm::automatic) text.append(kForm).append(name(contender.messages));
  if (contender.over_mpi) text.append(kOverMpi);
  if (contender.progress != ProgressMode::automatic) text.append(kProgress).append(name(contender.progress));
  return text;
}

NamedContender named_contender(std::string_view name_of_all) noexcept {
  std::string_view rest = name_of_all;
  const ProgressMode progress =
      split_off(rest, kProgress, std::array{ProgressMode::inlined, ProgressMode::workers, ProgressMode::async});
  const bool over_mpi = rest.ends_with(kOverMpi);
  if (over_mpi) rest.remove_suffix(kOverMpi.size());
  const MessageForm form = split_off(rest, kForm, std::array{MessageForm::staged, MessageForm::datatype});
  return {rest, form, over_mpi, progress};
}

std::vector<Contender> contenders(const Chosen& chosen, std::size_t most, bool outsider, const TimesOfForms& forms,
                                  const Chosen* over_mpi, ProgressMode other_mode) {
  if (chosen.candidates.empty()) return {};
  double best = chosen.candidates.front().prediction.nanoseconds;
  for (const auto& candidate : chosen.candidates) best = std::min(best, candidate.prediction.nanoseconds);
  std::vector<const Candidate*> others;
  for (const auto& candidate : chosen.candidates) {
    const bool has_like = std::ranges::any_of(others, [&](const auto* other) { return are_alike(*other, candidate); });
    const bool near = std::isfinite(candidate.prediction.nanoseconds) &&
                      candidate.prediction.nanoseconds <= (outsider ? kFactorOfOutsider : kFactor) * best;
    if (others.empty() || (near && !has_like)) others.push_back(&candidate);
  }
  std::ranges::stable_sort(others.begin() + 1, others.end(), {},
                           [](const auto* candidate) { return candidate->prediction.nanoseconds; });
  std::vector<std::string_view> seen;
  const auto is_further_plan = [&](const auto* candidate) {
    const bool further = std::ranges::find(seen, candidate->algorithm) != seen.end();
    if (!further) seen.push_back(candidate->algorithm);
    return further;
  };
  std::vector<Contender> first;
  std::vector<Contender> further;
  std::vector<Contender> outsiders;
  for (const auto* candidate : others) {
    const double time = candidate->prediction.nanoseconds;
    const bool is_further = is_further_plan(candidate);
    const bool is_second = first.size() == 1 && !is_further;
    const bool far = candidate != others.front() && time > (is_second ? kFactor : kFactorOfThird) * best;
    if (far && (!outsider || is_further || !outsiders.empty())) continue;
    std::vector<Contender>& kind = far ? outsiders : is_further ? further : first;
    kind.push_back({.name = name_of_plan(candidate->algorithm, candidate->name), .predicted = time});
  }
  std::vector<Contender> ways = by_form(*others.front(), forms, kFactorOfThird * best);
  if (over_mpi != nullptr && !over_mpi->candidates.empty()) {
    const Candidate& one = over_mpi->candidates.front();
    if (one.prediction.nanoseconds <= kFactorOverMpi * best)
      ways.push_back(
          {.name = name_of_plan(one.algorithm, one.name), .over_mpi = true, .predicted = one.prediction.nanoseconds});
  }
  if (other_mode != ProgressMode::automatic) {
    // The other mode comes first of these, because the model knows nothing of it.
    Contender other = first.front();
    other.progress = other_mode;
    ways.insert(ways.begin(), std::move(other));
  }
  first.insert(first.begin() + std::min<std::ptrdiff_t>(2, std::ssize(first)), ways.begin(), ways.end());
  first.insert(first.end(), further.begin(), further.end());
  first.insert(first.end(), outsiders.begin(), outsiders.end());
  if (first.size() > most) first.resize(most);
  return first;
}

void add_mpis_own(std::vector<Contender>& contenders, std::size_t most) {
  if (contenders.size() == most) contenders.pop_back();
  contenders.push_back({.name = std::string(kMpisOwn)});
}

}  // namespace rondo::internal::learning
