// The ranks of a communicator, each with Turns of its own, in any order and any distance from each other.
#include "collectives/learning/turns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace rondo::internal::learning::turns_test {
namespace {

using Random = std::mt19937_64;
constexpr int kStarts = 18;

/// What all ranks tell each other, look by look.
class Sums {
 public:
  explicit Sums(std::size_t ranks) : ranks_(ranks) {}
  void add(std::size_t look, const Times& times) {
    One& one = looks_[look];
    for (std::size_t i = 0; i < times.size(); ++i) one.sums[i] += times[i];
    ++one.told;
  }
  [[nodiscard]] std::optional<Times> of(std::size_t look) {
    const One& one = looks_[look];
    return one.told == ranks_ ? std::optional(one.sums) : std::nullopt;
  }

 private:
  struct One {
    Times sums{};
    std::size_t told = 0;
  };
  std::size_t ranks_;
  std::map<std::size_t, One> looks_;
};

struct Rank {
  Turns turns;
  std::size_t looks_told = 0;
  std::size_t looks_decided = 0;
  std::int64_t idle = 0;
};

/// Ranks that start the same operation again and again.
class Ranks {
 public:
  /// `took`: what a start of a candidate takes, drawn anew for each.
  Ranks(std::size_t ranks, std::size_t candidates, int starts, int period = 0) : sums_(ranks) {
    for (std::size_t i = 0; i < ranks; ++i) ranks_.push_back({Turns(candidates, starts, period)});
  }

  /// The next start of a rank, unless it must wait for others.
  template <typename Took>
  bool start(std::size_t rank, Took took) {
    Rank& its = ranks_[rank];
    if (its.idle > 0) {
      --its.idle;
      expect_same(rank, its.turns.contenders().front());
      its.turns.skip(1);
      return true;
    }
    switch (its.turns.due()) {
      case Turns::Due::nothing:
        break;
      case Turns::Due::sum:
        sums_.add(its.looks_told++, its.turns.times());
        break;
      case Turns::Due::decision: {
        const std::optional<Times> sums = sums_.of(its.looks_decided);
        if (!sums) return false;
        ++its.looks_decided;
        its.turns.decide(*sums);
        break;
      }
    }
    const std::size_t candidate = its.turns.next();
    expect_same(rank, candidate);
    its.turns.start();
    its.turns.took(took(candidate));
    its.idle = its.turns.idle();
    return true;
  }

  [[nodiscard]] const Turns& of(std::size_t rank) const { return ranks_[rank].turns; }
  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  /// Of each start.
  [[nodiscard]] std::span<const std::size_t> candidates() const { return candidates_; }

 private:
  void expect_same(std::size_t rank, std::size_t candidate) {
    const auto number = static_cast<std::size_t>(of(rank).starts());
    if (number == candidates_.size()) candidates_.push_back(candidate);
    EXPECT_EQ(candidate, candidates_[number]) << "rank " << rank << ", start " << number;
  }

  Sums sums_;
  std::vector<Rank> ranks_;
  std::vector<std::size_t> candidates_;
};

/// A time around `mean`, of one start in 32 three to ten times as long.
std::int64_t noisy(double mean, Random& random) {
  const double share = std::uniform_real_distribution<>(0.95, 1.05)(random);
  const bool disturbed = random() % 32 == 0;
  return static_cast<std::int64_t>(mean * share * (disturbed ? static_cast<double>(3 + random() % 8) : 1));
}

/// All ranks one after the other.
template <typename Took>
void run_in_step(Ranks& ranks, int starts, Took took) {
  for (int i = 0; i < starts; ++i) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) ASSERT_TRUE(ranks.start(rank, took));
  }
}

