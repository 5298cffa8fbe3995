#include "collectives/learning/contenders.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace rondo::internal::learning {
namespace {

constexpr double kSameTime = 1e-9;  ///< share of a time

/// Whether the model sees no difference, as where a special case of one algorithm is another. Of algorithms of the
/// user's own it knows nothing but their times.
bool are_alike(const Candidate& of_one, const Candidate& of_other) {
  if (of_one.algorithm.empty() || of_one.prediction.phases == kNotCounted) return false;
  const Prediction& one = of_one.prediction;
  const Prediction& other = of_other.prediction;
  // Sums of the same costs in another order differ in their last bits.
  const bool same_time = std::abs(one.nanoseconds - other.nanoseconds) <= kSameTime * one.nanoseconds;
  return same_time && one.phases == other.phases && one.rounds == other.rounds && one.blocks == other.blocks &&
         one.bytes == other.bytes;
}

/// Between the parts of a contender's name: the variables that ask for the others.
constexpr std::string_view kForm = ", RONDO_MESSAGES=";
constexpr std::string_view kOverMpi = ", RONDO_SHM=off";

/// The chosen plan with other forms of its messages.
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
  const std::string way(contender.over_mpi ? kOverMpi : std::string_view());
  if (contender.messages == MessageForm::automatic) return contender.name + way;
  return contender.name + std::string(kForm) + name(contender.messages) + way;
}

NamedContender named_contender(std::string_view name_of_all) noexcept {
  const bool over_mpi = name_of_all.ends_with(kOverMpi);
  const std::string_view name_with_form = name_of_all.substr(0, name_of_all.size() - (over_mpi ? kOverMpi.size() : 0));
  for (const MessageForm form : {MessageForm::staged, MessageForm::datatype}) {
    const std::string_view last = name(form);
    if (!name_with_form.ends_with(last)) continue;
    const std::string_view front = name_with_form.substr(0, name_with_form.size() - last.size());
    if (front.ends_with(kForm)) return {front.substr(0, front.size() - kForm.size()), form, over_mpi};
  }
  return {name_with_form, MessageForm::automatic, over_mpi};
}

std::vector<Contender> contenders(const Chosen& chosen, std::size_t most, bool outsider, const TimesOfForms& forms,
                                  const Chosen* over_mpi) {
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
    const bool far = candidate != others.front() && time > kFactor * best;
    const bool is_further = is_further_plan(candidate);
    if (far && (is_further || !outsiders.empty())) continue;
    std::vector<Contender>& kind = far ? outsiders : is_further ? further : first;
    kind.push_back({.name = name_of_plan(candidate->algorithm, candidate->name), .predicted = time, .outsider = far});
  }
  std::vector<Contender> ways = by_form(*others.front(), forms, kFactor * best);
  if (over_mpi != nullptr && !over_mpi->candidates.empty()) {
    const Candidate& one = over_mpi->candidates.front();
    if (one.prediction.nanoseconds <= kFactorOverMpi * best)
      ways.push_back(
          {.name = name_of_plan(one.algorithm, one.name), .over_mpi = true, .predicted = one.prediction.nanoseconds});
  }
  first.insert(first.begin() + std::min<std::ptrdiff_t>(2, std::ssize(first)), ways.begin(), ways.end());
  first.insert(first.end(), further.begin(), further.end());
  first.insert(first.end(), outsiders.begin(), outsiders.end());
  if (first.size() > most) first.resize(most);
  return first;
}

void add_mpis_own(std::vector<Contender>& contenders, std::size_t most) {
  if (contenders.size() == most) contenders.pop_back();
  const bool has_outsider = !contenders.empty() && contenders.back().outsider;
  contenders.insert(contenders.end() - (has_outsider ? 1 : 0), {.name = std::string(kMpisOwn)});
}

}  // namespace rondo::internal::learning
