#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/neighborhood.hpp>

#include <array>
#include <vector>

namespace rondo {
namespace {

TEST(Neighborhood, FactoriesHaveTheirSizes) {
  EXPECT_EQ(moore(2, 1).size(), 8);
  EXPECT_EQ(moore(3, 1).size(), 26);
  EXPECT_EQ(moore(2, 2).size(), 24);
  EXPECT_EQ(moore(2, 0).size(), 0);
  EXPECT_EQ(von_neumann(2, 1).size(), 4);
  EXPECT_EQ(von_neumann(2, 2).size(), 12);
  EXPECT_EQ(von_neumann(3, 1).size(), 6);
  EXPECT_EQ(box(5, 5, -1).size(), 3125);
  EXPECT_EQ(box(2, 4, -1)[0][0], -1);
  EXPECT_EQ(box(2, 4, -1)[15][1], 2);
}

TEST(Neighborhood, MinusKeepsTheOrder) {
  const Neighborhood corners = moore(2, 1).minus(von_neumann(2, 1));
  EXPECT_EQ(corners, (Neighborhood{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}));
}

TEST(Neighborhood, ListsMayRepeat) {
  const Neighborhood list{{0, 1}, {0, 1}, {0, 0}};
  EXPECT_EQ(list.size(), 3);
  EXPECT_EQ(list.find(std::array{0, 0}), 2);
  EXPECT_EQ(list.find(std::array{5, 5}), -1);
}

TEST(Neighborhood, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Neighborhood(0), Error);
  EXPECT_THROW(Neighborhood(2, std::vector{1, 2, 3}), Error);
  EXPECT_THROW(Neighborhood(2, std::vector{1, 2}, std::vector{1, 1}), Error);
  EXPECT_THROW((Neighborhood{{0, 1}, {0, 1, 2}}), Error);
  EXPECT_THROW(moore(2, -1), Error);
  EXPECT_THROW(moore(20, 3), Error) << "more than fit memory";
  EXPECT_THROW(von_neumann(3, 2147483647), Error);
  EXPECT_THROW(box(2, 0, 0), Error);
  EXPECT_THROW(static_cast<void>(moore(2, 1)[8]), Error);
}

}  // namespace
}  // namespace rondo
