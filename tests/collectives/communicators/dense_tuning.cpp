// The tuning file under mpirun: rank 0 reads it, all ranks choose by it, and all hear of one that is bad.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/dense_alltoall/bruck_rounds.hpp"
#include "collectives/tuning/tuning_file.hpp"
#include "datatypes/reading/this_mpi.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace rondo::internal::dense_tuning_test {
namespace {

constexpr int kCount = 16;  ///< ints of a block

/// A file in the working directory of rank 0. The other ranks are elsewhere.
class DenseTuning : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank != 0) std::filesystem::current_path("/");
  }
  void TearDown() override {
    std::error_code too_long;
    if (rank == 0) std::filesystem::remove(path, too_long);
    std::filesystem::current_path(home);
    MPI_Comm_free(&comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }

  /// Of this machine and this number of ranks: Bruck's algorithm was the fastest, whichever way messages went.
  [[nodiscard]] TuningFile good() const {
    TuningEntry entry{p, 1.0, built_in_dense_costs(1.0)};
    entry.times.add("direct", kCount * sizeof(int), 900);
    entry.times.add("bruck, radix 2", kCount * sizeof(int), 500);
    return {mpi_name(), machine_name(), through_all(entry)};
  }
  /// The entry once for each medium.
  [[nodiscard]] static std::vector<TuningEntry> through_all(TuningEntry entry) {
    std::vector<TuningEntry> entries;
    for (const Medium through : kMedia) {
      entry.through = through;
      entries.push_back(entry);
    }
    return entries;
  }
  void write(const std::string& content) const {
    if (rank == 0) std::ofstream(path) << content;
  }
  [[nodiscard]] MPI_Info info() const {
    MPI_Info made = MPI_INFO_NULL;
    MPI_Info_create(&made);
    MPI_Info_set(made, "rondo_tuning", path.c_str());
    return made;
  }
  /// Of rank 0, and of the others.
  [[nodiscard]] int told(int error_class) const { return rank == 0 ? error_class : MPI_ERR_ARG; }
  /// Whether some messages go through memory and others over MPI: then costs are from the file, but no times.
  [[nodiscard]] static bool mixed() {
    return std::getenv("RONDO_TEST_NODES") != nullptr && !test::is_set("RONDO_SHM", "off") &&
           !test::is_set("RONDO_SHM", "odd");
  }
  void expect_tuned(const Request& request) const {
    if (mixed()) {
      EXPECT_NE(request.explain().find("; on a node " + path + ", measured on "), std::string::npos)
          << request.explain();
      return;
    }
    EXPECT_EQ(request.algorithm(), "bruck");
    EXPECT_NE(request.explain().find("\nbruck, radix 2 "), std::string::npos) << request.explain();
    EXPECT_NE(request.explain().find(path + ", measured on "), std::string::npos) << request.explain();
  }

  int rank = world_rank();
  int p = world_size();
  std::filesystem::path home = std::filesystem::current_path();
  std::string path = "dense_tuning_" + std::to_string(p) + ".json";
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> send = std::vector<int>(static_cast<std::size_t>(p * kCount), rank);
  std::vector<int> recv = std::vector<int>(send.size());
};

/// Ranks that were not all started with the same RONDO_TUNING hear of it, and none waits for the others.
TEST_F(DenseTuning, AllMustAskForTheSameFile) {
  if (p < 2) GTEST_SKIP() << "needs two ranks";
  write(print_tuning(good()));
  for (const int who : {0, p - 1}) {
    if (rank == who) setenv("RONDO_TUNING", path.c_str(), 1);
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &fresh);
    EXPECT_EQ(Rondo_Comm_prepare(fresh, MPI_INFO_NULL), MPI_ERR_INFO_VALUE);
    MPI_Comm_free(&fresh);
    unsetenv("RONDO_TUNING");
  }
}

