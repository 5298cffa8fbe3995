#include "collectives/tuning/tuning_file.hpp"
#include "datatypes/reading/this_mpi.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <tuple>

namespace rondo::internal::tuning_file_test {
namespace {

TuningFile sample() {
  TuningFile tuning{"Some MPI 1.0", "a machine", {}};
  for (const int ranks : {2, 16, 32}) {
    TuningEntry entry{ranks, ranks / 2.0, built_in_dense_costs(ranks / 2.0)};
    entry.costs.message = ranks * 10.5;
    entry.costs.eager_limit = ranks * 1000;
    entry.times.add("direct", 4, ranks * 100.0);
    entry.times.add("direct", 641, ranks * 400.0);
    entry.times.add("bruck, radix 2", 4, 77.5);
    entry.through = ranks == 16 ? Medium::slots : Medium::mpi;
    tuning.entries.push_back(entry);
  }
  return tuning;
}

std::string error_of(const std::string& json) {
  try {
    static_cast<void>(parse_tuning(json));
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_FILE);
    return error.what();
  }
  return "";
}

TEST(TuningFile, IsReadAsItWasWritten) {
  TuningFile tuning = sample();
  tuning.entries.back().through = Medium::lanes;
  for (TuningEntry& entry : tuning.entries) {  // nothing is as it is built in
    entry.costs = {.message = 1000.5 * entry.ranks,
                   .byte = 1001.5,
                   .burst = 1002,
                   .long_byte = 1003.5,
                   .eager_limit = 1004,
                   .rendezvous = 1005.5,
                   .rendezvous_byte = 1006.5,
                   .copied_block = 1007.5,
                   .copied_byte = 1008.5,
                   .phase = 1009.5,
                   .second_phase = 1010.5};
  }
  const auto all_of = [](const CostParameters& p) {
    return std::tuple(p.message, p.byte, p.burst, p.long_byte, p.eager_limit, p.rendezvous, p.rendezvous_byte,
                      p.copied_block, p.copied_byte, p.phase, p.second_phase);
  };
  const TuningFile read = parse_tuning(print_tuning(tuning));
  EXPECT_EQ(read.mpi, tuning.mpi);
  EXPECT_EQ(read.machine, tuning.machine);
  ASSERT_EQ(read.entries.size(), tuning.entries.size());
  for (std::size_t i = 0; i < read.entries.size(); ++i) {
    EXPECT_EQ(read.entries[i].ranks, tuning.entries[i].ranks);
    EXPECT_EQ(read.entries[i].ranks_per_core, tuning.entries[i].ranks_per_core);
    EXPECT_EQ(all_of(read.entries[i].costs), all_of(tuning.entries[i].costs));
    EXPECT_EQ(read.entries[i].times.by_plan(), tuning.entries[i].times.by_plan());
    EXPECT_EQ(read.entries[i].through, tuning.entries[i].through);
  }
  EXPECT_EQ(print_tuning(read), print_tuning(tuning));
}

TEST(TuningFile, WhatIsWrongIsNamed) {
  const std::string good = print_tuning(sample());
  EXPECT_NE(error_of("not JSON").find("is not JSON"), std::string::npos);
  EXPECT_NE(error_of("{}").find("\"mpi\""), std::string::npos);
  EXPECT_NE(error_of(R"({"mpi": "x", "machine": "y", "entries": []})").find("entries"), std::string::npos);
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, from.size(), to);
  };
  EXPECT_NE(error_of(damaged("\"message\"", "\"massage\"")).find("\"message\" is missing"), std::string::npos);
  EXPECT_NE(error_of(damaged("21.0", "-21.0")).find("must be a number from 0 to 1000000000000000"), std::string::npos);
  EXPECT_NE(error_of(damaged("21.0", "\"fast\"")).find("must be a number"), std::string::npos);
  EXPECT_NE(error_of(damaged("\"ranks\": 2", "\"ranks\": 0")).find("at least 1"), std::string::npos);
  EXPECT_NE(error_of(damaged("77.5", "-77.5")).find("nanoseconds above 0"), std::string::npos);
  EXPECT_NE(error_of(damaged("641,", "3,")).find("more bytes than the pair before"), std::string::npos);
  EXPECT_NE(error_of(damaged("\"slots\"", "\"slits\"")).find("\"through\" is \"slits\", must be \"mpi\""),
            std::string::npos);
  for (const char* ranks : {"1e300", "4294967297", "18446744073709551615"}) {
    EXPECT_NE(error_of(damaged("\"ranks\": 2", std::string("\"ranks\": ") + ranks)).find("from 0 to 2147483647"),
              std::string::npos)
        << ranks;
  }
  EXPECT_NE(error_of(damaged("21.0", "1e300")).find("is 1e+300, must be a number from 0 to"), std::string::npos);
  EXPECT_NE(error_of(damaged("77.5", "1e300")).find("at most 1e15"), std::string::npos);
  EXPECT_NE(error_of(damaged("21.0", "1e999")).find("is not JSON"), std::string::npos);
  constexpr std::size_t kDeep = 300000;  // as deep as the stack would have to be
  const std::string deep = error_of(damaged("21.0", std::string(kDeep, '[') + std::string(kDeep, ']')));
  EXPECT_NE(deep.find("more than 16 lists and objects inside each other"), std::string::npos);
  const std::string longest = error_of(damaged("21.0", "\"" + std::string(kDeep, 'x') + "\""));
  EXPECT_LT(longest.size(), 1000U) << "of a long value the beginning is shown";
  EXPECT_NE(error_of(damaged("\"slots\"", "3")).find("\"through\" is 3, must be a string"), std::string::npos);
}

