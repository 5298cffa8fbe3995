// Halo exchanges under mpirun in arrays whose elements have gaps between them.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/distributed_array.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::halo_strides_test {
namespace {

using namespace halo_test;

/// Memory that an array with strides lies in, with what its elements do not cover.
class Strided {
 public:
  Strided(const Distribution& distribution, const Part& part, std::vector<MPI_Aint> strides)
      : distribution_(distribution), part_(part), strides_(std::move(strides)) {
    MPI_Aint last = 0;
    for (std::size_t k = 0; k < strides_.size(); ++k) last += (part.sizes()[k] - 1) * strides_[k];
    memory.resize(static_cast<std::size_t>(last) + 1 + kBehind);
  }
  void fill(int repetition) {
    std::ranges::fill(memory, kGap);
    for (int i = 0; i < part_.elements(); ++i) memory[place(i)] = part_.value(i, false, repetition, kUntouched);
  }
  void expect(int repetition, const std::string& what) {
    for (int i = 0; i < part_.elements(); ++i) {
      ASSERT_EQ(memory[place(i)], part_.value(i, true, repetition, kUntouched)) << what << ", element " << i;
      memory[place(i)] = kGap;
    }
    for (std::size_t i = 0; i < memory.size(); ++i) ASSERT_EQ(memory[i], kGap) << what << ", gap at " << i;
  }
  [[nodiscard]] HaloArray array() {
    return HaloArray::of<double>(memory, part_.sizes(), distribution_.depths, distribution_.order).strided(strides_);
  }

  std::vector<double> memory;

 private:
  static constexpr double kUntouched = -1;
  static constexpr double kGap = -7;
  static constexpr std::size_t kBehind = 3;

  [[nodiscard]] std::size_t place(int i) const {
    MPI_Aint at = 0;
    for (std::size_t n = 0; n < strides_.size(); ++n) {
      const std::size_t k = distribution_.order == StorageOrder::row_major ? strides_.size() - 1 - n : n;
      at += i % part_.sizes()[k] * strides_[k];
      i /= part_.sizes()[k];
    }
    return static_cast<std::size_t>(at);
  }

  const Distribution& distribution_;
  const Part& part_;
  std::vector<MPI_Aint> strides_;
};

TEST(HaloStrides, PaddedRows) {
  for (const std::size_t d : {2U, 3U}) {
    for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
      for (const Variant& variant : kVariants) {
        const Distribution distribution{.grid = balanced(static_cast<int>(d)),
                                        .periods = std::vector<int>(d, 1),
                                        .depths = std::vector<HaloDepth>(d, {1, 2}),
                                        .order = order,
                                        .inside = [](int k, int) { return 4 + k; }};
        const CartComm& grid = grid_of(distribution);
        const Part part(distribution, grid.coordinates());
        // Rows and planes that are one element longer than the sizes, and as many as the rank's number.
        std::vector<MPI_Aint> strides(d);
        MPI_Aint stride = 1;
        for (std::size_t n = 0; n < d; ++n) {
          const std::size_t k = order == StorageOrder::row_major ? d - 1 - n : n;
          strides[k] = stride;
          stride *= part.sizes()[k] + 1 + grid.rank();
        }
        Strided strided(distribution, part, strides);
        Request halo = halo_init(grid, strided.array(), distribution.stencil, options(variant));
        for (int repetition = 1; repetition <= 2; ++repetition) {
          strided.fill(repetition);
          halo.start();
          halo.wait();
          strided.expect(repetition, halo.algorithm());
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Arrays by chance, with strides that are each rank's own, in all forms.
TEST(HaloStrides, RandomStrides) {
  const int rank = grid_of({.grid = balanced(1), .periods = {1}, .depths = {}}).rank();
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 common(seed);
    std::mt19937 own(1000 * seed + static_cast<unsigned>(rank));
    const auto draw = [](std::mt19937& from, unsigned below) { return static_cast<int>(from() % below); };
    // Few grids, one after the other, as MPICH takes long to make one.
    const std::size_t dimensions = 1 + seed / 20;
    const std::size_t distributed = seed % 20 < 5 ? 1 : dimensions;
    Distribution distribution{.grid = balanced(static_cast<int>(distributed)),
                              .periods = std::vector<int>(dimensions),
                              .depths = std::vector<HaloDepth>(dimensions)};
    for (std::size_t k = 0; k < distributed; ++k) {
      distribution.periods[k] = k == 0 ? 1 : 0;
      distribution.depths[k] = {draw(common, 3), draw(common, 4)};
    }
    distribution.stencil = draw(common, 2) == 0 ? Stencil::box : Stencil::star;
    distribution.order = draw(common, 2) == 0 ? StorageOrder::row_major : StorageOrder::column_major;
    distribution.inside = [a = draw(common, 3), b = draw(common, 3)](int k, int coordinate) {
      return 3 + (a * k + b * coordinate) % 3;
    };
    const Variant& variant = kVariants[common() % std::size(kVariants)];
    const int form = draw(common, 3);
    const CartComm& grid = grid_of(distribution);
    const Part part(distribution, grid.coordinates());
    std::vector<std::size_t> axes(dimensions);
    std::iota(axes.begin(), axes.end(), 0);
    std::ranges::shuffle(axes, own);
    std::vector<MPI_Aint> strides(dimensions);
    MPI_Aint reach = 1;
    for (const std::size_t k : axes) {
      strides[k] = reach + draw(own, 4);
      reach += (part.sizes()[k] - 1) * strides[k];
    }
    Strided strided(distribution, part, strides);
    Request halo;
    if (form == 0) {
      if (seed % 4 == 0) setenv("RONDO_CHECK", "1", 1);
      halo = halo_init(grid, strided.array(), distribution.stencil, options(variant));
      unsetenv("RONDO_CHECK");
    }
    for (int repetition = 1; repetition <= 4; ++repetition) {
      strided.fill(repetition);
      if (form == 0) halo.start();
      if (form == 1) halo = ihalo_exchange(grid, strided.array(), distribution.stencil);
      if (form == 2) halo_exchange(grid, strided.array(), distribution.stencil);
      halo.wait();
      strided.expect(repetition, "seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::halo_strides_test