TEST_F(DenseTuning, AllChooseByWhatRank0Reads) {
  write(print_tuning(good()));
  const auto init = [&](MPI_Comm on) {
    Rondo_Request request = RONDO_REQUEST_NULL;
    EXPECT_EQ(
        Rondo_Alltoall_init(send.data(), kCount, MPI_INT, recv.data(), kCount, MPI_INT, on, MPI_INFO_NULL, &request),
        MPI_SUCCESS);
    return Request(request);
  };
  MPI_Info with_file = info();
  ASSERT_EQ(Rondo_Comm_prepare(comm, with_file), MPI_SUCCESS);
  MPI_Info_free(&with_file);
  Request request = init(comm);
  expect_tuned(request);
  request.start();
  request.wait();
  for (std::size_t i = 0; i < recv.size(); ++i) ASSERT_EQ(recv[i], static_cast<int>(i) / kCount);

  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  setenv("RONDO_TUNING", path.c_str(), 1);
  expect_tuned(init(fresh));
  unsetenv("RONDO_TUNING");
  MPI_Comm_free(&fresh);

  Options options;
  options.dense.tuning = path;
  Comm tuned(MPI_COMM_WORLD, options);
  expect_tuned(tuned.alltoall_init(send, recv, kCount));
}

/// Costs that were measured with another number of ranks are better than none; times are nobody else's.
TEST_F(DenseTuning, TimesAreOfOneNumberOfRanks) {
  TuningFile tuning = good();
  for (TuningEntry& entry : tuning.entries) entry.ranks = p + 1;
  write(print_tuning(tuning));
  Options options;
  options.dense.tuning = path;
  Comm tuned(MPI_COMM_WORLD, options);
  const std::string text = tuned.alltoall_init(send, recv, kCount).explain();
  EXPECT_NE(text.find(", with " + std::to_string(p + 1) + " ranks"), std::string::npos) << text;
  EXPECT_NE(text.find("\npairwise "), std::string::npos) << "by times only what was measured is compared: " << text;
}

/// The name in the first row of the table: of what runs.
std::string first_candidate(const std::string& table) {
  const std::size_t row = table.find('\n') + 1;
  return table.substr(row, table.find("  ", row) - row);
}

/// Blocks of several sizes, whose algorithm is chosen while a nonblocking call is under way: by what was measured, too.
TEST_F(DenseTuning, ANonblockingCallTakesTheSameRadix) {
  if (mixed()) GTEST_SKIP() << "by what was measured";
  TuningEntry entry{p, 1.0, built_in_dense_costs(1.0)};
  std::vector<std::string> plans;
  for (const int radix : dense::bruck_radices(p)) plans.push_back("bruck, radix " + std::to_string(radix));
  Options options;
  options.dense.tuning = path;
  options.algorithm = rondo::Algorithm::bruck;
  for (const std::string& fastest : plans) {
    entry.times = {};
    for (const std::string& plan : plans) entry.times.add(plan, kCount * sizeof(int), plan == fastest ? 500 : 9000);
    write(print_tuning({mpi_name(), machine_name(), through_all(entry)}));
    Comm tuned(MPI_COMM_WORLD, options);
    std::vector<int> counts(static_cast<std::size_t>(p), kCount);
    std::vector<int> displacements(counts.size());
    for (int i = 0; i < p; ++i) {
      if ((rank + i) % 2 == 1) counts[static_cast<std::size_t>(i)] = kCount - 2;  // the same both ways
      displacements[static_cast<std::size_t>(i)] = i * kCount;
    }
    const BlockPlaces places{counts, displacements};
    const Request persistent = tuned.alltoallv_init(send, places, recv, places);
    EXPECT_EQ(first_candidate(persistent.explain()), fastest);
    Request started = tuned.ialltoallv(send, places, recv, places);
    for (int block = 0; block < p;) block += started.arrived(block) ? 1 : 0;
    EXPECT_EQ(started.algorithm(), "bruck");
    EXPECT_EQ(first_candidate(started.explain()), fastest);
    started.wait();
  }
}

