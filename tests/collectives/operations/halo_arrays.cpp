// Halo exchanges under mpirun of several arrays together.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/distributed_array.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal::halo_arrays_test {
namespace {

using namespace halo_test;

/// Values of a number type that another cannot tell from a double up to 2^24.
template <typename T>
class Field {
 public:
  Field(Distribution distribution, const CartComm& grid)
      : distribution_(std::move(distribution)), part_(distribution_, grid.coordinates()) {
    distribution_.stencil = Stencil::box;
    values_.resize(static_cast<std::size_t>(part_.elements()));
  }
  void fill(int repetition) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = wanted(i, false, repetition);
  }
  void expect(int repetition, const std::string& what) const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      ASSERT_EQ(values_[i], wanted(i, true, repetition)) << what << ", element " << i;
  }
  [[nodiscard]] HaloArray array() {
    return HaloArray::of<T>(values_, part_.sizes(), distribution_.depths, distribution_.order);
  }

 private:
  [[nodiscard]] T wanted(std::size_t i, bool exchanged, int repetition) const {
    const double value = part_.value(static_cast<int>(i), exchanged, repetition, -1);
    return static_cast<T>(static_cast<std::int64_t>(value) % 251);
  }

  Distribution distribution_;
  Part part_;
  std::vector<T> values_;
};

/// Arrays that have nothing in common but the grid, in all forms and algorithms.
TEST(HaloArrays, SeveralArrays) {
  const auto uneven = [](int k, int coordinate) { return 4 + (k + 2 * coordinate) % 3; };
  for_each_periods(2, 2, [&](const std::vector<int>& periods) {
    const std::vector<int> sizes = balanced(2);
    const auto open_behind = [&] {
      std::vector<int> longer = periods;
      longer.push_back(0);
      return longer;
    };
    for (const Variant& variant : kVariants) {
      Options how = options(variant);
      how.assert_isomorphic = true;
      const Distribution first{.grid = sizes, .periods = periods, .depths = {{2, 1}, {0, 3}}, .inside = uneven};
      const CartComm grid = grid_of(first).with_neighborhood(Neighborhood(2), how);
      Field<double> doubles(first, grid);
      Field<std::int16_t> shorts({.grid = sizes,
                                  .periods = open_behind(),
                                  .depths = {{0, 0}, {1, 4}, {0, 0}},
                                  .order = StorageOrder::column_major},
                                 grid);
      Field<float> floats({.grid = sizes, .periods = periods, .depths = {{1, 1}, {1, 1}}}, grid);
      const std::array arrays{doubles.array(), shorts.array(), floats.array()};
      Request persistent = halo_init(grid, {arrays[0], arrays[1], arrays[2]});
      for (int repetition = 1; repetition <= 9; ++repetition) {
        doubles.fill(repetition);
        shorts.fill(repetition + 1);
        floats.fill(repetition + 2);
        Request halo;
        if (repetition % 3 == 0) persistent.start();
        if (repetition == 1) halo_exchange(grid, {arrays[0], arrays[1], arrays[2]});
        if (repetition == 2) halo = ihalo_exchange(grid, {arrays[0], arrays[1], arrays[2]});
        if (repetition > 3 && repetition % 3 == 1) halo_exchange(grid, arrays);
        if (repetition > 3 && repetition % 3 == 2) halo = ihalo_exchange(grid, arrays);
        halo.wait();
        persistent.wait();
        doubles.expect(repetition, persistent.algorithm());
        shorts.expect(repetition + 1, persistent.algorithm());
        floats.expect(repetition + 2, persistent.algorithm());
        if (HasFatalFailure()) return;
      }
    }
  });
}

TEST(HaloArrays, SeveralArraysTakeTheMessagesOfOne) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> one(100);
  std::vector<int> two(144);
  const std::array arrays{HaloArray::of<double>(one, {10, 10}, 2), HaloArray::of<int>(two, {12, 12}, 1)};
  for (const Variant& variant : kVariants) {
    if (std::string_view(variant.algorithm) == "auto") continue;
    const auto sends = [](const Request& request) {
      const std::string graph = request.to_dot();
      std::size_t number = 0;
      for (std::size_t at = graph.find("send"); at != std::string::npos; at = graph.find("send", at + 1)) ++number;
      return number;
    };
    const Request alone = halo_init(grid, arrays[0], Stencil::box, options(variant));
    const Request together = halo_init(grid, arrays, Stencil::box, options(variant));
    EXPECT_EQ(together.algorithm(), alone.algorithm());
    EXPECT_EQ(sends(together), sends(alone)) << variant.algorithm;
    EXPECT_TRUE(grid.size() == 1 || sends(alone) > 0);
  }
}

