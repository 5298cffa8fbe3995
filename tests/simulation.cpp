// Several collectives at once on virtual ranks, under an adversary.
#include "tests/simulation.hpp"

#include <gtest/gtest.h>

#include "tests/alltoall_case.hpp"

#include <random>
#include <set>
#include <string>

namespace rondo {
namespace {

/// One to four alltoalls on the same ranks, with neighborhoods, block sizes and algorithms drawn from the seed.
std::vector<CollectiveCase> draw_collectives(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const int d = draw(1, 3);
  std::vector<int> sizes;
  for (int k = 0; k < d; ++k) sizes.push_back(draw(1, d == 1 ? 8 : 3));
  std::vector<CollectiveCase> collectives;
  for (int count = draw(1, 4); count > 0; --count) {
    AlltoallCase given{.sizes = sizes, .neighborhood = Neighborhood(d), .bytes = {}};
    for (int i = draw(0, 6); i > 0; --i) {
      std::vector<int> offset;
      for (int k = 0; k < d; ++k) offset.push_back(draw(-3, 3));
      given.neighborhood.add(offset);
    }
    std::vector<std::int64_t> bytes;
    for (int i = 0; i < given.neighborhood.size(); ++i) bytes.push_back(draw(0, 4) == 0 ? 0 : draw(1, 100));
    given.bytes = [&](int, int i) { return bytes[static_cast<std::size_t>(i)]; };
    given.ordering = draw(0, 3) == 0 ? Ordering::phases : Ordering::dependencies;
    given.form = static_cast<MessageForm>(draw(0, 2));
    const auto rows = alltoall_algorithms();
    collectives.push_back(
        alltoall_case(given, rows[static_cast<std::size_t>(draw(0, static_cast<int>(rows.size()) - 1))]));
  }
  return collectives;
}

/// A combining alltoall in which nothing waits for what was received.
CollectiveCase racing_case() {
  AlltoallCase given{.sizes = {4, 4}, .neighborhood = box(2, 3, -1), .bytes = [](int, int) { return 8; }};
  CollectiveCase made =
      alltoall_case(given, *std::ranges::find(alltoall_algorithms(), "combining", &AlltoallAlgorithm::name));
  for (auto& schedule : made.schedules) {
    ScheduleParts parts = schedule->parts();
    std::erase_if(parts.edges, [&](const auto& edge) { return parts.tasks[edge.first].kind == TaskKind::receive; });
    schedule = std::make_shared<const Schedule>(std::move(parts));
  }
  return made;
}

TEST(Simulation, AFailingSeedIsNamedAndReplaysExactly) {
  const CollectiveCase racing = racing_case();
  std::set<std::string> endings;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string story = simulate({&racing, 1}, seed, 3);
    EXPECT_EQ(simulate({&racing, 1}, seed, 3), story);
    const std::string named = "RONDO_SEED=" + std::to_string(seed) + ": ";
    ASSERT_TRUE(story.empty() || story.starts_with(named)) << story;
    endings.insert(story.empty() ? story : story.substr(named.size()));
  }
  EXPECT_GT(endings.size(), 5U) << "seeds do not differ";
}

TEST(Simulation, SeveralOperationsAtOnce) {
  for (const std::uint64_t seed : seeds(1000)) ASSERT_EQ(simulate(draw_collectives(seed), seed, 3), "");
}

}  // namespace
}  // namespace rondo