/// Over several later looks, on a machine that changes.
TEST(Turns, AllRanksStartTheSameHoweverFarApart) {
  std::int64_t looks = 0;
  std::int64_t changes = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::size_t count = 1 + random() % 6;
    const std::size_t candidates = 2 + random() % 3;
    const int starts = 4 + static_cast<int>(random() % 12);
    const int period = std::array{0, 100, 120, 217}[random() % 4];
    Ranks ranks(count, candidates, starts, period);
    std::array<double, kMostCandidates> means{};
    for (double& mean : means) mean = std::uniform_real_distribution<>(1000, 1300)(random);
    std::size_t stays_until = 1000;
    const auto took = [&](std::size_t candidate) {
      if (ranks.candidates().size() > stays_until) {
        stays_until += 300 + random() % 400;
        for (double& mean : means) mean = std::uniform_real_distribution<>(1000, 2500)(random);
      }
      return noisy(means[candidate], random);
    };
    constexpr std::int64_t kEnd = 2500;
    // One rank at a time makes as many starts as it can and likes, so that some are far ahead of others.
    const auto is_through = [&](std::size_t rank) { return ranks.of(rank).starts() >= kEnd; };
    std::size_t through = 0;
    for (int steps = 0; through < count; ++steps) {
      ASSERT_LT(steps, 100000) << "ranks wait for ever, seed " << seed;
      const std::size_t rank = random() % count;
      for (std::uint64_t left = random() % 100; left > 0 && !is_through(rank) && ranks.start(rank, took);) --left;
      through = 0;
      for (std::size_t i = 0; i < count; ++i) through += is_through(i) ? 1 : 0;
    }
    for (std::size_t rank = 0; rank < count; ++rank) {
      EXPECT_TRUE(ranks.of(rank).over());
      EXPECT_EQ(ranks.of(rank).contenders().size(), period == 0 ? 1U : 2U);
    }
    looks += ranks.of(0).later_looks();
    changes += ranks.of(0).changes();
  }
  EXPECT_GT(looks, 1000);
  EXPECT_GT(changes, 100);
}

TEST(Turns, TheFastestIsFoundAmongDisturbedOnes) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    Ranks ranks(4, 4, kStarts);
    std::array<double, kMostCandidates> means{1500, 1200, 1700, 1500};
    std::ranges::shuffle(means, random);
    run_in_step(ranks, 1000, [&](std::size_t candidate) { return noisy(means[candidate], random); });
    found += means[ranks.candidates().back()] == 1200 ? 1 : 0;
  }
  EXPECT_GE(found, 95);
}

TEST(Turns, TheModelsChoiceStaysWhereNoneIsFaster) {
  for (const std::int64_t other : {1000, 990}) {
    Ranks ranks(3, 2, kStarts);
    run_in_step(ranks, 1000, [&](std::size_t candidate) { return candidate == 0 ? 1000 : other; });
    EXPECT_EQ(ranks.candidates().back(), 0U);
  }
}

/// Candidates that are far from the best are started no more after the first look.
TEST(Turns, FarCandidatesHaveOneTurn) {
  Ranks ranks(2, 4, kStarts);
  run_in_step(ranks, 1000, [](std::size_t candidate) { return 1000 + 1000 * static_cast<std::int64_t>(candidate); });
  EXPECT_TRUE(ranks.of(0).over());
  for (std::size_t candidate = 1; candidate < 4; ++candidate)
    EXPECT_EQ(std::ranges::count(ranks.candidates(), candidate), Turns::kTurnsOfFirst * Turns::kTurn);
}

/// The first ones see another one in front: the third, many starts later, does not.
TEST(Turns, AThirdLookCorrectsTheOthers) {
  Ranks ranks(2, 3, kStarts);
  const auto took = [&](std::size_t candidate) -> std::int64_t {
    const bool early = ranks.candidates().size() < static_cast<std::size_t>(Turns::kThirdLook);
    if (candidate == 2) return 2000;
    return (candidate == 1) == early ? 1000 : 1100;
  };
  run_in_step(ranks, static_cast<int>(Turns::kThirdLook), took);
  EXPECT_EQ(ranks.candidates().back(), 1U);
  EXPECT_FALSE(ranks.of(0).over());
  run_in_step(ranks, 1200, took);
  EXPECT_EQ(ranks.candidates().back(), 0U);
  EXPECT_TRUE(ranks.of(0).over());
}

