// RONDO_CHECK=1: halos that do not fit each other are found before anything is sent, and what is right passes.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/communicators/neighborhood_context.hpp"
#include "collectives/halo/algorithms.hpp"
#include "collectives/operations/halo_exchange.hpp"
#include "collectives/proof/check_halo_at_init.hpp"
#include "tests/support/distributed_array.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::check_halo_at_init_test {
namespace {

using namespace halo_test;

class CheckHaloAtInit : public ::testing::Test {
 protected:
  void SetUp() override { setenv("RONDO_CHECK", "1", 1); }
  void TearDown() override { unsetenv("RONDO_CHECK"); }
};

TEST_F(CheckHaloAtInit, WhatIsRightPasses) {
  for (const Variant& variant : kVariants) {
    if (HasFatalFailure()) return;
    expect_exchanged({.grid = balanced(2), .periods = {1, 0}, .depths = {{2, 3}, {3, 1}}, .stencil = Stencil::star},
                     variant);
    expect_exchanged({.grid = balanced(3), .periods = {1, 0, 1}, .depths = {{1, 1}, {0, 2}, {1, 1}}}, variant);
  }
}

TEST_F(CheckHaloAtInit, Elements) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> array(64);
  const auto error_for = [&](MPI_Datatype element) -> std::string {
    try {
      static_cast<void>(halo_init(grid, {array.data(), -1, element, {4, 4}, {{1, 1}, {1, 1}}}));
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_TYPE);
      return error.what();
    }
    return {};
  };
  MPI_Datatype wide = MPI_DATATYPE_NULL;
  MPI_Datatype overlapping = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_DOUBLE, &wide);
  MPI_Type_create_resized(wide, 0, sizeof(double), &overlapping);
  MPI_Type_commit(&overlapping);
  EXPECT_NE(error_for(overlapping).find("RONDO_CHECK: element: two elements of rank 0 share 8 bytes"),
            std::string::npos);
  MPI_Type_free(&wide);
  MPI_Type_free(&overlapping);
  EXPECT_EQ(error_for(MPI_DOUBLE), "");
  if (grid.size() == 1) return;
  const std::string text = error_for(grid.rank() == grid.size() - 1 ? MPI_INT64_T : MPI_DOUBLE);
  EXPECT_NE(text.find("element: rank 0 has"), std::string::npos) << text;
  EXPECT_NE(text.find("MPI_DOUBLE"), std::string::npos) << text;
}

TEST_F(CheckHaloAtInit, SeveralArrays) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  std::vector<double> first(36);
  std::vector<std::int64_t> second(49);
  std::vector<double> third(49);
  const auto arrays = [&](bool odd) {
    return std::array{HaloArray::of<double>(first, {6, 6}, 2),
                      odd ? HaloArray::of<double>(third, {7, 7}, 1) : HaloArray::of<std::int64_t>(second, {7, 7}, 1)};
  };
  for (const char* algorithm : {"direct", "combining", "joined"}) {
    Options how;
    how.algorithm = algorithm_from(algorithm);
    Request halo = halo_init(grid, arrays(false), Stencil::star, how);
    halo.start();
    halo.wait();
  }
  if (grid.size() == 1) return;
  try {
    static_cast<void>(halo_init(grid, arrays(grid.rank() == 0)));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_TYPE);
    EXPECT_NE(std::string(error.what()).find("arrays[1].element: rank 0 has"), std::string::npos) << error.what();
  }
}

/// A lowering of ours that is wrong on one rank.
TEST_F(CheckHaloAtInit, AWrongSchedule) {
  CartComm grid(MPI_COMM_WORLD, balanced(2), Neighborhood(2));
  NeighborhoodContext& context = NeighborhoodContext::of(grid.native());
  const MPI_Comm comm = context.calls().on()->comm();
  const std::array sizes{5, 5};
  const std::array depths{1, 1};
  std::array<char, 25> array{};
  const HaloCallArray given{
      array.data(), 2, sizes.data(), nullptr, depths.data(), depths.data(), StorageOrder::row_major, MPI_CHAR};
  const HaloCall call{"test", {&given, 1}, Stencil::box, false};
  const auto arrays = check_halo_call(call, context.grid(), comm);
  const halo::Problem problem{context.grid(), *arrays, *arrays, context.calls().on()->costs(Medium::mpi)};
  const auto right = halo::choose(problem, "combining", Ordering::dependencies).schedule;
  EXPECT_NO_THROW(check_halo_at_init(*right, call, *arrays, context.grid(), comm));
  ScheduleParts parts = right->parts();
  if (grid.rank() == 0) parts.edges.clear();
  const Schedule wrong(std::move(parts));
  try {
    check_halo_at_init(wrong, call, *arrays, context.grid(), comm);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_INTERN);
    EXPECT_NE(std::string(error.what()).find("rank 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rondo::internal::check_halo_at_init_test
