#include "collectives/learning/contenders.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace rondo::internal::learning::contenders_test {
namespace {

struct Row {
  const char* algorithm;
  const char* plan;
  double nanoseconds;
};

std::vector<std::string> names_of(const std::vector<Row>& rows, std::size_t most = 4, bool outsider = true) {
  Chosen chosen;
  for (const Row& row : rows) {
    Prediction prediction;
    prediction.nanoseconds = row.nanoseconds;
    chosen.candidates.push_back({row.plan, prediction, row.algorithm});
  }
  std::vector<std::string> names;
  for (const Contender& one : contenders(chosen, most, outsider)) names.push_back(one.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Contenders, AreThoseWithinAFactorOfTwo) {
  EXPECT_EQ(names_of({{"direct", "direct", 100}, {"ring", "ring", 199}, {"ring", "ring 2", 201}}),
            (Names{"direct: direct", "ring: ring"}));
  // Those after it must be nearer.
  EXPECT_EQ(names_of({{"direct", "direct", 100}, {"ring", "ring", 199}, {"hops", "hops", 199}}, 4, false),
            (Names{"direct: direct", "ring: ring"}));
  EXPECT_EQ(names_of({{"direct", "direct", 100}, {"ring", "ring", 110}, {"hops", "hops", 150}, {"bruck", "2", 151}}, 4,
                     false),
            (Names{"direct: direct", "ring: ring", "hops: hops"}));
  EXPECT_EQ(names_of({{"direct", "direct", std::numeric_limits<double>::infinity()}}), Names{"direct: direct"});
  EXPECT_EQ(names_of({}), Names{});
}

/// Of algorithms of the user's own nothing is known but their times.
TEST(Contenders, OwnAlgorithmsOfEqualTimes) {
  Chosen chosen;
  for (const char* algorithm : {"mine", "yours"})
    chosen.candidates.push_back({algorithm, {.phases = kNotCounted, .nanoseconds = 100}, algorithm});
  EXPECT_EQ(contenders(chosen, 4, true).size(), 2U);
}

/// The model may be wrong about all plans of an algorithm.
TEST(Contenders, OneOfAnotherAlgorithmMayBeFartherOff) {
  EXPECT_EQ(names_of({{"chain", "4", 100}, {"chain", "8", 120}, {"tree", "2", 295}, {"direct", "direct", 220}}),
            (Names{"chain: 4", "chain: 8", "direct: direct"}));
  EXPECT_EQ(names_of({{"chain", "4", 100}, {"direct", "direct", 220}}, 4, false), Names{"chain: 4"});
  EXPECT_EQ(names_of({{"chain", "4", 100}, {"direct", "direct", 220}}), (Names{"chain: 4", "direct: direct"}));
  EXPECT_EQ(names_of({{"chain", "4", 100}, {"direct", "direct", 301}}), Names{"chain: 4"});
  EXPECT_EQ(names_of({{"chain", "4", 100}, {"chain", "8", 110}, {"direct", "direct", 220}}, 2),
            (Names{"chain: 4", "chain: 8"}));
}

TEST(Contenders, WhatIsTheSameToTheModelIsTriedOnce) {
  EXPECT_EQ(names_of({{"direct", "direct", 100}, {"ring", "ring", 150}, {"circulant", "circulant", 150}}),
            (Names{"direct: direct", "ring: ring"}));
  EXPECT_EQ(names_of({{"direct", "direct", 100.3}, {"scatter", "scatter", std::nextafter(100.3, 0)}}),
            Names{"direct: direct"})
      << "summed up in another order";
  EXPECT_EQ(names_of({{"direct", "direct", 100}, {"ring", "ring", 100.001}}).size(), 2U);
}

/// It may be preferred though another is predicted to be faster.
TEST(Contenders, TheChosenOneComesFirst) {
  EXPECT_EQ(names_of({{"direct", "direct", 300}, {"ring", "ring", 100}, {"hops", "hops", 149}}),
            (Names{"direct: direct", "ring: ring", "hops: hops"}));
}

TEST(Contenders, OtherAlgorithmsComeBeforeOtherParameters) {
  EXPECT_EQ(
      names_of({{"bruck", "bruck 2", 100}, {"bruck", "bruck 4", 101}, {"bruck", "bruck 8", 102}, {"ring", "ring", 180}},
               3),
      (Names{"bruck: bruck 2", "ring: ring", "bruck: bruck 4"}));
}

/// Of the chosen plan only, as far as it pays by the model; one more algorithm goes first.
TEST(Contenders, OtherFormsOfMessagesAreTried) {
  Chosen chosen;
  chosen.candidates = {{"direct", {.nanoseconds = 100}, "direct"},
                       {"ring", {.nanoseconds = 120}, "ring"},
                       {"hops", {.nanoseconds = 130}, "hops"}};
  const auto names = [&](std::size_t most, const TimesOfForms& forms) {
    Names all;
    for (const Contender& one : contenders(chosen, most, false, forms)) all.push_back(name_of(one));
    return all;
  };
  const std::string staged = "direct: direct, RONDO_MESSAGES=staged";
  EXPECT_EQ(names(4, {}), (Names{"direct: direct", "ring: ring", "hops: hops"}));
  EXPECT_EQ(names(4, {.staged = 150}), (Names{"direct: direct", "ring: ring", staged, "hops: hops"}));
  EXPECT_EQ(names(4, {.staged = 150, .datatype = 151}), (Names{"direct: direct", "ring: ring", staged, "hops: hops"}));
  EXPECT_EQ(names(3, {.staged = 140, .datatype = 150}), (Names{"direct: direct", "ring: ring", staged}));
  chosen.candidates.resize(1);
  EXPECT_EQ(names(4, {.staged = 150, .datatype = 110}),
            (Names{"direct: direct", staged, "direct: direct, RONDO_MESSAGES=datatype"}));
}

/// The best of what would be chosen then, behind other forms of what is.
TEST(Contenders, WhatTakesMpiAloneIsTried) {
  Chosen chosen;
  chosen.candidates = {{"direct", {.nanoseconds = 100}, "direct"},
                       {"ring", {.nanoseconds = 120}, "ring"},
                       {"hops", {.nanoseconds = 130}, "hops"}};
  Chosen over_mpi;
  const auto names = [&](const TimesOfForms& forms) {
    Names all;
    for (const Contender& one : contenders(chosen, 4, false, forms, &over_mpi)) all.push_back(name_of(one));
    return all;
  };
  EXPECT_EQ(names({}), (Names{"direct: direct", "ring: ring", "hops: hops"}));
  over_mpi.candidates = {{"hops", {.nanoseconds = 125}, "hops"}, {"ring", {.nanoseconds = 126}, "ring"}};
  const std::string apart = "hops: hops, RONDO_SHM=off";
  EXPECT_EQ(names({}), (Names{"direct: direct", "ring: ring", apart, "hops: hops"}));
  EXPECT_EQ(names({.staged = 150}),
            (Names{"direct: direct", "ring: ring", "direct: direct, RONDO_MESSAGES=staged", apart}));
  over_mpi.candidates.front().prediction.nanoseconds = 126;
  EXPECT_EQ(names({}), (Names{"direct: direct", "ring: ring", "hops: hops"}));
}

/// In place of the last one where there are as many as there may be.
TEST(Contenders, MpisOwnMayBeOneOfThem) {
  std::vector<Contender> all{{.name = "direct"}, {.name = "ring"}};
  add_mpis_own(all, 4);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all.back().name, "MPI's");
  all = {{.name = "direct"}, {.name = "ring"}, {.name = "hops"}, {.name = "bruck"}};
  add_mpis_own(all, 4);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[2].name, "hops");
  EXPECT_EQ(all.back().name, "MPI's");
  EXPECT_EQ(all.back().predicted, 0);
}