/// Persistent calls choose by what was measured through slots, blocking ones by lanes; over MPI counts neither.
TEST_F(DenseTuning, EachMediumHasItsOwn) {
  if (!test::all_share()) GTEST_SKIP() << "needs ranks that share memory";
  TuningFile tuning = good();
  const std::vector<std::string> plans{"pairwise", "scatter", "windowed"};
  for (std::size_t i = 0; i < kMedia.size(); ++i) {
    tuning.entries[i].through = kMedia[i];
    tuning.entries[i].times = {};
    for (const std::string& plan : plans)
      tuning.entries[i].times.add(plan, kCount * sizeof(int), plan == plans[i] ? 500 : 9000);
  }
  write(print_tuning(tuning));
  Options options;
  options.dense.tuning = path;
  const auto expect = [&](const Request& request, const std::string& plan, const std::string& through) {
    EXPECT_EQ(request.algorithm(), plan) << request.explain();
    EXPECT_NE(request.explain().find(", through " + through + ", with "), std::string::npos) << request.explain();
  };
  Comm shared(MPI_COMM_WORLD, options);
  expect(shared.alltoall_init(send, recv, kCount), "scatter", "slots");
  Request started = shared.ialltoall(send, recv, kCount);
  expect(started, "windowed", "lanes");
  started.wait();
  options.shm = SharedMemory::off;
  Comm apart(MPI_COMM_WORLD, options);
  expect(apart.alltoall_init(send, recv, kCount), "pairwise", "mpi");
}

/// A little slower than the best, but for blocks of any size.
TEST_F(DenseTuning, APlanForAnySizeNamesItsCostsToo) {
  if (mixed() || p < 4) GTEST_SKIP() << "needs times, and several plans";
  TuningEntry entry{p, 1.0, built_in_dense_costs(1.0)};
  entry.times.add("direct", kCount * sizeof(int), 600);
  entry.times.add("bruck, radix 2", kCount * sizeof(int), 500);
  write(print_tuning({mpi_name(), machine_name(), through_all(entry)}));
  Options options;
  options.dense.tuning = path;
  Comm tuned(MPI_COMM_WORLD, options);
  Request started = tuned.ialltoall(send, recv, kCount);
  const std::string text = started.explain();
  started.wait();
  EXPECT_NE(text.find("direct was chosen as it is about as fast as the best, "), std::string::npos) << text;
  EXPECT_NE(text.find("; costs: " + path + ", measured on "), std::string::npos) << text;
}

/// What the file does not have stays as it is built in.
TEST_F(DenseTuning, AFileOfMpiSaysNothingOfSharedMemory) {
  if (!test::all_share()) GTEST_SKIP() << "needs ranks that share memory";
  TuningFile tuning = good();
  tuning.entries.resize(1);
  write(print_tuning(tuning));
  Options options;
  options.dense.tuning = path;
  Comm shared(MPI_COMM_WORLD, options);
  const std::string text = shared.alltoall_init(send, recv, kCount).explain();
  EXPECT_NE(text.find("costs: through shared memory"), std::string::npos) << text;
  options.shm = SharedMemory::off;
  Comm apart(MPI_COMM_WORLD, options);
  expect_tuned(apart.alltoall_init(send, recv, kCount));
}

TEST_F(DenseTuning, AllHearOfABadFile) {
  TuningFile foreign = good();
  foreign.mpi = "Some MPI 1.0";
  for (const auto& [content, words] :
       {std::pair{std::string("not JSON"), "is not JSON"},
        {print_tuning(foreign), "is for Some MPI 1.0, must be for the MPI in use"},
        {print_tuning({mpi_name(), machine_name(), {}}), "\"entries\" must be a list with at least one entry"}}) {
    write(content);
    MPI_Info with_file = info();
    const int code = Rondo_Comm_prepare(comm, with_file);
    MPI_Info_free(&with_file);
    if (rank == 0)
      expect_error(code, MPI_ERR_FILE, {path.c_str(), words}, __LINE__);
    else
      expect_error(code, MPI_ERR_ARG, {"rank 0 of comm was given a bad argument"}, __LINE__);
    Options options;
    options.dense.tuning = path;
    EXPECT_EQ(class_of([&] { return Comm(MPI_COMM_WORLD, options); }), told(MPI_ERR_FILE));
  }
  if (rank == 0) std::filesystem::remove(path);
  setenv("RONDO_TUNING", path.c_str(), 1);
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  const auto alltoall = [&](MPI_Comm on) {
    return Rondo_Alltoall(send.data(), kCount, MPI_INT, recv.data(), kCount, MPI_INT, on);
  };
  const int code = alltoall(fresh);
  unsetenv("RONDO_TUNING");
  EXPECT_EQ(code, told(MPI_ERR_NO_SUCH_FILE));
  if (rank == 0) expect_error(code, MPI_ERR_NO_SUCH_FILE, {path.c_str(), "cannot be read"}, __LINE__);
  MPI_Comm_free(&fresh);
  EXPECT_EQ(alltoall(comm), MPI_SUCCESS) << "nothing was left behind";
}