constexpr int kPeriod = 12000;

/// Starts from `from` on that are for the candidate.
std::int64_t starts_of(const Ranks& ranks, std::size_t candidate, std::size_t from = 0) {
  return std::ranges::count(ranks.candidates().subspan(from), candidate);
}

/// Runs until the winner is found.
template <typename Took>
void run_until_over(Ranks& ranks, Took took) {
  while (!ranks.of(0).over()) ASSERT_NO_FATAL_FAILURE(run_in_step(ranks, 1, took));
}

TEST(Turns, AMachineThatChangesIsNoticedInTwoLooks) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Ranks ranks(3, 4, kStarts, kPeriod);
    std::array<double, kMostCandidates> means{1500, 1200, 1700, 1000};
    const auto took = [&](std::size_t candidate) { return noisy(means[candidate], random); };
    run_in_step(ranks, 3 * kPeriod, took);
    ASSERT_EQ(ranks.candidates().back(), 3U);
    EXPECT_EQ(ranks.of(0).changes(), 0);
    // Either way.
    for (int time = 0; time < 2; ++time) {
      const std::size_t before = ranks.candidates().size();
      const std::size_t winner = ranks.candidates().back();
      const std::size_t second = ranks.of(0).contenders()[1];
      means[second] = means[winner] / 2;
      run_in_step(ranks, 3 * kPeriod, took);
      EXPECT_EQ(ranks.candidates().back(), second);
      EXPECT_EQ(ranks.of(0).contenders()[1], winner);
      EXPECT_LT(starts_of(ranks, winner, before), 5 * kPeriod / 2);
    }
    EXPECT_EQ(ranks.of(2).changes(), 2);
  }
}

TEST(Turns, OneLookUnseatsNobody) {
  Ranks ranks(2, 2, kStarts, kPeriod);
  std::int64_t disturbed = 0;
  // Every other look from the first one on finds the second one faster.
  run_in_step(ranks, 20 * kPeriod, [&](std::size_t candidate) {
    const bool disturbs = ranks.of(0).over() && ranks.of(0).later_looks() % 2 == 0;
    disturbed += disturbs && candidate == 1 ? 1 : 0;
    return disturbs == (candidate == 1) ? 1000 : 1500;
  });
  EXPECT_GT(disturbed, 0);
  EXPECT_GT(ranks.of(0).later_looks(), 15);
  EXPECT_EQ(ranks.of(0).changes(), 0);
}

TEST(Turns, NoiseChangesLittle) {
  std::int64_t looks = 0;
  std::int64_t changes = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    Ranks ranks(4, 2, kStarts, 100);
    // Other programs come and go.
    run_in_step(ranks, 5000, [&](std::size_t) {
      const bool busy = ranks.candidates().size() / 500 % 2 == 0;
      return noisy(1000, random) * (busy && random() % 4 == 0 ? static_cast<std::int64_t>(2 + random() % 8) : 1);
    });
    looks += ranks.of(0).later_looks();
    changes += ranks.of(0).changes();
  }
  EXPECT_GT(looks, 1000);
  EXPECT_LT(changes, looks / 20);
}

/// Of the starts, and of the time where the second one takes many times as long.
TEST(Turns, LaterLooksCostAThousandth) {
  for (const std::int64_t other : {1000, 1100, 1999, 2500, 10500}) {
    Ranks ranks(2, 2, kStarts, kPeriod);
    const auto took = [&](std::size_t candidate) { return candidate == 0 ? 1000 : other; };
    run_until_over(ranks, took);
    const std::size_t found = ranks.candidates().size();
    std::int64_t of_other = 0;
    for (std::size_t i = found; i < 400000; ++i) {
      run_in_step(ranks, 1, took);
      of_other += ranks.candidates().back() == 1 ? 1 : 0;
      const auto all = static_cast<std::int64_t>(i + 1 - found);
      ASSERT_LE(1000 * of_other, all) << i;
      ASSERT_LE(1000 * of_other * (other - 1000), all * 1000) << i;
    }
    EXPECT_GE(ranks.of(0).later_looks(), 3);
  }
}

