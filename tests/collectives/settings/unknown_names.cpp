// Slips in the names of settings: what is said of them.
#include "collectives/settings/unknown_names.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace rondo::internal::unknown_names_test {
namespace {

const std::vector<std::string> kKnown{"RONDO_ALGORITHM", "RONDO_PORTS", "RONDO_TRACE"};

TEST(UnknownNames, TheNearestIsProposed) {
  EXPECT_EQ(complaint_about("RONDO_ALGORITM", kKnown),
            "RONDO_ALGORITM: is unknown and has no effect; did you mean RONDO_ALGORITHM?");
  EXPECT_EQ(complaint_about("RONDO_PORT", kKnown),
            "RONDO_PORT: is unknown and has no effect; did you mean RONDO_PORTS?");
  EXPECT_EQ(complaint_about("RONDO_TARCE", kKnown),
            "RONDO_TARCE: is unknown and has no effect; did you mean RONDO_TRACE?");
}

TEST(UnknownNames, WhatIsNearNothingIsSaidToHaveNoEffect) {
  EXPECT_EQ(complaint_about("RONDO_SOMETHING_ELSE", kKnown), "RONDO_SOMETHING_ELSE: is unknown and has no effect");
}

TEST(UnknownNames, NothingIsSaidOfKnownOnes) {
  for (const std::string& name : kKnown) EXPECT_EQ(complaint_about(name, kKnown), "");
}

/// The log's lines while `body` runs.
template <typename Body>
std::string logged(Body body) {
  ::testing::internal::CaptureStderr();
  body();
  return ::testing::internal::GetCapturedStderr();
}

TEST(UnknownNames, AVariableIsToldOnceByOneRank) {
  setenv("RONDO_ALGORITM", "direct", 1);
  setenv("RONDO_TEST_ANYTHING", "1", 1);
  setenv("RONDO_PORTS", "2", 1);
  setenv("RONDO_REPORT", "1", 1);
  const std::array of_installations{"RONDO_ROOT", "RONDO_DIR", "RONDO_HOME", "RONDO_VERSION"};
  for (const char* variable : of_installations) setenv(variable, "/opt/rondo", 1);
  const std::string first = logged([] { warn_of_unknown_variables(kKnown); });
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    EXPECT_NE(first.find("environment variable RONDO_ALGORITM: is unknown"), std::string::npos) << first;
  } else {
    EXPECT_EQ(first, "") << "rank 0 has said so";
  }
  for (const char* other : {"RONDO_TEST", "RONDO_PORTS", "RONDO_REPORT"})
    EXPECT_EQ(first.find(other), std::string::npos) << first;
  for (const char* other : of_installations) {
    EXPECT_EQ(first.find(other), std::string::npos) << first;
    unsetenv(other);
  }
  EXPECT_EQ(logged([] { warn_of_unknown_variables(kKnown); }), "");
  for (const char* variable : {"RONDO_ALGORITM", "RONDO_TEST_ANYTHING", "RONDO_PORTS", "RONDO_REPORT"})
    unsetenv(variable);
}

TEST(UnknownNames, AKeyIsToldOnceAndOthersKeysNever) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "rondo_algoritm", "direct");
  MPI_Info_set(info, "rondo_ports", "2");
  MPI_Info_set(info, "romio_algoritm", "direct");
  const std::vector<std::string> known{"rondo_algorithm", "rondo_ports"};
  const std::string first = logged([&] { warn_of_unknown_keys(info, known, MPI_COMM_SELF); });
  EXPECT_NE(first.find("info key rondo_algoritm: is unknown and has no effect; did you mean rondo_algorithm?"),
            std::string::npos)
      << first;
  EXPECT_EQ(first.find("romio"), std::string::npos) << first;
  EXPECT_EQ(first.find("rondo_ports"), std::string::npos) << first;
  EXPECT_EQ(logged([&] { warn_of_unknown_keys(info, known, MPI_COMM_SELF); }), "");
  MPI_Info_set(info, "rondo_port", "2");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(logged([&] { warn_of_unknown_keys(info, known, MPI_COMM_WORLD); }).empty(), rank != 0);
  MPI_Info_free(&info);
}

}  // namespace
}  // namespace rondo::internal::unknown_names_test
