/// @file
/// LearningProblems: the learning states of a communicator's calls, by problem.
#ifndef RONDO_COLLECTIVES_LEARNING_LEARNING_PROBLEMS_HPP
#define RONDO_COLLECTIVES_LEARNING_LEARNING_PROBLEMS_HPP

#include "collectives/learning/learning_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::learning {

/// The first problems of a communicator's calls. Calls for later problems do not learn. The entries are the same on all
/// ranks, which know the problems of their calls alike, so nothing is ever removed, whatever a rank's caches forget.
class LearningProblems {
 public:
  static constexpr std::size_t kMost = 32;

  /// Returns the learning state of a problem with this problem_name(); `make` makes that of a new problem. Returns null
  /// if there are kMost problems already. Throws what `make` throws.
  template <typename Make>
  [[nodiscard]] std::shared_ptr<LearningCalls> find(const std::string& problem, Make make) {
    const auto found = std::ranges::find(all_, problem, &Problem::first);
    if (found != all_.end()) return found->second;
    if (all_.size() == kMost) return nullptr;
    all_.emplace_back(problem, make());
    return all_.back().second;
  }

  /// A problem's name and its learning state, which is null if nothing is to be learned.
  using Problem = std::pair<std::string, std::shared_ptr<LearningCalls>>;
  [[nodiscard]] const std::vector<Problem>& all() const noexcept { return all_; }

 private:
  std::vector<Problem> all_;
};

}  // namespace rondo::internal::learning

#endif
