// Halos of views in the manner of std::mdspan, which this compiler's library lacks: a look-alike of ours.
#include <gtest/gtest.h>
#include <rondo/halo.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace rondo::halo_views_test {
namespace {

template <typename T, std::size_t R>
class View {
 public:
  using element_type = T;
  View(T* data, std::array<std::int64_t, R> extents, std::array<std::int64_t, R> strides)
      : data_(data), extents_(extents), strides_(strides) {}
  static constexpr std::size_t rank() { return R; }
  [[nodiscard]] std::int64_t extent(std::size_t k) const { return extents_[k]; }
  [[nodiscard]] std::int64_t stride(std::size_t k) const { return strides_[k]; }
  [[nodiscard]] T* data_handle() const { return data_; }
  [[nodiscard]] T& operator()(const std::array<std::int64_t, R>& index) const {
    return data_[std::inner_product(index.begin(), index.end(), strides_.begin(), std::int64_t{0})];
  }

 private:
  T* data_;
  std::array<std::int64_t, R> extents_;
  std::array<std::int64_t, R> strides_;
};
static_assert(ArrayView<View<double, 2>>);
static_assert(!ArrayView<View<const double, 2>>, "a halo is written");
static_assert(!ArrayView<std::vector<double>>);

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kColumns = 6;
using Matrix = View<double, 2>;

/// On a torus of one column of processes: rows above and below are the neighbors', columns left and right its own.
void expect_exchanged(const Matrix& view, StorageOrder order) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  CartComm torus(MPI_COMM_WORLD, {p, 1}, Neighborhood(2));
  const auto value = [](int rank, std::int64_t row, std::int64_t column) {
    return static_cast<double>(rank * 1000 + row * 10 + column);
  };
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      const bool inside = i > 0 && i < kRows - 1 && j > 0 && j < kColumns - 1;
      view({i, j}) = inside ? value(torus.rank(), i, j) : -1;
    }
  }
  const HaloArray array = HaloArray::of(view, 1);
  EXPECT_EQ(array.order, order);
  EXPECT_EQ(array.sizes, (std::vector<int>{kRows, kColumns}));
  halo_exchange(torus, array);
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      const int up = i == 0 ? p - 1 : i == kRows - 1 ? 1 : 0;
      const std::int64_t row = i == 0 ? kRows - 2 : i == kRows - 1 ? 1 : i;
      const std::int64_t column = j == 0 ? kColumns - 2 : j == kColumns - 1 ? 1 : j;
      ASSERT_EQ(view({i, j}), value((torus.rank() + up) % p, row, column)) << i << ", " << j;
    }
  }
}

TEST(HaloViews, LayoutRight) {
  std::vector<double> values(kRows * kColumns);
  expect_exchanged(Matrix(values.data(), {kRows, kColumns}, {kColumns, 1}), StorageOrder::row_major);
}

TEST(HaloViews, LayoutLeft) {
  std::vector<double> values(kRows * kColumns);
  expect_exchanged(Matrix(values.data(), {kRows, kColumns}, {1, kRows}), StorageOrder::column_major);
}

/// Part of a larger matrix, and every second element of its rows.
TEST(HaloViews, LayoutStride) {
  std::vector<double> values(200, -7);
  expect_exchanged(Matrix(values.data() + 15, {kRows, kColumns}, {13, 2}), StorageOrder::row_major);
  EXPECT_EQ(values[14], -7);
  EXPECT_EQ(values[16], -7);
  expect_exchanged(Matrix(values.data() + 3, {kRows, kColumns}, {2, 11}), StorageOrder::column_major);
}

TEST(HaloViews, WhatIsTakenFromAView) {
  std::vector<int> values(24);
  const View<int, 3> view(values.data(), {2, 3, 4}, {12, 4, 1});
  const HaloArray array = HaloArray::of(view, {{1, 0}, {0, 1}, {0, 0}}, StorageOrder::column_major);
  EXPECT_EQ(array.data, values.data());
  EXPECT_EQ(array.element, MPI_INT);
  EXPECT_EQ(array.strides, (std::vector<MPI_Aint>{12, 4, 1}));
  EXPECT_EQ(array.depths[1].high, 1);
  EXPECT_EQ(array.order, StorageOrder::column_major);
  const View<int, 1> long_one(values.data(), {std::int64_t{1} << 31}, {1});
  EXPECT_THROW(static_cast<void>(HaloArray::of(long_one, 1)), Error);
}

}  // namespace
}  // namespace rondo::halo_views_test