/// Of the chosen plan only, and as it was predicted.
TEST(Contenders, AnotherProgressModeIsTried) {
  Chosen chosen;
  chosen.candidates = {{"direct", {.nanoseconds = 100}, "direct"},
                       {"ring", {.nanoseconds = 120}, "ring"},
                       {"hops", {.nanoseconds = 130}, "hops"}};
  const auto names = [&](ProgressMode other_mode, const TimesOfForms& forms = {}) {
    Names all;
    for (const Contender& one : contenders(chosen, 4, false, forms, nullptr, other_mode)) {
      all.push_back(name_of(one));
      EXPECT_EQ(one.predicted, one.name == "ring: ring"                 ? 120
                               : one.name == "hops: hops"               ? 130
                               : one.messages == MessageForm::automatic ? 100
                                                                        : 150);
    }
    return all;
  };
  const std::string async = "direct: direct, RONDO_PROGRESS=async";
  EXPECT_EQ(names(ProgressMode::automatic), (Names{"direct: direct", "ring: ring", "hops: hops"}));
  EXPECT_EQ(names(ProgressMode::async), (Names{"direct: direct", "ring: ring", async, "hops: hops"}));
  EXPECT_EQ(names(ProgressMode::async, {.staged = 150}),
            (Names{"direct: direct", "ring: ring", async, "direct: direct, RONDO_MESSAGES=staged"}));
  chosen.candidates.resize(1);
  EXPECT_EQ(names(ProgressMode::inlined), (Names{"direct: direct", "direct: direct, RONDO_PROGRESS=inline"}));
  chosen.candidates.clear();
  EXPECT_EQ(names(ProgressMode::inlined), Names{});
}

