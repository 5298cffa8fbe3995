/// @file
/// A bar on standard error when that is a terminal.
#ifndef RONDO_EXAMPLES_STENCIL_PROGRESS_BAR_HPP
#define RONDO_EXAMPLES_STENCIL_PROGRESS_BAR_HPP

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace stencil {

class ProgressBar {
 public:
  ProgressBar(const char* what, int steps, bool wanted)
      : what_(what), steps_(steps), shown_(wanted && isatty(2) != 0) {}
  ~ProgressBar() {
    if (shown_) std::fprintf(stderr, "\r%60s\r", "");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void step(int done) {
    const int percent = 100 * done / std::max(steps_, 1);
    if (!shown_ || percent == last_) return;
    last_ = percent;
    std::fprintf(stderr, "\r%-12s [%-30.*s] %3d%%", what_, percent * 30 / 100, "##############################",
                 percent);
  }

 private:
  const char* what_;
  int steps_;
  bool shown_;
  int last_ = -1;
};

}  // namespace stencil

#endif
