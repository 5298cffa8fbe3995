/// @file
/// What a process did when, phase by phase.
#ifndef RONDO_EXAMPLES_STENCIL_PHASE_LOG_HPP
#define RONDO_EXAMPLES_STENCIL_PHASE_LOG_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencil {

enum class Phase : std::uint8_t { exchange, start, interior, wait, border };

/// Seconds of this host's steady clock, which all processes of the host share.
[[nodiscard]] inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Span {
  double begin;
  double end;
  Phase phase;
};

/// Phases without gaps between them.
class PhaseLog {
 public:
  /// Begins now. `expected`: phases to come, so that no memory is taken between them.
  explicit PhaseLog(std::size_t expected) {
    spans_.reserve(expected);
    last_ = seconds_now();
  }
  void ended(Phase phase) {
    const double now = seconds_now();
    spans_.push_back({last_, now, phase});
    last_ = now;
  }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  double last_ = 0;
  std::vector<Span> spans_;
};

}  // namespace stencil

#endif
