#include "collectives/halo/shape.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>

#include "tests/support/cases/halo_case.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rondo::internal::halo::shape_test {
namespace {

using Places = std::vector<std::int64_t>;

/// First bytes of the elements of a layout of elements of one byte.
Places places(const Layout& layout) {
  Places all;
  layout.for_each_piece([&](std::int64_t offset, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; ++i) all.push_back(offset + i);
  });
  return all;
}

Places places(const Shape& shape, const Zone& zone) {
  Layout layout;
  shape.append(zone, layout);
  EXPECT_EQ(shape.count(zone), std::ssize(places(layout)));
  return places(layout);
}

Places places_for(const Shape& shape, const Zone& zone, const std::vector<int>& step) {
  Layout layout;
  shape.append_for_neighbor(zone, step, layout);
  return places(layout);
}

Shape shape_of(std::vector<Axis> axes, Stencil stencil = Stencil::box, StorageOrder order = StorageOrder::row_major,
               const Layout& element = element_of(1)) {
  return {std::move(axes), stencil, order, std::make_shared<const Layout>(element)};
}

// Three rows of three inside, one row above, two below, two columns to the left, one to the right: rows of six.
const std::vector<Axis> kMatrix{{3, 1, 2}, {3, 2, 1}};

TEST(HaloShape, RowsWithGaps) {
  // Of kMatrix below, in rows of ten, every second element of which is the matrix's.
  const Shape shape({{3, 1, 2}, {3, 2, 1}}, Stencil::box, StorageOrder::row_major,
                    std::make_shared<const Layout>(element_of(1)), {20, 2});
  EXPECT_EQ(places(shape, {kLow, kInside}), (Places{4, 6, 8}));
  EXPECT_EQ(places(shape, {kInside, kLow}), (Places{20, 22, 40, 42, 60, 62}));
  EXPECT_EQ(places_for(shape, {kHigh, kLow}, {1, -1}), (Places{26, 28, 46, 48}));
  const Shape whole = shape.without_halo();
  EXPECT_EQ(whole[0].inside, 6);
  EXPECT_EQ(whole[1].low, 0);
  EXPECT_EQ(whole.count({kInside, kInside}), 36);
  EXPECT_EQ(places(whole, {kInside, kInside}).back(), 110);
}

TEST(HaloShape, FacesAndCornersOfABox) {
  const Shape shape = shape_of(kMatrix);
  EXPECT_EQ(shape.stride(0), 6);
  EXPECT_EQ(places(shape, {kLow, kInside}), (Places{2, 3, 4}));
  EXPECT_EQ(places(shape, {kHigh, kInside}), (Places{26, 27, 28, 32, 33, 34}));
  EXPECT_EQ(places(shape, {kInside, kLow}), (Places{6, 7, 12, 13, 18, 19}));
  EXPECT_EQ(places(shape, {kInside, kHigh}), (Places{11, 17, 23}));
  EXPECT_EQ(places(shape, {kHigh, kLow}), (Places{24, 25, 30, 31}));
  // What the neighbors have there: the one below (step 1, 0) its upper rows, the one on the left its last columns.
  EXPECT_EQ(places_for(shape, {kHigh, kInside}, {1, 0}), (Places{8, 9, 10, 14, 15, 16}));
  EXPECT_EQ(places_for(shape, {kInside, kLow}, {0, -1}), (Places{9, 10, 15, 16, 21, 22}));
  EXPECT_EQ(places_for(shape, {kHigh, kLow}, {1, -1}), (Places{9, 10, 15, 16}));
}

TEST(HaloShape, WholeSlabsAreOnePiece) {
  const Shape shape = shape_of(kMatrix);
  Layout layout;
  shape.append({kHigh, kAnywhere}, layout);
  EXPECT_TRUE(layout.is_contiguous());
  EXPECT_EQ(layout.true_begin(), 24);
  EXPECT_EQ(layout.size(), 12);
  Layout from;
  shape.append_for_neighbor({kHigh, kAnywhere}, std::vector{1, 0}, from);
  EXPECT_TRUE(from.is_contiguous());
  EXPECT_EQ(from.true_begin(), 6);
}

TEST(HaloShape, BothSidesWithoutTheInside) {
  const Shape shape = shape_of(kMatrix);
  EXPECT_EQ(places(shape, {kLow | kHigh, kHigh}), (Places{5, 29, 35}));
  EXPECT_EQ(places(shape, {kLow, kLow | kHigh}), (Places{0, 1, 5}));
}

