// Whole programs that trace. What they leave behind is looked at after MPI_Finalize, which writes it, by rank 0; so
// this has a main of its own, and one run for each program: trace_file PROGRAM.
#include "runtime/trace/trace_file.hpp"

#include <gtest/gtest.h>
#include <rondo/trace.h>
#include <rondo/rondo.hpp>

#include "tests/support/captured_errors.hpp"
#include "tests/support/trace_reader.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::trace_file_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

int rank = 0;
int ranks = 1;
fs::path folder;  ///< of this run, the same on all ranks

std::set<std::string> files() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TraceReader read(const std::string& name) { return TraceReader(json::parse(std::ifstream(folder / name))); }

/// What goes wrong before MPI_Finalize ends the job.
void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void exchange(MPI_Comm comm, int starts = 3) {
  int p = 0;
  MPI_Comm_size(comm, &p);
  CartComm torus(comm, {p}, moore(1, 1));
  const std::vector<int> send{1, 2};
  std::vector<int> recv(2);
  Request request = torus.alltoall_init(send, recv);
  for (int i = 0; i < starts; ++i) {
    request.start();
    request.wait();
  }
}

constexpr int kStarts = 5;

void all_kinds() {
  demand(trace::on() && Rondo_Trace_on() == 1, "tracing is not on");
  trace::mark("begin");
  {
    const trace::Span span("exchanges");
    exchange(MPI_COMM_WORLD, kStarts);
  }
  const unsigned long long begin = Rondo_Trace_begin();
  Rondo_Trace_mark("from C");
  std::thread([] { trace::mark("from a thread"); }).join();
  Comm dense(MPI_COMM_WORLD);
  const std::vector<int> send(static_cast<std::size_t>(ranks), rank);
  std::vector<int> recv(static_cast<std::size_t>(ranks));
  Request late = dense.ialltoall(send, recv);
  late.wait();
  Options of_bruck;
  of_bruck.algorithm = rondo::Algorithm::bruck;  // needs to know of all sizes: what runs is found after the start
  Comm agreeing(MPI_COMM_WORLD, of_bruck);
  const std::vector<int> counts(send.size(), 1);
  std::vector<int> places(send.size());
  std::iota(places.begin(), places.end(), 0);
  const BlockPlaces all{counts, places};
  Request deferred = agreeing.ialltoallv(std::span<const int>(send), all, std::span(recv), all);
  deferred.wait();
  CartComm torus(MPI_COMM_WORLD, {ranks}, moore(1, 1));
  std::vector<int> sum(1);
  const std::vector<int> mine{rank};
  torus.reduce(mine, sum, MPI_SUM);
  Rondo_Trace_end("rest", begin);
}

TEST(TraceFile, Together) {
  ASSERT_EQ(files(), std::set<std::string>{"run.json"});
  const TraceReader reader = read("run.json");
  ASSERT_EQ(reader.processes(), static_cast<std::size_t>(ranks));
  reader.expect_nesting();
  std::map<std::pair<int, std::string>, int> starts;  // by process and title
  for (const TraceReader::Pair& operation : reader.pairs("operation")) {
    EXPECT_EQ(operation.args.at("complete"), true) << operation.name;
    ++starts[{operation.process, operation.name.substr(0, operation.name.find(' '))}];
    std::set<int> ids;
    for (const json& task : reader.tasks(operation.process, operation.args.at("request"), operation.args.at("start"))) {
      EXPECT_TRUE(ids.insert(task.at("task").get<int>()).second) << task;
      EXPECT_EQ(task.at("operation"), operation.name);
    }
    EXPECT_EQ(ids.size(), operation.args.at("tasks").get<std::size_t>()) << operation.name;
  }
  EXPECT_EQ(starts.size(), 4 * static_cast<std::size_t>(ranks));
  int most_starts = 0;
  for (const auto& [operation, count] : starts) most_starts = std::max(most_starts, count);
  EXPECT_EQ(most_starts, kStarts);
  const auto everywhere = static_cast<std::size_t>(ranks);
  EXPECT_EQ(reader.instants("mark").size(), 3 * everywhere);
  EXPECT_EQ(reader.intervals("span").size(), 2 * everywhere);
  EXPECT_EQ(reader.intervals("wait").size(), (kStarts + 3) * everywhere);
}

TEST(TraceFile, Together_IsWrittenInTimeOnly) {
  try {
    trace::write((folder / "late.json").string());
    ADD_FAILURE() << "written after MPI_Finalize";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_OTHER);
    EXPECT_NE(std::string(error.what()).find("MPI is not running"), std::string::npos) << error.what();
  }
  EXPECT_EQ(files(), std::set<std::string>{"run.json"});
}

