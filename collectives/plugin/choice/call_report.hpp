/// @file
/// CallReport: what the plug-in did with the application's calls, printed at MPI_Finalize (RONDO_REPORT).
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_CALL_REPORT_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_CALL_REPORT_HPP

#include "collectives/blocks/call_side.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace rondo::internal::plugin {

/// Counts the calls of this process. Thread-safe.
class CallReport {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns the report of the process, or null if RONDO_REPORT does not ask for one.
  [[nodiscard]] static CallReport* wanted();

  /// Counts a call that Rondo took: the bytes that this process sent, the algorithm, and how long the call was under
  /// way.
  void took(ReplacedCall call, std::int64_t bytes, const std::string& algorithm, Clock::duration time);
  /// Counts a call that was left to MPI, with the reason.
  void left(ReplacedCall call, const char* why);

  /// Returns the report as it is printed: lines that are named after their calls under one that begins "rondo_pmpi:".
  [[nodiscard]] std::string text(int rank) const;

 private:
  struct Line {
    std::uint64_t calls = 0;
    Clock::duration time{};
  };
  /// The call, its bytes rounded up to a power of two, and the algorithm.
  using Key = std::tuple<ReplacedCall, std::int64_t, std::string>;

  mutable std::mutex mutex_;
  std::map<Key, Line> taken_;
  std::map<std::tuple<ReplacedCall, std::string>, std::uint64_t> left_;
};

/// Returns the bytes of all `blocks` blocks of a side; 0 if no report is wanted. Arguments need not be right.
[[nodiscard]] std::int64_t bytes_of(const CallSide& side, int blocks) noexcept;

}  // namespace rondo::internal::plugin

#endif
