/// @file
/// Drawings: the drawings of schedules that RONDO_DOT requests.
#ifndef RONDO_RUNTIME_TRACE_DRAWINGS_HPP
#define RONDO_RUNTIME_TRACE_DRAWINGS_HPP

#include "runtime/schedule/message_ways.hpp"
#include "runtime/schedule/schedule.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace rondo::internal {

/// The drawings of a process: every schedule with which an operation is made is drawn into a separate file, once. For
/// RONDO_DOT=halo.dot, say, a file is halo.Rondo_Cart_alltoall_init.combining.rank0.dot. Further schedules of the same
/// operation and algorithm get a number: .rank0.2.dot.
class Drawings {
 public:
  /// Makes an object without drawings. `path`: as in RONDO_DOT.
  explicit Drawings(std::string path) : path_(std::move(path)) {}
  /// Returns the drawings that RONDO_DOT requests, or null if it is not set or empty.
  [[nodiscard]] static std::unique_ptr<Drawings> from_environment();

  /// Draws a schedule, unless it was drawn before. Thread-safe. If the file cannot be written, the log says so.
  void draw(const Schedule& schedule, std::string_view operation, std::string_view algorithm, int rank,
            const MessageWays& ways) noexcept;

 private:
  std::string path_;
  std::mutex mutex_;
  std::map<std::string, std::set<std::size_t>> drawn_;  ///< hashes of drawings, by operation, algorithm and rank
};

}  // namespace rondo::internal

#endif
