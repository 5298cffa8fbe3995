// Bytes that layouts share, beside a list of the owners of each byte.
#include "datatypes/layout/overlap.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_layout.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::overlap_test {
namespace {

/// The layouts that a byte is in, as often as it is in them.
using Owners = std::map<std::int64_t, std::vector<std::size_t>>;

Owners owners_of(const std::vector<PlacedLayout>& layouts) {
  Owners owners;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    for (const std::int64_t byte : bytes_of(*layouts[i].layout, layouts[i].offset)) owners[byte].push_back(i);
  }
  return owners;
}

bool has(const Owners& owners, std::int64_t byte, std::size_t owner) {
  const auto found = owners.find(byte);
  return found != owners.end() && std::ranges::count(found->second, owner) > 0;
}

/// That what is found is there, and that something is found where there is anything. Returns whether.
bool check_between(const std::vector<PlacedLayout>& ones, const std::vector<PlacedLayout>& others) {
  const Owners of_ones = owners_of(ones);
  const Owners of_others = owners_of(others);
  const bool any = std::ranges::any_of(of_ones, [&](const auto& byte) { return of_others.contains(byte.first); });
  const auto found = find_overlap(ones, others);
  EXPECT_EQ(found.has_value(), any);
  if (!found) return any;
  EXPECT_LT(found->begin, found->end);
  for (std::int64_t byte = found->begin; byte < found->end; ++byte)
    EXPECT_TRUE(has(of_ones, byte, found->one) && has(of_others, byte, found->other)) << "byte " << byte;
  return any;
}

bool check_within(const std::vector<PlacedLayout>& layouts) {
  const Owners owners = owners_of(layouts);
  const bool any = std::ranges::any_of(owners, [](const auto& byte) { return byte.second.size() > 1; });
  const auto found = find_overlap(layouts);
  EXPECT_EQ(found.has_value(), any);
  if (!found) return any;
  EXPECT_LT(found->begin, found->end);
  EXPECT_LE(found->one, found->other);
  for (std::int64_t byte = found->begin; byte < found->end; ++byte) {
    EXPECT_TRUE(has(owners, byte, found->one) && has(owners, byte, found->other)) << "byte " << byte;
    EXPECT_GE(owners.at(byte).size(), 2U) << "byte " << byte;
  }
  return any;
}

/// Few bytes far apart, so that layouts may lie among each other without sharing any.
class SparseLayouts {
 public:
  explicit SparseLayouts(std::uint64_t seed) : random_(seed), stride_(random_.draw(3, 40)) {}

  Layout make(int depth) {
    Layout layout;
    if (depth == 0) {
      const std::int64_t stride = random_.draw(0, 1) == 0 ? stride_ : random_.draw(3, 40);
      const std::int64_t growth = random_.draw(0, 5) == 0 ? random_.draw(-1, 1) : 0;
      layout.append({random_.draw(-40, 40), random_.draw(1, 3), random_.draw(1, 30),
                     random_.draw(0, 2) == 0 ? -stride : stride, growth});
      return layout;
    }
    for (std::int64_t i = random_.draw(1, 2); i > 0; --i) {
      Layout body = make(depth - 1);
      body.set_extent(random_.draw(0, 1) == 0 ? stride_ * random_.draw(-40, 40) : random_.draw(-300, 300));
      layout.append_elements(std::make_shared<const Layout>(std::move(body)), random_.draw(1, depth == 1 ? 20 : 4),
                             random_.draw(-60, 60));
    }
    return layout;
  }
  std::int64_t draw(std::int64_t low, std::int64_t high) { return random_.draw(low, high); }

 private:
  RandomLayouts random_;
  std::int64_t stride_;  ///< that many runs have
};

