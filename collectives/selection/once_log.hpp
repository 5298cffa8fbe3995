/// @file
/// OnceLog: what the log is told once.
#ifndef RONDO_COLLECTIVES_SELECTION_ONCE_LOG_HPP
#define RONDO_COLLECTIVES_SELECTION_ONCE_LOG_HPP

#include <mutex>
#include <set>
#include <string>

namespace rondo::internal {

/// Any thread may ask, whatever it holds.
class OnceLog {
 public:
  /// Whether `note` is new.
  [[nodiscard]] bool first(const std::string& note) {
    const std::scoped_lock lock(mutex_);
    return notes_.insert(note).second;
  }

 private:
  std::mutex mutex_;  ///< nothing else is taken with it
  std::set<std::string> notes_;
};

}  // namespace rondo::internal

#endif