TEST(HaloShape, ColumnMajor) {
  const Shape shape = shape_of({{3, 1, 0}, {2, 0, 1}}, Stencil::box, StorageOrder::column_major);
  EXPECT_EQ(shape.stride(0), 1);
  EXPECT_EQ(shape.stride(1), 4);
  EXPECT_EQ(places(shape, {kLow, kInside}), (Places{0, 4}));
  EXPECT_EQ(places(shape, {kInside, kHigh}), (Places{9, 10, 11}));
}

TEST(HaloShape, CornersOfAStarAreTriangles) {
  for (int k = 1; k <= 10; ++k) {
    const Shape shape = shape_of({{20, k, k}, {20, k, k}}, Stencil::star);
    for (const Sides vertical : {kLow, kHigh}) {
      for (const Sides horizontal : {kLow, kHigh}) EXPECT_EQ(shape.count({vertical, horizontal}), k * (k - 1) / 2);
      EXPECT_EQ(shape.count({vertical, kInside}), 20 * k);
    }
  }
  // The outermost row of depth 3 has no corner, the next one element, the one at the border two.
  const Shape shape = shape_of({{3, 3, 0}, {3, 3, 0}}, Stencil::star);
  EXPECT_EQ(places(shape, {kLow, kLow}), (Places{8, 13, 14}));
  EXPECT_EQ(places(shape, {kLow, kAnywhere}), (Places{3, 4, 5, 8, 9, 10, 11, 13, 14, 15, 16, 17}));
  EXPECT_EQ(places_for(shape, {kLow, kLow}, {-1, -1}), (Places{8 + 21, 13 + 21, 14 + 21}));
}

TEST(HaloShape, StarsOfDifferentDepths) {
  // Excesses e and f with e/4 + f/2 <= 1: (1,1) and (2,1).
  const Shape shape = shape_of({{5, 4, 0}, {5, 0, 2}}, Stencil::star);
  EXPECT_EQ(places(shape, {kLow, kHigh}), (Places{2 * 7 + 5, 3 * 7 + 5}));
  // In three dimensions of depth 3: those with e + f + g <= 3.
  EXPECT_EQ(shape_of({{5, 3, 3}, {5, 3, 3}, {5, 3, 3}}, Stencil::star).count({kLow, kHigh, kLow}), 1);
}

TEST(HaloShape, LongTrianglesStayShort) {
  const Shape shape = shape_of({{500, 100, 0}, {500, 100, 0}}, Stencil::star);
  Layout layout;
  shape.append({kLow, kLow}, layout);
  EXPECT_EQ(layout.size(), 100 * 99 / 2);
  EXPECT_EQ(layout.items().size(), 1U);
}

TEST(HaloShape, ElementsWithGaps) {
  const Shape shape = shape_of({{2, 1, 0}, {2, 0, 0}}, Stencil::box, StorageOrder::row_major, element_with_gaps());
  EXPECT_EQ(shape.stride(0), 14);
  Layout layout;
  shape.append({kLow, kInside}, layout);
  EXPECT_EQ(places(layout), (Places{1, 2, 4, 8, 9, 11}));
}

TEST(HaloShape, EmptyZones) {
  const Shape shape = shape_of({{3, 0, 1}, {0, 1, 1}});
  EXPECT_EQ(places(shape, {kLow, kInside}), Places{});
  EXPECT_EQ(places(shape, {kHigh, kInside}), Places{});
  EXPECT_EQ(places(shape, {kInside, kLow}), (Places{0, 2, 4}));
}

TEST(HaloShape, RefusesWhatCannotBeCounted) {
  const auto refused = [](std::vector<Axis> axes, Stencil stencil) -> std::string {
    try {
      shape_of(std::move(axes), stencil, StorageOrder::row_major, element_of(8));
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_ARG);
      return error.what();
    }
    return {};
  };
  constexpr int kMany = std::numeric_limits<int>::max();
  EXPECT_NE(refused({{kMany, 0, 0}, {kMany, 0, 0}, {4, 0, 0}}, Stencil::box).find("more bytes"), std::string::npos);
  const std::vector<Axis> primes{{1, 1000003, 999983}, {1, 999979, 999961}};
  EXPECT_NE(refused(primes, Stencil::star).find("common multiple"), std::string::npos);
}

}  // namespace
}  // namespace rondo::internal::halo::shape_test