/// Checks thousands of lists of layouts, of which some overlap and some do not.
template <typename Layouts>
void check_random(std::uint64_t seeds, std::int64_t least_of_each) {
  std::array<std::int64_t, 2> between{};
  std::array<std::int64_t, 2> within{};
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Layouts random(seed);
    std::deque<Layout> layouts;
    const auto draw_side = [&] {
      std::vector<PlacedLayout> side;
      for (std::int64_t i = random.draw(0, 3); i > 0; --i) {
        const bool same = !side.empty() && random.draw(0, 3) == 0;
        if (!same) layouts.push_back(random.make(static_cast<int>(seed % 3)));
        side.push_back({random.draw(-100, 100), &layouts.back()});
      }
      return side;
    };
    const auto ones = draw_side();
    const auto others = draw_side();
    ++between[check_between(ones, others) ? 1 : 0];
    ++within[check_within(ones) ? 1 : 0];
    if (testing::Test::HasFailure()) return;
  }
  for (const std::int64_t outcome : {between[0], between[1], within[0], within[1]}) EXPECT_GE(outcome, least_of_each);
}

TEST(Overlap, OfRandomLayouts) { check_random<RandomLayouts>(3000, 500); }

TEST(Overlap, OfSparseLayouts) { check_random<SparseLayouts>(4000, 500); }

/// The arithmetic of two runs.
TEST(Overlap, OfTwoRuns) {
  RandomLayouts random(1);
  std::array<std::uint64_t, 2> outcomes{};
  const std::uint64_t draws = scaled(200'000);
  for (std::uint64_t i = 0; i < draws; ++i) {
    std::array<Layout, 2> layouts;
    for (Layout& layout : layouts) {
      const std::int64_t stride = random.draw(-60, 60);
      const bool grows = random.draw(0, 3) == 0;
      const std::int64_t length = grows ? random.draw(-4, 40) : random.draw(1, 1 + std::abs(stride) / 6);
      layout.append({random.draw(0, 300), length, random.draw(1, 40), stride, grows ? random.draw(-3, 3) : 0});
    }
    constexpr std::int64_t kLowest = 3000;
    std::vector<char> marks(2 * kLowest + 1000);
    const auto mark_of = [&](std::int64_t byte) -> char& { return marks[static_cast<std::size_t>(byte + kLowest)]; };
    for (const std::int64_t byte : bytes_of(layouts[0])) mark_of(byte) = 1;
    bool any = false;
    for (const std::int64_t byte : bytes_of(layouts[1])) {
      any = any || mark_of(byte) != 0;
      if (mark_of(byte) != 0) mark_of(byte) = 2;
    }
    const std::array<PlacedLayout, 2> placed{PlacedLayout{0, layouts.data()}, PlacedLayout{0, &layouts[1]}};
    const auto found = find_overlap(std::span(placed).first(1), std::span(placed).last(1));
    ASSERT_EQ(found.has_value(), any) << "draw " << i;
    for (std::int64_t byte = found ? found->begin : 0; found && byte < found->end; ++byte)
      ASSERT_EQ(mark_of(byte), 2) << "draw " << i;
    ++outcomes[any ? 1 : 0];
  }
  EXPECT_GT(outcomes[0], draws / 10);
  EXPECT_GT(outcomes[1], draws / 10);
}

Layout run_of(const internal::Run& run) {
  Layout layout;
  layout.append(run);
  return layout;
}

/// A list of the pieces would not fit into memory.
TEST(Overlap, TakesNoNoticeOfTheNumberOfPieces) {
  constexpr std::int64_t kPieces = 1'000'000'000;
  const Layout column = run_of({0, 8, kPieces, 56});
  const Layout reversed = run_of({(kPieces - 1) * 56, 8, kPieces, -56});
  for (const Layout* other : {&column, &reversed}) {
    const std::vector<PlacedLayout> columns{{0, &column}, {8, other}, {48, &column}};
    EXPECT_FALSE(find_overlap(columns));
    EXPECT_FALSE(find_overlap(std::span(columns).first(1), std::span(columns).last(2)));
  }
  const std::vector<PlacedLayout> shifted{{0, &column}, {24, &reversed}, {20, &column}};
  const auto found = find_overlap(shifted);
  ASSERT_TRUE(found);
  EXPECT_EQ(std::pair(found->one, found->other), std::pair(std::size_t{1}, std::size_t{2}));
  EXPECT_EQ(found->end - found->begin, 4);

  // Records with holes, each in the holes of the other.
  Layout record = run_of({0, 4, 1, 0});
  record.append({8, 8, 1, 0});
  record.set_extent(56);
  Layout records;
  records.append_elements(std::make_shared<const Layout>(record), kPieces, 0);
  EXPECT_FALSE(find_overlap(std::vector<PlacedLayout>{{0, &records}, {16, &records}, {36, &records}}));
  EXPECT_TRUE(find_overlap(std::vector<PlacedLayout>{{0, &records}, {16, &records}, {30, &records}}));
}

/// Strides that fall together seldom, or never.
TEST(Overlap, OfDifferentStrides) {
  constexpr std::int64_t kPieces = 1'000'000'000;
  const Layout narrow = run_of({0, 4, kPieces, 56});
  const Layout wide = run_of({4, 4, kPieces, 64});
  const std::vector<PlacedLayout> multiples_of_eight{{0, &narrow}, {0, &wide}};
  EXPECT_FALSE(find_overlap(multiples_of_eight));

  constexpr std::int64_t kStride = 1'000'000'007;
  constexpr std::int64_t kLater = 300'000'000;
  const Layout near = run_of({2 * kLater, 1, kStride, kStride});
  const Layout far = run_of({0, 1, kStride, kStride + 2});
  const std::vector<PlacedLayout> meet_late{{0, &far}, {0, &near}};
  const auto found = find_overlap(meet_late);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, kLater * (kStride + 2));
  const Layout shorter = run_of({2 * kLater, 1, kLater, kStride});
  const std::vector<PlacedLayout> meet_too_late{{0, &far}, {0, &shorter}};
  EXPECT_FALSE(find_overlap(meet_too_late));
}