/// Fields that lie between each other: every second element of one buffer, and the others.
TEST(HaloArrays, ArraysBetweenEachOther) {
  const Distribution distribution{.grid = balanced(2), .periods = {1, 1}, .depths = {{1, 2}, {1, 1}}};
  const CartComm& grid = grid_of(distribution);
  const Part part(distribution, grid.coordinates());
  const auto number = static_cast<std::size_t>(part.elements());
  std::vector<double> both(2 * number);
  const auto field = [&](std::size_t which) {
    return HaloArray::of<double>(std::span(both).subspan(which), part.sizes(), distribution.depths)
        .strided({2 * part.sizes()[1], 2});
  };
  const std::array arrays{field(1), field(0)};
  for (int repetition = 0; repetition < 3; ++repetition) {
    for (std::size_t i = 0; i < 2 * number; ++i)
      both[i] = part.value(static_cast<int>(i / 2), false, static_cast<int>(i % 2) + repetition, -1);
    halo_exchange(grid, arrays);
    for (std::size_t i = 0; i < 2 * number; ++i)
      ASSERT_EQ(both[i], part.value(static_cast<int>(i / 2), true, static_cast<int>(i % 2) + repetition, -1)) << i;
  }
}

TEST(HaloArrays, SeveralArraysFromC) {
  const Distribution distribution{.grid = balanced(2), .periods = {1, 1}, .depths = {{1, 2}, {1, 1}}};
  const CartComm& grid = grid_of(distribution);
  const Part part(distribution, grid.coordinates());
  const auto number = static_cast<std::size_t>(part.elements());
  const std::array low{1, 1};
  const std::array high{2, 1};
  std::vector<double> first(number);
  std::vector<double> second(number);
  const auto array_of = [&](std::vector<double>& values) {
    return Rondo_Halo_array{values.data(), 2,           part.sizes().data(), nullptr,
                            low.data(),    high.data(), MPI_ORDER_C,         MPI_DOUBLE};
  };
  const std::array arrays{array_of(first), array_of(second)};
  Rondo_Request persistent = RONDO_REQUEST_NULL;
  ASSERT_EQ(Rondo_Halos_init(2, arrays.data(), RONDO_STENCIL_BOX, grid.native(), MPI_INFO_NULL, &persistent),
            MPI_SUCCESS);
  for (int repetition = 0; repetition < 9; ++repetition) {
    for (std::size_t i = 0; i < number; ++i) {
      first[i] = part.value(static_cast<int>(i), false, repetition, -1);
      second[i] = part.value(static_cast<int>(i), false, repetition + 1, -1);
    }
    Rondo_Request request = RONDO_REQUEST_NULL;
    if (repetition % 3 == 0) {
      ASSERT_EQ(Rondo_Halos_exchange(2, arrays.data(), RONDO_STENCIL_BOX, grid.native()), MPI_SUCCESS);
    } else if (repetition % 3 == 1) {
      ASSERT_EQ(Rondo_Ihalos_exchange(2, arrays.data(), RONDO_STENCIL_BOX, grid.native(), &request), MPI_SUCCESS);
    } else {
      ASSERT_EQ(Rondo_Start(&persistent), MPI_SUCCESS);
    }
    ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(Rondo_Wait(&persistent, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (std::size_t i = 0; i < number; ++i) {
      ASSERT_EQ(first[i], part.value(static_cast<int>(i), true, repetition, -1)) << i;
      ASSERT_EQ(second[i], part.value(static_cast<int>(i), true, repetition + 1, -1)) << i;
    }
  }
  EXPECT_EQ(Rondo_Request_free(&persistent), MPI_SUCCESS);
}

}  // namespace
}  // namespace rondo::internal::halo_arrays_test