/// What was measured before there was a choice.
TEST(TuningFile, AnEntryIsOfMpiUnlessItSaysOtherwise) {
  std::string text = print_tuning(sample());
  const std::string word = "\"through\": \"slots\",";
  const std::size_t at = text.find(word);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, word.size());
  for (const TuningEntry& entry : parse_tuning(text).entries) EXPECT_EQ(entry.through, Medium::mpi);
}

TEST(TuningFile, TheNearestLoadCountsFirst) {
  TuningFile tuning = sample();
  for (TuningEntry& entry : tuning.entries) entry.through = Medium::mpi;
  const auto nearest = [&](int ranks, double ranks_per_core) {
    return nearest_entry(tuning, Medium::mpi, ranks, ranks_per_core)->ranks;
  };
  EXPECT_EQ(nearest(2, 1.0), 2);
  EXPECT_EQ(nearest(64, 1.0), 2) << "as many ranks on more cores";
  EXPECT_EQ(nearest(16, 7.0), 16);
  EXPECT_EQ(nearest(1000, 500.0), 32);
}

TEST(TuningFile, AnEntryCountsForWhatItWasMeasuredThrough) {
  const TuningFile tuning = sample();
  EXPECT_EQ(nearest_entry(tuning, Medium::mpi, 16, 8.0)->through, Medium::mpi);
  EXPECT_EQ(nearest_entry(tuning, Medium::slots, 2, 1.0)->ranks, 16);
  EXPECT_EQ(nearest_entry(tuning, Medium::lanes, 2, 1.0), nullptr);
}

TEST(TuningFile, MustBeThereAndOfThisMpi) {
  EXPECT_THROW(static_cast<void>(read_tuning("/nonexistent/tuning.json")), Error);
  const std::string path = "tuning_file_test.json";
  TuningFile tuning = sample();
  std::ofstream(path) << print_tuning(tuning);
  try {
    static_cast<void>(read_tuning(path));
    ADD_FAILURE() << "of another MPI";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(mpi_name()), std::string::npos) << error.what();
  }
  tuning.mpi = mpi_name();
  std::ofstream(path) << print_tuning(tuning);
  EXPECT_EQ(read_tuning(path).entries.size(), 3U);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace rondo::internal::tuning_file_test