TEST(Turns, WhereNothingIsLookedAtAgainTheWinnerIsAlone) {
  Ranks ranks(2, 3, kStarts);
  const auto took = [](std::size_t candidate) { return 1000 + 100 * static_cast<std::int64_t>(candidate); };
  run_until_over(ranks, took);
  const std::size_t found = ranks.candidates().size();
  EXPECT_EQ(ranks.of(0).contenders().size(), 1U);
  run_in_step(ranks, 2 * kPeriod, took);
  EXPECT_EQ(starts_of(ranks, 0, found), 2 * kPeriod);
  EXPECT_EQ(ranks.of(0).later_looks(), 0);
}

/// Whoever does not wait for what it starts has told no times.
TEST(Turns, StartsThatWereNotTimedDecideNothing) {
  Turns turns(2, kStarts);
  while (turns.due() == Turns::Due::nothing) static_cast<void>(turns.start());
  EXPECT_EQ(turns.times(), Times{});
  while (turns.due() != Turns::Due::decision) static_cast<void>(turns.start());
  turns.decide(Times{});
  EXPECT_EQ(turns.start(), 0U);
}

/// Many are under way, and end in any order.
TEST(Turns, StartsThatEndLaterCountWhereTheyBelong) {
  std::mt19937_64 random(7);
  Turns turns(2, kStarts);
  const std::array<std::int64_t, 2> takes{1000, 700};
  std::vector<Turns::Place> under_way;
  const auto end_all = [&] {
    std::ranges::shuffle(under_way, random);
    for (const Turns::Place& place : under_way) turns.took(place, takes[place.candidate]);
    under_way.clear();
  };
  while (turns.due() == Turns::Due::nothing) {
    static_cast<void>(turns.start());
    if (turns.place().look != Turns::Place::kNone) under_way.push_back(turns.place());
  }
  const std::vector<Turns::Place> ended = under_way;
  end_all();
  const Times first = turns.times();
  EXPECT_EQ(first[0], 1000);
  EXPECT_EQ(first[1], 700);
  while (turns.due() != Turns::Due::decision) static_cast<void>(turns.start());
  turns.decide(first);
  // Of the next look, beside those of the first one that end only now.
  while (turns.due() == Turns::Due::nothing) {
    static_cast<void>(turns.start());
    if (turns.place().look != Turns::Place::kNone) under_way.push_back(turns.place());
  }
  for (const Turns::Place& late : ended) turns.took(late, 1);
  end_all();
  const Times second = turns.times();
  EXPECT_EQ(second[0], 1000);
  EXPECT_EQ(second[1], 700);
}

/// What is missing is not taken for the fastest.
TEST(Turns, WhoHasNotTimedACandidateTellsNothing) {
  Turns turns(2, kStarts);
  while (turns.due() == Turns::Due::nothing) {
    const std::size_t candidate = turns.start();
    if (candidate == 0) turns.took(1000);
  }
  EXPECT_EQ(turns.times(), Times{});
}

/// As where a sender is several messages ahead, and waits for all of them at once.
TEST(Turns, WhatSomeStartsSaveAndOthersPayIsSeen) {
  Ranks ranks(2, 2, kStarts);
  int starts = 0;
  run_in_step(ranks, 1000, [&](std::size_t candidate) {
    return candidate == 0 ? 1000 : ++starts % 3 == 0 ? 4000 : 100;
  });
  EXPECT_EQ(ranks.candidates().back(), 0U);
}

}  // namespace
}  // namespace rondo::internal::learning::turns_test
