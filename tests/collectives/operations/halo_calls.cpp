// Blocking and nonblocking halo exchanges under mpirun.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/agreement/halo_agreement.hpp"
#include "tests/support/distributed_array.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rondo::internal::halo_calls_test {
namespace {

using namespace halo_test;

/// Each form, made again and again: first made, then from the pool, then recognized.
void expect_exchanged_by_calls(const Distribution& distribution, const Options& how) {
  const auto d = static_cast<int>(distribution.grid.size());
  Options local = how;
  local.assert_isomorphic = true;
  const CartComm grid = grid_of(distribution).with_neighborhood(Neighborhood(d), local);
  const Part part(distribution, grid.coordinates());
  std::vector<double> values(static_cast<std::size_t>(part.elements()));
  const HaloArray array = HaloArray::of<double>(values, part.sizes(), distribution.depths, distribution.order);
  for (int repetition = 1; repetition <= 8; ++repetition) {
    for (int i = 0; i < part.elements(); ++i)
      values[static_cast<std::size_t>(i)] = part.value(i, false, repetition, -1);
    if (repetition % 2 == 0) {
      halo_exchange(grid, array, distribution.stencil);
    } else {
      Request halo = ihalo_exchange(grid, array, distribution.stencil);
      halo.wait();
    }
    for (int i = 0; i < part.elements(); ++i) {
      ASSERT_EQ(values[static_cast<std::size_t>(i)], part.value(i, true, repetition, -1))
          << "element " << i << ", repetition " << repetition;
    }
  }
}

TEST(HaloCalls, BlockingAndNonblocking) {
  const auto uneven = [](int k, int coordinate) { return 4 + (k + 2 * coordinate) % 3; };
  for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
    for_each_periods(2, 2, [&](const std::vector<int>& periods) {
      for (const Stencil stencil : {Stencil::box, Stencil::star}) {
        for (const Variant& variant : kVariants) {
          if (HasFatalFailure()) return;
          expect_exchanged_by_calls({.grid = balanced(2),
                                     .periods = periods,
                                     .depths = {{4, 1}, {0, 3}},
                                     .stencil = stencil,
                                     .order = order,
                                     .inside = uneven},
                                    options(variant));
        }
      }
    });
  }
}

/// Ranks with very different arrays choose the same algorithm, though nobody tells them of the others.
TEST(HaloCalls, CallsWithArraysOfVeryDifferentSizes) {
  expect_exchanged_by_calls({.grid = balanced(2),
                             .periods = {1, 1},
                             .depths = {{4, 4}, {4, 4}},
                             .inside = [](int, int coordinate) { return coordinate == 0 ? 4 : 300; }},
                            {});
  expect_exchanged_by_calls({.grid = balanced(3),
                             .periods = {1, 0, 1},
                             .depths = {{1, 1}, {1, 1}, {1, 1}},
                             .inside = [](int, int coordinate) { return coordinate == 0 ? 1 : 30; }},
                            {});
}

TEST(HaloCalls, WhatRanksAssumeOfEachOther) {
  const std::array sizes{2, 3, 1};
  const Grid grid(sizes, 0);
  const auto byte = std::make_shared<const Layout>(Layout::contiguous(1));
  const auto assumed = [&](std::int64_t first, std::int64_t second) {
    auto own = std::make_shared<const halo::Shape>(
        std::vector<halo::Axis>{{first, 1, 2}, {second, 3, 3}, {7, 0, 0}, {5, 0, 0}}, Stencil::star,
        StorageOrder::column_major, byte);
    auto other =
        std::make_shared<const halo::Shape>(std::vector<halo::Axis>{{second, 900, 0}, {first, 0, 0}, {2, 0, 0}},
                                            Stencil::star, StorageOrder::row_major, byte);
    return assumed_arrays(grid, halo::Bundle(3, {{std::move(own), 0}, {std::move(other), 77}}));
  };
  for (const auto& bundle : {assumed(2, 3), assumed(900, 4000)}) {
    ASSERT_EQ(bundle->arrays().size(), 2U);
    const halo::Shape& shape = *bundle->arrays()[0].shape;
    EXPECT_EQ(shape[0].inside, 512);
    EXPECT_EQ(shape[1].inside, 512);
    EXPECT_EQ(shape[2].inside, 7);  // along which there is one place, and so one size
    EXPECT_EQ(shape[3].inside, 5);
    EXPECT_EQ(shape[0].high, 2);
    EXPECT_EQ(shape.stencil(), Stencil::star);
    EXPECT_EQ(shape.order(), StorageOrder::column_major);
    EXPECT_EQ((*bundle->arrays()[1].shape)[0].inside, 900);
  }
}

/// Of one schedule, on several arrays.
TEST(HaloCalls, SeveralCallsInFlight) {
  const Distribution distribution{.grid = balanced(2), .periods = {1, 1}, .depths = {{1, 1}, {2, 2}}};
  const CartComm& grid = grid_of(distribution);
  const Part part(distribution, grid.coordinates());
  std::vector<std::vector<double>> arrays(4, std::vector<double>(static_cast<std::size_t>(part.elements())));
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::vector<Request> halos;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      for (int i = 0; i < part.elements(); ++i)
        arrays[a][static_cast<std::size_t>(i)] = part.value(i, false, 10 * repetition + static_cast<int>(a), -1);
      halos.push_back(ihalo_exchange(grid, HaloArray::of<double>(arrays[a], part.sizes(), distribution.depths)));
    }
    wait_all(halos);
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      for (int i = 0; i < part.elements(); ++i) {
        ASSERT_EQ(arrays[a][static_cast<std::size_t>(i)],
                  part.value(i, true, 10 * repetition + static_cast<int>(a), -1));
      }
    }
  }
}