/// What one process says it sends another says it receives, and not before, as their clocks are one.
TEST(TraceFile, Together_Messages) {
  const TraceReader reader = read("run.json");
  using Way = std::tuple<int, int, std::string, int>;  // from, to, operation, start
  std::map<Way, std::pair<int, std::int64_t>> sent;
  std::map<Way, std::pair<int, std::int64_t>> received;
  for (const TraceReader::Pair& message : reader.pairs("message")) {
    const int peer = message.args.at("peer");
    const auto operation = message.args.at("operation").get<std::string>();
    const int start = message.args.at("start");
    if (message.name == "send to " + std::to_string(peer)) {
      auto& [count, first] = sent[{message.process, peer, operation, start}];
      first = count++ == 0 ? message.begin : std::min(first, message.begin);
    } else {
      ASSERT_EQ(message.name, "receive from " + std::to_string(peer));
      auto& [count, last] = received[{peer, message.process, operation, start}];
      ++count;
      last = std::max(last, message.end);
    }
  }
  ASSERT_EQ(sent.size(), received.size());
  EXPECT_EQ(sent.empty(), ranks == 1) << "a process sends itself nothing, it copies";
  for (const auto& [way, its] : sent) {
    ASSERT_TRUE(received.contains(way)) << std::get<2>(way);
    EXPECT_EQ(its.first, received.at(way).first);
    constexpr std::int64_t kReadingClocks = 1'000'000;  // both processes found out alone how fast their counters run
    EXPECT_LE(its.second, received.at(way).second + kReadingClocks) << std::get<2>(way);
  }
}

/// The last rank never calls Rondo: nobody waits for it.
void without_the_last() {
  const bool last = rank == ranks - 1;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, last ? 1 : 0, rank, &comm);
  if (!last) exchange(comm);
  MPI_Comm_free(&comm);
}

TEST(TraceFile, Apart) {
  std::set<std::string> expected;
  for (int r = 0; r + 1 < ranks; ++r) expected.insert("run.rank" + std::to_string(r) + ".json");
  EXPECT_EQ(files(), expected);
  for (const std::string& name : files()) {
    const TraceReader reader = read(name);
    EXPECT_EQ(reader.processes(), 1U);
    EXPECT_EQ(reader.pairs("operation").size(), 3U);
  }
}

/// Only rank 0 was asked to trace.
void only_the_first() {
  if (rank != 0) unsetenv("RONDO_TRACE");
  exchange(MPI_COMM_WORLD);
  demand(trace::on() == (rank == 0), "tracing is on for the wrong ranks");
}

TEST(TraceFile, Some) { EXPECT_EQ(files(), std::set<std::string>{"run.rank0.json"}); }

void untraced() {
  unsetenv("RONDO_TRACE");
  trace::mark("nobody sees it");
  const trace::Span span("nor that");
  exchange(MPI_COMM_WORLD);
  Rondo_Trace_mark("nor that");
  trace::write((folder / "written.json").string());
  demand(!trace::on() && Rondo_Trace_on() == 0 && Rondo_Trace_begin() == 0, "tracing is on");
}

TEST(TraceFile, Off) { EXPECT_EQ(files(), std::set<std::string>{}); }

