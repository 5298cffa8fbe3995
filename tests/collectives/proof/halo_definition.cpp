#include "collectives/proof/halo_definition.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace rondo::internal::halo_definition_test {
namespace {

std::shared_ptr<const Layout> element_of(std::int64_t bytes) {
  Layout element = Layout::contiguous(bytes);
  element.set_extent(bytes);
  return std::make_shared<const Layout>(std::move(element));
}

halo::Shape shape_of(std::vector<halo::Axis> axes, Stencil stencil = Stencil::box, std::int64_t bytes = 1) {
  return {std::move(axes), stencil, StorageOrder::row_major, element_of(bytes)};
}

/// Target, its offset, source, its offset; elements of one byte.
using Line = std::tuple<int, std::int64_t, int, std::int64_t>;

std::set<Line> lines(const std::vector<Placement>& definition) {
  std::set<Line> all;
  for (const Placement& line : definition) {
    for (std::int64_t i = 0; i < line.bytes; ++i)
      all.emplace(line.target, line.target_offset + i, line.source, line.source_offset + i);
  }
  return all;
}

TEST(HaloDefinition, ARowOfThreeWithEnds) {
  const std::array sizes{3};
  const std::array open{0};
  const Grid grid(sizes, open, 0);
  // Two of halo, then two, three and four elements, then one of halo.
  const halo::Shape first = shape_of({{2, 2, 1}});
  const halo::Shape second = shape_of({{3, 2, 1}});
  const halo::Shape third = shape_of({{4, 2, 1}});
  const std::array shapes{&first, &second, &third};
  EXPECT_EQ(lines(halo_definition(grid, shapes)),
            (std::set<Line>{{0, 4, 1, 2}, {1, 0, 0, 2}, {1, 1, 0, 3}, {1, 5, 2, 2}, {2, 0, 1, 3}, {2, 1, 1, 4}}));
}

TEST(HaloDefinition, AProcessThatIsItsOwnNeighbor) {
  const std::array sizes{1, 1};
  const Grid grid(sizes, 0);
  // Rows of four: one inside above, one below, one to the left and to the right.
  const halo::Shape box = shape_of({{2, 1, 0}, {2, 1, 1}});
  const std::array boxes{&box};
  EXPECT_EQ(lines(halo_definition(grid, boxes)), (std::set<Line>{{0, 0, 0, 10},
                                                                 {0, 1, 0, 9},
                                                                 {0, 2, 0, 10},
                                                                 {0, 3, 0, 9},
                                                                 {0, 4, 0, 6},
                                                                 {0, 7, 0, 5},
                                                                 {0, 8, 0, 10},
                                                                 {0, 11, 0, 9}}));
  const halo::Shape star = shape_of({{2, 1, 0}, {2, 1, 1}}, Stencil::star);
  const std::array stars{&star};
  EXPECT_EQ(lines(halo_definition(grid, stars)),
            (std::set<Line>{{0, 1, 0, 9}, {0, 2, 0, 10}, {0, 4, 0, 6}, {0, 7, 0, 5}, {0, 8, 0, 10}, {0, 11, 0, 9}}));
}

TEST(HaloDefinition, RefusesWhatAnOwnerDoesNotHave) {
  const std::array sizes{2};
  const Grid grid(sizes, 0);
  const auto refused = [&](const halo::Shape& one, const halo::Shape& other) -> std::string {
    const std::array shapes{&one, &other};
    try {
      static_cast<void>(halo_definition(grid, shapes));
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_TRUNCATE);
      return error.what();
    }
    return {};
  };
  const halo::Shape deep = shape_of({{3, 3, 0}});
  EXPECT_EQ(refused(deep, deep), "");
  EXPECT_NE(refused(deep, shape_of({{2, 3, 0}}))
                .find("the halo of rank 0 has elements that are missing from the interior of rank 1"),
            std::string::npos);
  EXPECT_NE(refused(deep, shape_of({{3, 3, 0}}, Stencil::box, 2)).find("have a different size"), std::string::npos);
}

}  // namespace
}  // namespace rondo::internal::halo_definition_test