/// The others return from the call before rank 0 makes it: it would wait for them for ever otherwise.
TEST(HaloCalls, ANonblockingCallWaitsForNobody) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> values(36);
  const HaloArray array = HaloArray::of<double>(values, {6, 6}, 1);
  Request halo;
  if (grid.rank() == 0) {
    for (int rank = 1; rank < grid.size(); ++rank)
      MPI_Recv(nullptr, 0, MPI_INT, rank, 0, grid.native(), MPI_STATUS_IGNORE);
    halo = ihalo_exchange(grid, array);
  } else {
    halo = ihalo_exchange(grid, array);
    MPI_Send(nullptr, 0, MPI_INT, 0, 0, grid.native());
  }
  halo.wait();
}

/// Two ints of twelve, of which the second lies at another place each time; datatypes are freed, so that handles come
/// back.
TEST(HaloCalls, ADatatypeThatGotAFreedOnesHandleIsAnother) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  CartComm ring(MPI_COMM_WORLD, {p}, Neighborhood(1));
  const int left = (ring.rank() + p - 1) % p;
  const int right = (ring.rank() + 1) % p;
  constexpr int kWide = 12;
  constexpr int kCells = 5;
  const auto value = [](int rank, int cell, int k) { return rank * 10000 + cell * 100 + k; };
  std::vector<int> values(static_cast<std::size_t>(kWide) * kCells);
  for (int round = 0; round < 20; ++round) {
    const int second = 1 + round % 3;
    MPI_Datatype plain = MPI_DATATYPE_NULL;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, second, MPI_INT, &plain);
    MPI_Type_create_resized(plain, 0, kWide * sizeof(int), &element);
    MPI_Type_free(&plain);
    MPI_Type_commit(&element);
    for (int repetition = 0; repetition < 4; ++repetition) {
      for (int i = 0; i < kWide * kCells; ++i) {
        const int cell = i / kWide;
        values[static_cast<std::size_t>(i)] =
            cell == 0 || cell == kCells - 1 ? -1 : value(ring.rank(), cell, i % kWide);
      }
      Request halo = ihalo_exchange(ring, {values.data(), kCells, element, {kCells}, {{1, 1}}});
      if (repetition == 3) MPI_Type_free(&element);
      halo.wait();
      for (int k = 0; k < kWide; ++k) {
        const bool moved = k == 0 || k == second;
        ASSERT_EQ(values[static_cast<std::size_t>(k)], moved ? value(left, kCells - 2, k) : -1)
            << round << ", int " << k;
        ASSERT_EQ(values[static_cast<std::size_t>((kCells - 1) * kWide + k)], moved ? value(right, 1, k) : -1)
            << round << ", int " << k;
      }
    }
  }
}

/// More calls than are remembered, in C, with lists whose contents change in place.
TEST(HaloCalls, CallsWhoseArgumentsChange) {
  const std::vector<int> grid_sizes = balanced(2);
  const Distribution first{.grid = grid_sizes, .periods = {1, 1}, .depths = {}};
  const CartComm& grid = grid_of(first);
  std::vector<double> values(400);
  std::array<int, 2> sizes{};
  std::array<int, 2> low{};
  std::array<int, 2> high{};
  for (int repetition = 0; repetition < 4; ++repetition) {
    for (int shape = 0; shape < 12; ++shape) {
      const int stencil = shape % 2 == 0 ? RONDO_STENCIL_BOX : RONDO_STENCIL_STAR;
      const int order = shape % 3 == 0 ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
      const Distribution distribution{.grid = grid_sizes,
                                      .periods = {1, 1},
                                      .depths = {{1 + shape % 2, 1}, {2, 1 + shape / 6}},
                                      .stencil = shape % 2 == 0 ? Stencil::box : Stencil::star,
                                      .order = shape % 3 == 0 ? StorageOrder::column_major : StorageOrder::row_major,
                                      .inside = [shape](int k, int) { return 4 + (shape + k) % 5; }};
      const Part part(distribution, grid.coordinates());
      for (std::size_t k = 0; k < 2; ++k) {
        sizes[k] = part.sizes()[k];
        low[k] = distribution.depths[k].low;
        high[k] = distribution.depths[k].high;
      }
      const auto number = static_cast<std::size_t>(part.elements());
      for (std::size_t i = 0; i < number; ++i) values[i] = part.value(static_cast<int>(i), false, repetition, -1);
      if (repetition % 2 == 0) {
        ASSERT_EQ(Rondo_Halo_exchange(values.data(), 2, sizes.data(), nullptr, low.data(), high.data(), order,
                                      MPI_DOUBLE, stencil, grid.native()),
                  MPI_SUCCESS);
      } else {
        Rondo_Request request = RONDO_REQUEST_NULL;
        ASSERT_EQ(Rondo_Ihalo_exchange(values.data(), 2, sizes.data(), nullptr, low.data(), high.data(), order,
                                       MPI_DOUBLE, stencil, grid.native(), &request),
                  MPI_SUCCESS);
        ASSERT_EQ(Rondo_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      }
      for (std::size_t i = 0; i < number; ++i)
        ASSERT_EQ(values[i], part.value(static_cast<int>(i), true, repetition, -1)) << shape << ", element " << i;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::halo_calls_test
