/// @file
/// Distributed arrays whose every element is compared with the whole array, given by a formula: for halo exchanges.
#ifndef RONDO_TESTS_SUPPORT_DISTRIBUTED_ARRAY_HPP
#define RONDO_TESTS_SUPPORT_DISTRIBUTED_ARRAY_HPP

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/mpi_grid.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rondo::internal::halo_test {

/// A distributed array: blocks of `inside(k, coordinate)` elements along dimension k.
struct Distribution {
  std::vector<int> grid;
  std::vector<int> periods;
  std::vector<HaloDepth> depths;
  Stencil stencil = Stencil::box;
  StorageOrder order = StorageOrder::row_major;
  std::function<int(int k, int coordinate)> inside = [](int, int) { return 5; };
};

/// The part of one process, element by element.
class Part {
 public:
  Part(const Distribution& of, const std::vector<int>& coordinates) : of_(of), d_(of.grid.size()) {
    for (std::size_t k = 0; k < of.depths.size(); ++k) {
      const int coordinate = k < d_ ? coordinates[k] : 0;
      const int inside = of.inside(static_cast<int>(k), coordinate);
      int before = 0;
      int all = 0;
      for (int c = 0; c < (k < d_ ? of.grid[k] : 1); ++c) {
        if (c < coordinate) before += of.inside(static_cast<int>(k), c);
        all += of.inside(static_cast<int>(k), c);
      }
      inside_.push_back(inside);
      begin_.push_back(before);
      whole_.push_back(all);
      sizes_.push_back(of.depths[k].low + inside + of.depths[k].high);
      elements_ *= sizes_.back();
    }
  }

  [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
  [[nodiscard]] int elements() const { return elements_; }

  /// What element number i in memory must be after an exchange: a number that tells its place in the whole array and
  /// the repetition, or `untouched`. Before it, what is inside is the same, and all else `untouched`.
  [[nodiscard]] double value(int i, bool exchanged, int repetition, double untouched) const {
    double hash = repetition;
    double excesses = 0;
    bool outside = false;
    for (std::size_t n = 0; n < sizes_.size(); ++n) {
      const std::size_t k = of_.order == StorageOrder::row_major ? sizes_.size() - 1 - n : n;
      const int index = i % sizes_[k];
      i /= sizes_[k];
      const auto [low, high] = of_.depths[k];
      int global = begin_[k] + index - low;
      if (index < low) excesses += static_cast<double>(low - index) / low;
      if (index >= low + inside_[k]) excesses += static_cast<double>(index - low - inside_[k] + 1) / high;
      outside = outside || index < low || index >= low + inside_[k];
      if (global < 0 || global >= whole_[k]) {
        if (of_.periods[k] == 0) return untouched;
        global = (global + whole_[k]) % whole_[k];
      }
      hash = hash * 1009 + global;
    }
    if (outside && (!exchanged || (of_.stencil == Stencil::star && excesses > 1 + 1e-9))) return untouched;
    return hash;
  }

 private:
  const Distribution& of_;
  std::size_t d_;
  std::vector<int> inside_;
  std::vector<int> begin_;
  std::vector<int> whole_;
  std::vector<int> sizes_;
  int elements_ = 1;
};

struct Variant {
  const char* algorithm;
  const char* schedule = "dependencies";
  const char* messages = "auto";
};
inline constexpr Variant kVariants[] = {{"auto"},
                                        {"direct"},
                                        {"coalesced"},
                                        {"combining"},
                                        {"joined"},
                                        {"combining", "phases"},
                                        {"joined", "phases"},
                                        {"direct", "dependencies", "datatype"},
                                        {"combining", "dependencies", "datatype"},
                                        {"joined", "dependencies", "staged"}};

[[nodiscard]] inline Options options(const Variant& variant) {
  Options result;
  result.algorithm = algorithm_from(variant.algorithm);
  result.schedule = ordering_from(variant.schedule);
  result.messages = message_form_from(variant.messages);
  return result;
}

/// The grid of a distribution, shared with the cases before as long as it is the same: MPICH takes long to make one
/// where ranks share cores.
[[nodiscard]] inline const CartComm& grid_of(const Distribution& distribution) {
  struct Made {
    std::vector<int> sizes;
    std::vector<int> periods;
    CartComm comm;
  };
  static std::optional<Made> last;
  if (!last || last->sizes != distribution.grid || last->periods != distribution.periods) {
    last.reset();
    last.emplace(Made{
        distribution.grid, distribution.periods,
        CartComm(MPI_COMM_WORLD, distribution.grid, std::span(distribution.periods).first(distribution.grid.size()),
                 Neighborhood(static_cast<int>(distribution.grid.size())))});
  }
  return last->comm;
}

/// By a persistent operation, three times. `running`: the algorithm that must be chosen, where it is known.
inline void expect_exchanged(const Distribution& distribution, const Variant& variant, std::string_view running = {}) {
  const CartComm& grid = grid_of(distribution);
  const Part part(distribution, grid.coordinates());
  std::vector<double> array(static_cast<std::size_t>(part.elements()));
  Request halo = halo_init(grid, HaloArray::of<double>(array, part.sizes(), distribution.depths, distribution.order),
                           distribution.stencil, options(variant));
  if (!running.empty()) {
    EXPECT_EQ(halo.algorithm(), running);
  }
  for (int repetition = 1; repetition <= 3; ++repetition) {
    for (int i = 0; i < part.elements(); ++i) array[static_cast<std::size_t>(i)] = part.value(i, false, repetition, -1);
    halo.start();
    halo.wait();
    for (int i = 0; i < part.elements(); ++i) {
      ASSERT_EQ(array[static_cast<std::size_t>(i)], part.value(i, true, repetition, -1))
          << halo.algorithm() << ", " << variant.schedule << ", element " << i << ", repetition " << repetition;
    }
  }
}

/// Calls visit(periods) for each mix of `grid_dimensions` dimensions; further ones are not periodic.
template <typename Visit>
void for_each_periods(std::size_t grid_dimensions, std::size_t dimensions, Visit visit) {
  for (unsigned mask = 0; mask < 1U << grid_dimensions; ++mask) {
    std::vector<int> periods(dimensions);
    for (std::size_t k = 0; k < grid_dimensions; ++k) periods[k] = mask >> k & 1U ? 1 : 0;
    visit(periods);
  }
}

}  // namespace rondo::internal::halo_test

#endif
