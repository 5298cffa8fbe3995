/// @file
/// LearningProblems: what the calls of a communicator learn, by problem.
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

/// The first problems that come; calls for others do not learn. All ranks have the same in here, as all know the
/// problems of their calls alike: so nothing ever goes, whatever a rank's caches forget.
class LearningProblems {
 public:
  static constexpr std::size_t kMost = 32;

  /// Of a problem that problem_name() calls so; `make` makes it, where it is new. Null where there is no room. Throws
  /// what `make` does.
  template <typename Make>
  [[nodiscard]] std::shared_ptr<LearningCalls> find(const std::string& problem, Make make) {
    const auto found = std::ranges::find(all_, problem, &Problem::first);
    if (found != all_.end()) return found->second;
    if (all_.size() == kMost) return nullptr;
    all_.emplace_back(problem, make());
    return all_.back().second;
  }

  /// By name; null for those of which nothing is to be learned.
  using Problem = std::pair<std::string, std::shared_ptr<LearningCalls>>;
  [[nodiscard]] const std::vector<Problem>& all() const noexcept { return all_; }

 private:
  std::vector<Problem> all_;
};

}  // namespace rondo::internal::learning

#endif