/// Each box overlaps hundreds of others: the pieces are looked at instead.
TEST(Overlap, OfManySmallPatches) {
  constexpr std::int64_t kAcross = 256;
  std::vector<std::int64_t> corners;
  for (std::int64_t i = 0; i < 16 * kAcross; ++i) corners.push_back(i / kAcross * 4 * kAcross * 8 + i % kAcross * 8);
  Layout patches;
  for (const std::int64_t corner : corners) patches.append({corner, 8, 4, kAcross * 8});
  const std::vector<PlacedLayout> one{{0, &patches}};
  EXPECT_FALSE(find_overlap(one));
  const std::vector<PlacedLayout> two{{0, &patches}, {64 * kAcross * 8, &patches}};
  EXPECT_FALSE(find_overlap(two));
  EXPECT_FALSE(find_overlap(std::span(two).first(1), std::span(two).last(1)));
  patches.append({corners[700] + 2 * kAcross * 8 + 5, 1, 1, 0});
  const auto found = find_overlap(one);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, corners[700] + 2 * kAcross * 8 + 5);
  EXPECT_EQ(found->end, found->begin + 1);
}

TEST(Overlap, OfALayoutWithItself) {
  const Layout twice = run_of({0, 16, 4, 12});
  const Layout once = run_of({0, 16, 4, 16});
  const std::vector<PlacedLayout> layouts{{1000, &once}, {100, &twice}};
  const auto found = find_overlap(layouts);
  ASSERT_TRUE(found);
  EXPECT_EQ(std::pair(found->one, found->other), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(std::pair(found->begin, found->end), std::pair(std::int64_t{112}, std::int64_t{116}));
  EXPECT_FALSE(find_overlap(std::span(layouts).first(1), std::span(layouts).last(1))) << "each may";
  EXPECT_FALSE(find_overlap(std::vector<PlacedLayout>{}));
}

}  // namespace
}  // namespace rondo::internal::overlap_test
