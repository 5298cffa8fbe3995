/// @file
/// OnceLog: a set of the messages that the log shows only once.
#ifndef RONDO_COLLECTIVES_SELECTION_ONCE_LOG_HPP
#define RONDO_COLLECTIVES_SELECTION_ONCE_LOG_HPP

#include <mutex>
#include <set>
#include <string>

namespace rondo::internal {

/// A set of the messages that were shown. Thread-safe, whatever locks the caller holds.
class OnceLog {
 public:
  /// Returns whether `note` is new to the set, and adds it.
  [[nodiscard]] bool first(const std::string& note) {
    const std::scoped_lock lock(mutex_);
    return notes_.insert(note).second;
  }

 private:
  std::mutex mutex_;  ///< no other lock is taken while it is held
  std::set<std::string> notes_;
};

}  // namespace rondo::internal

#endif
