#include "runtime/schedule/dot.hpp"

#include <gtest/gtest.h>

#include "runtime/schedule/schedule_builder.hpp"
#include "runtime/trace/drawings.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal::dot_test {
namespace {

namespace fs = std::filesystem;

/// Two phases with a message each way, and a copy.
Schedule two_hops(std::int64_t bytes = 8) {
  ScheduleBuilder builder;
  const std::vector<BlockId> places{builder.block(Space::send, 0, bytes), builder.transit(bytes),
                                    builder.block(Space::recv, 0, bytes)};
  const std::vector<BlockId> own{builder.block(Space::send, 64, bytes), builder.block(Space::recv, 64, bytes)};
  builder.exchange(4, 5, 0, std::span(places).subspan(0, 1), std::span(places).subspan(1, 1));
  builder.begin_phase();
  builder.exchange(6, 7, 1, std::span(places).subspan(1, 1), std::span(places).subspan(2, 1));
  builder.copy(std::span(own).first(1), std::span(own).last(1));
  return std::move(builder).build();
}

/// What is in a drawing: it is read line by line, and every line must be of a known form.
struct Drawing {
  explicit Drawing(const std::string& text) {
    const std::regex node(R"re(    t(\d+) \[label="([^"]*)", shape=\w+, fillcolor=\w+\];)re");
    const std::regex edge(R"re(  t(\d+) -> t(\d+);)re");
    const std::regex phase(R"re(  subgraph cluster_phase_(\d+) \{)re");
    const std::regex other(
        R"re(digraph schedule \{|  label=".*";|  labelloc=t;|  node .*;|    label="phase \d+";|  \}|\})re");
    std::istringstream lines(text);
    std::smatch found;
    int now = -1;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, found, phase)) {
        now = std::stoi(found[1]);
      } else if (std::regex_match(line, found, node)) {
        const auto id = static_cast<TaskId>(std::stoul(found[1]));
        EXPECT_TRUE(nodes.emplace(id, std::pair(now, found[2].str())).second) << "twice: " << line;
      } else if (std::regex_match(line, found, edge)) {
        edges.emplace(std::stoul(found[1]), std::stoul(found[2]));
      } else {
        EXPECT_TRUE(std::regex_match(line, other)) << line;
      }
    }
  }
  std::map<TaskId, std::pair<int, std::string>> nodes;  ///< phase and label
  std::set<std::pair<TaskId, TaskId>> edges;
};

TEST(Dot, HasEveryTaskInItsPhaseAndEveryDependency) {
  const Schedule schedule = two_hops();
  const Drawing drawing(to_dot(schedule, "an operation"));
  ASSERT_EQ(drawing.nodes.size(), schedule.tasks().size());
  std::set<std::pair<TaskId, TaskId>> edges;
  for (TaskId id = 0; id < schedule.tasks().size(); ++id) {
    const Task& task = schedule.tasks()[id];
    const auto& [phase, label] = drawing.nodes.at(id);
    EXPECT_EQ(phase, static_cast<int>(task.phase)) << label;
    EXPECT_NE(label.find("8 bytes"), std::string::npos) << label;
    if (is_message(task)) {
      EXPECT_NE(label.find("round " + std::to_string(task.round)), std::string::npos) << label;
      EXPECT_NE(label.find(std::to_string(task.peer)), std::string::npos) << label;
    }
    for (const TaskId next : schedule.successors(task)) edges.emplace(id, next);
  }
  EXPECT_FALSE(edges.empty());
  EXPECT_EQ(drawing.edges, edges);
}

TEST(Dot, QuotesItsTitle) {
  const std::string text = to_dot(two_hops(), "a \"b\" \\c");
  EXPECT_NE(text.find(R"(label="a \"b\" \\c";)"), std::string::npos) << text;
}

TEST(Dot, GraphvizReadsItWhereThereIsOne) {
  if (std::system("command -v dot >/dev/null 2>&1") != 0) GTEST_SKIP() << "Graphviz is not installed";
  const fs::path file = fs::temp_directory_path() / ("rondo-dot-" + std::to_string(getpid()) + ".dot");
  std::ofstream(file) << to_dot(two_hops(), "an operation");
  EXPECT_EQ(std::system(("dot -Tsvg " + file.string() + " >/dev/null").c_str()), 0);
  fs::remove(file);
}

class DrawingsInAFolder : public ::testing::Test {
 protected:
  DrawingsInAFolder() : folder_(fs::temp_directory_path() / ("rondo-drawings-" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }
  ~DrawingsInAFolder() override {
    unsetenv("RONDO_DOT");
    fs::remove_all(folder_);
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename().string());
    return names;
  }
  fs::path folder_;
};

TEST_F(DrawingsInAFolder, DrawEachScheduleOnce) {
  setenv("RONDO_DOT", (folder_ / "all.dot").c_str(), 1);
  const auto drawings = Drawings::from_environment();
  ASSERT_NE(drawings, nullptr);
  drawings->draw(two_hops(), "Rondo_Some_init", "bruck, radix 4", 3, {});
  drawings->draw(two_hops(), "Rondo_Some_init", "bruck, radix 4", 3, {});
  drawings->draw(two_hops(16), "Rondo_Some_init", "bruck, radix 4", 3, {});
  drawings->draw(two_hops(), "Rondo_Other", "direct", 3, {});
  EXPECT_EQ(files(), (std::set<std::string>{"all.Rondo_Some_init.bruck--radix-4.rank3.dot",
                                            "all.Rondo_Some_init.bruck--radix-4.rank3.2.dot",
                                            "all.Rondo_Other.direct.rank3.dot"}));
  std::stringstream text;
  text << std::ifstream(folder_ / "all.Rondo_Other.direct.rank3.dot").rdbuf();
  EXPECT_EQ(text.str(), to_dot(two_hops(), "Rondo_Other (direct), rank 3"));
}

TEST(Dot, SaysWhichMessagesDoNotHaveToTakeMpi) {
  const Schedule schedule = two_hops();
  const TaskId shared = schedule.messages()[1];
  const TaskId in_lane = schedule.messages()[0];
  const Drawing drawing(to_dot(schedule, "x", {{shared}, {in_lane}}));
  for (const TaskId id : schedule.messages()) {
    EXPECT_EQ(drawing.nodes.at(id).second.ends_with("\\nshared memory"), id == shared) << id;
    EXPECT_EQ(drawing.nodes.at(id).second.ends_with("\\nlane"), id == in_lane) << id;
  }
}

TEST_F(DrawingsInAFolder, AreNotMadeUnlessAskedFor) {
  unsetenv("RONDO_DOT");
  EXPECT_EQ(Drawings::from_environment(), nullptr);
  setenv("RONDO_DOT", "", 1);
  EXPECT_EQ(Drawings::from_environment(), nullptr);
}

TEST_F(DrawingsInAFolder, SayInTheLogWhatCannotBeWritten) {
  Drawings drawings((folder_ / "no" / "such.dot").string());
  testing::internal::CaptureStderr();
  drawings.draw(two_hops(), "Rondo_Some", "direct", 0, {});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("RONDO_DOT: "), std::string::npos) << said;
  EXPECT_NE(said.find("cannot be written"), std::string::npos) << said;
}

}  // namespace
}  // namespace rondo::internal::dot_test
