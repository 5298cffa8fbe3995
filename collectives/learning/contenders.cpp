#include "collectives/learning/contenders.hpp"

#include <algorithm>
#include <string_view>

namespace rondo::internal::learning {
namespace {

/// The model is rarely wrong by more.
constexpr double kFactor = 2;
/// Nor by more than this about whole algorithms, of which the best one beyond kFactor is tried, too, where there is
/// room.
constexpr double kFactorOfOutsider = 3;

/// Whether the model sees no difference, as where a special case of one algorithm is another.
bool are_alike(const Prediction& one, const Prediction& other) {
  return one.nanoseconds == other.nanoseconds && one.phases == other.phases && one.rounds == other.rounds &&
         one.blocks == other.blocks && one.bytes == other.bytes;
}

}  // namespace

std::vector<Contender> contenders(const Chosen& chosen, std::size_t most, bool outsider) {
  if (chosen.candidates.empty()) return {};
  double best = chosen.candidates.front().prediction.nanoseconds;
  for (const auto& candidate : chosen.candidates) best = std::min(best, candidate.prediction.nanoseconds);
  std::vector<const Candidate*> others;
  for (const auto& candidate : chosen.candidates) {
    const bool has_like = std::ranges::any_of(
        others, [&](const auto* other) { return are_alike(other->prediction, candidate.prediction); });
    const bool near = candidate.prediction.nanoseconds <= (outsider ? kFactorOfOutsider : kFactor) * best;
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
  first.insert(first.end(), further.begin(), further.end());
  first.insert(first.end(), outsiders.begin(), outsiders.end());
  if (first.size() > most) first.resize(most);
  return first;
}

}  // namespace rondo::internal::learning
