/// @file
/// The drawings that RONDO_DOT asks for.
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

/// Draws every schedule that an operation of this process is made with into a file of its own, once: from
/// RONDO_DOT=halo.dot, say, halo.Rondo_Cart_alltoall_init.combining.rank0.dot. Further schedules of the same operation
/// and algorithm get a number: .rank0.2.dot.
class Drawings {
 public:
  /// `path`: as in RONDO_DOT.
  explicit Drawings(std::string path) : path_(std::move(path)) {}
  /// Null when RONDO_DOT is not set.
  [[nodiscard]] static std::unique_ptr<Drawings> from_environment();

  /// Any thread. What cannot be written is said in the log.
  void draw(const Schedule& schedule, std::string_view operation, std::string_view algorithm, int rank,
            const MessageWays& ways) noexcept;

 private:
  std::string path_;
  std::mutex mutex_;
  std::map<std::string, std::set<std::size_t>> drawn_;  ///< hashes of drawings, by operation, algorithm and rank
};

}  // namespace rondo::internal

#endif