TEST_F(DenseTuning, IsForACommunicator) {
  write(print_tuning(good()));
  constexpr const char* kWords = "rondo_tuning: applies to a communicator, not to one call";
  MPI_Info with_file = info();
  Rondo_Request request = RONDO_REQUEST_NULL;
  const auto init = [&](MPI_Info given) {
    return Rondo_Alltoall_init(send.data(), kCount, MPI_INT, recv.data(), kCount, MPI_INT, comm, given, &request);
  };
  expect_error(init(with_file), MPI_ERR_INFO_VALUE, {kWords}, __LINE__);
  const int code = init(rank == 0 ? with_file : MPI_INFO_NULL);
  MPI_Info_free(&with_file);
  EXPECT_EQ(code, told(MPI_ERR_INFO_VALUE));
  EXPECT_EQ(request, RONDO_REQUEST_NULL);
  Options options;
  options.dense.tuning = path;
  Comm untuned(MPI_COMM_WORLD);
  EXPECT_EQ(class_of([&] { return untuned.alltoall_init(send, recv, kCount, options); }), MPI_ERR_INFO_VALUE);
  Comm tuned(MPI_COMM_WORLD, options);
  expect_tuned(tuned.alltoall_init(send, recv, kCount, options));
}

/// Once, by rank 0, and loud only where it is no node like this one.
TEST_F(DenseTuning, TheLogSaysThatAnotherMachineWasMeasured) {
  const auto says = [&](const std::string& machine) {
    path = "dense_tuning_" + std::to_string(p) + "_" + std::to_string(machine.size()) + ".json";
    TuningFile tuning = good();
    tuning.machine = machine;
    write(print_tuning(tuning));
    Options options;
    options.dense.tuning = path;
    testing::internal::CaptureStderr();
    for (int made = 0; made < 2; ++made) {
      Comm tuned(MPI_COMM_WORLD, options);
      expect_tuned(tuned.alltoall_init(send, recv, kCount));
    }
    if (rank == 0) std::filesystem::remove(path);
    return testing::internal::GetCapturedStderr();
  };
  const std::string warned = says("elsewhere, 1000000 cores");
  const std::string words = "was measured on elsewhere, 1000000 cores, but this is " + machine_name();
  if (rank == 0) {
    const std::size_t first = warned.find(words);
    ASSERT_NE(first, std::string::npos) << warned;
    EXPECT_EQ(warned.find(words, first + 1), std::string::npos) << warned;
  } else {
    EXPECT_EQ(warned, "");
  }
  EXPECT_EQ(says(machine_name()), "");
  EXPECT_EQ(says("another " + machine_name()), "");
}

/// As long as MPI takes it.
TEST_F(DenseTuning, AValueOfAnyLength) {
  path = std::string(std::min(MPI_MAX_INFO_VAL - 1, 700), 'x');
  path.replace(path.size() - 5, 5, ".json");
  MPI_Info with_file = info();
  const int code = Rondo_Comm_prepare(comm, with_file);
  MPI_Info_free(&with_file);
  EXPECT_EQ(code, told(MPI_ERR_NO_SUCH_FILE));
  if (rank == 0) expect_error(code, MPI_ERR_NO_SUCH_FILE, {path.c_str()}, __LINE__);
}

}  // namespace
}  // namespace rondo::internal::dense_tuning_test
