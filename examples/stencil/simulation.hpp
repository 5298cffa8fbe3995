/// @file
/// One channel of a grid, advanced step by step: by all processes, and by one alone.
#ifndef RONDO_EXAMPLES_STENCIL_SIMULATION_HPP
#define RONDO_EXAMPLES_STENCIL_SIMULATION_HPP

#include "domain.hpp"
#include "exchange.hpp"
#include "kernels.hpp"
#include "phase_log.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stencil {

/// The tiles of one channel; tile `which` is the current state.
template <typename Kernel>
class Simulation {
 public:
  Simulation(Domain& domain, Exchange& exchange) : domain_(domain), exchange_(exchange) {}

  void step() {
    step([](Phase) {});
  }
  /// Tells `ended` of each phase as it ends.
  template <typename Ended>
  void step(Ended ended) {
    exchange_.start(which_);
    ended(exchange_.blocks() ? Phase::exchange : Phase::start);
    interior();
    ended(Phase::interior);
    if (!exchange_.blocks()) {
      exchange_.finish(which_);
      ended(Phase::wait);
    }
    border();
    ended(Phase::border);
    which_ = 1 - which_;
  }
  /// Leaves the state as it is.
  void exchange_only() {
    exchange_.start(which_);
    exchange_.finish(which_);
  }
  [[nodiscard]] int which() const { return which_; }

 private:
  void interior() { update_interior(Kernel{}, domain_.old(which_), domain_.tile(1 - which_)); }
  void border() { update_border(Kernel{}, domain_.old(which_), domain_.tile(1 - which_)); }

  Domain& domain_;
  Exchange& exchange_;
  int which_ = 0;
};

/// What all of this is compared with.
template <typename Kernel>
void run_serial(std::vector<double>& plane, int rows, int columns, int steps) {
  std::vector<double> states[2];
  for (auto& state : states) state.resize(static_cast<std::size_t>(rows + 2) * static_cast<std::size_t>(columns + 2));
  const auto tile = [&](int which) { return Tile<double>{states[which].data(), rows, columns}; };
  for (int i = 0; i < rows; ++i) std::copy_n(plane.begin() + std::ptrdiff_t{i} * columns, columns, &tile(0).at(i, 0));
  int which = 0;
  for (int step = 0; step < steps; ++step) {
    const Tile<double> old = tile(which);
    for (int i = -1; i <= rows; ++i) {
      for (int j = -1; j <= columns; ++j) old.at(i, j) = old.at((i + rows) % rows, (j + columns) % columns);
    }
    update(Kernel{}, Tile<const double>{old.cells, rows, columns}, tile(1 - which), 0, rows, 0, columns);
    which = 1 - which;
  }
  for (int i = 0; i < rows; ++i)
    std::copy_n(&tile(which).at(i, 0), columns, plane.begin() + std::ptrdiff_t{i} * columns);
}

}  // namespace stencil

#endif