void bad_events() {
  setenv("RONDO_TRACE_EVENTS", "0", 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  try {
    exchange(MPI_COMM_WORLD);
    demand(false, "RONDO_TRACE_EVENTS=0 is accepted");
  } catch (const Error& error) {
    demand(error.error_class() == MPI_ERR_INFO_VALUE, error.what());
  }
}

TEST(TraceFile, BadEvents) { EXPECT_EQ(files(), std::set<std::string>{}); }

void small() {
  setenv("RONDO_TRACE_EVENTS", "16", 1);
  exchange(MPI_COMM_WORLD, 100);
  for (int i = 0; i < 20; ++i) trace::mark("one of many");
  const std::string own = "now" + std::to_string(rank) + ".json";
  demand(Rondo_Trace_write((folder / own).c_str()) == MPI_SUCCESS, "the trace cannot be written");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  demand(Rondo_Trace_write((folder / "no" / "such.json").c_str()) == MPI_ERR_FILE, "written where it cannot be");
  demand(Rondo_Trace_write(nullptr) == MPI_ERR_ARG, "written to nowhere");
}

TEST(TraceFile, Overflow) {
  const TraceReader all = read("run.json");
  for (int r = 0; r < ranks; ++r) {
    EXPECT_GT(all.process(r).at("overwritten_events"), 4) << "of 20 marks alone";
    const TraceReader own = read("now" + std::to_string(r) + ".json");
    EXPECT_EQ(own.process(r).at("overwritten_events"), all.process(r).at("overwritten_events"));
  }
  EXPECT_EQ(all.instants("lost").size(), 2 * static_cast<std::size_t>(ranks)) << "both rings";
  EXPECT_EQ(files().size(), 1 + static_cast<std::size_t>(ranks));
}

void nowhere() {
  setenv("RONDO_TRACE", (folder / "no" / "such.json").c_str(), 1);
  exchange(MPI_COMM_WORLD);
}

TEST(TraceFile, Nowhere) { EXPECT_EQ(files(), std::set<std::string>{}) << "and the job ends well"; }

/// Short messages in slots, in lanes, in lanes of an operation that finds its schedule after its start, and over MPI.
void all_ways() {
  unsetenv("RONDO_SHM");
  unsetenv("RONDO_NODE");
  const std::vector<int> two(2, rank);
  const std::span<const int> one(two.data(), 1);
  std::vector<int> recv(2);
  CartComm torus(MPI_COMM_WORLD, {ranks}, moore(1, 1));
  Request in_slots = torus.alltoall_init(two, recv);
  in_slots.start();
  in_slots.wait();
  torus.ialltoall(two, recv).wait();
  torus.allgather(one, recv);
  Options of_bruck;
  of_bruck.algorithm = rondo::Algorithm::bruck;
  Comm agreeing(MPI_COMM_WORLD, of_bruck);
  const std::vector<int> counts{1, 1};
  const std::vector<int> places{0, 1};
  agreeing.ialltoallv(std::span<const int>(two), {counts, places}, std::span(recv), {counts, places}).wait();
  Options off;
  off.shm = SharedMemory::off;
  CartComm apart(MPI_COMM_WORLD, {ranks}, moore(1, 1), off);
  Request over_mpi = apart.allgather_init(one, recv);
  over_mpi.start();
  over_mpi.wait();
  apart.iallgather(one, recv).wait();
}

TEST(TraceFile, Ways) {
  const TraceReader reader = read("run.json");
  std::map<std::string, std::set<std::string>> ways;  // by operation
  for (const TraceReader::Pair& message : reader.pairs("message")) {
    const auto operation = message.args.at("operation").get<std::string>();
    ways[operation.substr(0, operation.find(' '))].insert(message.args.at("through").get<std::string>());
  }
  const std::map<std::string, std::set<std::string>> expected{{"CartComm::alltoall_init", {"shared memory"}},
                                                              {"CartComm::ialltoall", {"lane"}},
                                                              {"CartComm::allgather", {"lane"}},
                                                              {"Comm::ialltoallv", {"lane"}},
                                                              {"CartComm::allgather_init", {"MPI"}},
                                                              {"CartComm::iallgather", {"MPI"}}};
  EXPECT_EQ(ways, expected);
}

/// Drawings are asked for in the same way.
void drawing() {
  unsetenv("RONDO_TRACE");
  unsetenv("RONDO_SHM");
  unsetenv("RONDO_NODE");
  setenv("RONDO_DOT", (folder / "all.dot").c_str(), 1);
  exchange(MPI_COMM_WORLD);
  exchange(MPI_COMM_WORLD);
  CartComm torus(MPI_COMM_WORLD, {ranks}, moore(1, 1));
  const std::vector<int> send{1, 2};
  std::vector<int> recv(2);
  torus.ialltoall(send, recv).wait();
}

TEST(TraceFile, Drawings) {
  EXPECT_EQ(files().size(), 2 * static_cast<std::size_t>(ranks));
  for (const std::string& name : files()) {
    EXPECT_TRUE(name.starts_with("all.") && name.ends_with(".dot")) << name;
    const bool persistent = name.find("alltoall_init") != std::string::npos;
    EXPECT_NE(name.find(persistent ? "CartComm--alltoall_init" : "CartComm--ialltoall"), std::string::npos) << name;
    std::stringstream text;
    text << std::ifstream(folder / name).rdbuf();
    expect_words(text.str(), {persistent ? "\\nshared memory\"" : "\\nlane\""});
  }
}

const std::map<std::string, std::function<void()>> programs{
    {"Together", all_kinds}, {"Apart", without_the_last}, {"Some", only_the_first},
    {"Off", untraced},       {"BadEvents", bad_events},   {"Overflow", small},
    {"Nowhere", nowhere},    {"Ways", all_ways},          {"Drawings", drawing}};

/// By rank 0, for all: made anew.
fs::path common_folder() {
  std::array<char, 512> name{};
  if (rank == 0) {
    const fs::path path = fs::temp_directory_path() / ("rondo-trace-" + std::to_string(getpid()));
    fs::create_directory(path);
    path.string().copy(name.data(), name.size() - 1);
  }
  MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  return name.data();
}

}  // namespace
}  // namespace rondo::internal::trace_file_test

int main(int argc, char** argv) {
  using namespace rondo::internal::trace_file_test;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  const std::string program = argc > 1 ? argv[1] : "Together";
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  folder = common_folder();
  setenv("RONDO_TRACE", (folder / "run.json").c_str(), 1);
  programs.at(program)();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank != 0) return 0;
  GTEST_FLAG_SET(filter, "TraceFile." + program + "*");
  const int failed = RUN_ALL_TESTS();
  fs::remove_all(folder);
  return failed;
}