TEST(Contenders, ANameTellsTheForm) {
  for (const MessageForm form : {MessageForm::automatic, MessageForm::staged, MessageForm::datatype}) {
    const std::string name = name_of({.name = "bruck: radix 4, blocks", .messages = form});
    EXPECT_EQ(named_contender(name).plan, "bruck: radix 4, blocks");
    EXPECT_EQ(named_contender(name).messages, form);
    EXPECT_FALSE(named_contender(name).over_mpi);
    const std::string apart = name_of({.name = "bruck: radix 4, blocks", .messages = form, .over_mpi = true});
    EXPECT_EQ(named_contender(apart).plan, "bruck: radix 4, blocks");
    EXPECT_EQ(named_contender(apart).messages, form);
    EXPECT_TRUE(named_contender(apart).over_mpi);
    for (const ProgressMode mode : {ProgressMode::inlined, ProgressMode::workers, ProgressMode::async}) {
      for (const bool over_mpi : {false, true}) {
        const std::string with_mode =
            name_of({.name = "bruck: radix 4, blocks", .messages = form, .over_mpi = over_mpi, .progress = mode});
        EXPECT_EQ(named_contender(with_mode).plan, "bruck: radix 4, blocks");
        EXPECT_EQ(named_contender(with_mode).messages, form);
        EXPECT_EQ(named_contender(with_mode).over_mpi, over_mpi);
        EXPECT_EQ(named_contender(with_mode).progress, mode);
      }
    }
    EXPECT_EQ(named_contender(apart).progress, ProgressMode::automatic);
  }
  EXPECT_EQ(named_contender("direct, RONDO_PROGRESS=never").plan, "direct, RONDO_PROGRESS=never");
  EXPECT_EQ(named_contender("staged").plan, "staged");
  EXPECT_EQ(named_contender("").messages, MessageForm::automatic);
}

/// choose() finds the plan by such a name again.
TEST(Contenders, ANameIsTakenApart) {
  const std::string name = name_of_plan("bruck", "radix 4: blocks");
  const AskedPlan both = asked_plan(name);
  EXPECT_EQ(both.algorithm, "bruck");
  EXPECT_EQ(both.plan, "radix 4: blocks");
  EXPECT_EQ(asked_plan("direct").algorithm, "direct");
  EXPECT_EQ(asked_plan("direct").plan, "");
}

}  // namespace
}  // namespace rondo::internal::learning::contenders_test
