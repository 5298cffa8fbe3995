#include "tests/support/trace_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace rondo::internal {
namespace {

using nlohmann::json;

std::int64_t nanoseconds(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000.0); }

json arguments(const json& event) { return event.value("args", json::object()); }

template <typename T>
const std::vector<T>& found(const std::map<std::string, std::vector<T>>& in, const std::string& category) {
  static const std::vector<T> none;
  const auto it = in.find(category);
  return it == in.end() ? none : it->second;
}

}  // namespace

TraceReader::TraceReader(const json& file) {
  for (const json& process : file.at("otherData").at("processes")) {
    EXPECT_TRUE(processes_.emplace(process.at("rank").get<int>(), process).second) << process;
  }
  std::map<std::string, std::pair<std::string, Pair>> open;  // by id, which is for the whole file
  std::set<std::string> ids;
  std::set<std::pair<int, int>> threads;
  std::set<std::pair<int, int>> named_threads;
  std::set<int> named_processes;
  for (const json& event : file.at("traceEvents")) {
    const auto phase = event.at("ph").get<std::string>();
    const int process = event.at("pid").get<int>();
    const int thread = event.at("tid").get<int>();
    EXPECT_TRUE(processes_.contains(process)) << event;
    if (phase == "M") {
      if (event.at("name") == "thread_name") {
        EXPECT_TRUE(named_threads.emplace(process, thread).second) << event;
      }
      if (event.at("name") == "process_name") {
        EXPECT_TRUE(named_processes.insert(process).second) << event;
      }
      continue;
    }
    threads.emplace(process, thread);
    const auto name = event.at("name").get<std::string>();
    const auto category = event.at("cat").get<std::string>();
    const std::int64_t time = nanoseconds(event.at("ts"));
    if (phase == "X") {
      const std::int64_t duration = nanoseconds(event.at("dur"));
      EXPECT_GE(duration, 0) << event;
      intervals_[category].push_back({name, process, thread, time, time + duration, arguments(event)});
    } else if (phase == "b") {
      const auto id = event.at("id").get<std::string>();
      EXPECT_TRUE(ids.insert(id).second) << "twice: " << event;
      open.emplace(id, std::pair(category, Pair{name, process, time, time, arguments(event)}));
    } else if (phase == "e") {
      const auto it = open.find(event.at("id").get<std::string>());
      if (it == open.end()) {
        ADD_FAILURE() << "ends and never began: " << event;
        continue;
      }
      auto& [begun_category, pair] = it->second;
      EXPECT_EQ(begun_category, category);
      EXPECT_EQ(pair.name, name);
      pair.end = time;
      EXPECT_LE(pair.begin, pair.end) << event;
      pairs_[category].push_back(pair);
      open.erase(it);
    } else if (phase == "i") {
      instants_[category].push_back(name);
    } else {
      ADD_FAILURE() << "of no known kind: " << event;
    }
  }
  EXPECT_TRUE(open.empty()) << open.begin()->second.second.name << " never ends";
  EXPECT_EQ(threads, named_threads);
  EXPECT_EQ(named_processes.size(), processes_.size());
}

const std::vector<TraceReader::Interval>& TraceReader::intervals(const std::string& category) const {
  return found(intervals_, category);
}

const std::vector<TraceReader::Pair>& TraceReader::pairs(const std::string& category) const {
  return found(pairs_, category);
}

const std::vector<std::string>& TraceReader::instants(const std::string& category) const {
  return found(instants_, category);
}

const json& TraceReader::process(int rank) const { return processes_.at(rank); }

std::vector<json> TraceReader::tasks(int process, int request, int start) const {
  std::vector<json> tasks;
  const auto add = [&](const auto& from) {
    for (const auto& it : from) {
      if (it.process != process || it.args.at("request") != request || it.args.at("start") != start) continue;
      tasks.push_back(it.args);
      tasks.back()["name"] = it.name;
    }
  };
  add(pairs("message"));
  add(intervals("task"));
  return tasks;
}

void TraceReader::expect_nesting() const {
  std::map<std::pair<int, int>, std::vector<Interval>> by_thread;
  for (const auto& [category, all] : intervals_) {
    for (const Interval& interval : all) by_thread[{interval.process, interval.thread}].push_back(interval);
  }
  for (auto& [thread, all] : by_thread) {
    // What begins first and, of those that begin together, what ends last is outside.
    std::ranges::sort(all, [](const Interval& a, const Interval& b) {
      return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end);
    });
    std::vector<const Interval*> around;
    for (const Interval& interval : all) {
      while (!around.empty() && around.back()->end <= interval.begin) around.pop_back();
      if (!around.empty()) {
        EXPECT_LE(interval.end, around.back()->end)
            << interval.name << " begins in " << around.back()->name << " and ends after it";
      }
      around.push_back(&interval);
    }
  }
}

void expect_tasks(const std::vector<json>& tasks, const Schedule& schedule) {
  EXPECT_EQ(tasks.size(), schedule.tasks().size());
  std::set<TaskId> seen;
  for (const json& told : tasks) {
    const TaskId id = told.at("task").get<TaskId>();
    EXPECT_TRUE(seen.insert(id).second) << "twice: " << told;
    if (id >= schedule.tasks().size()) {
      ADD_FAILURE() << "no such task: " << told;
      continue;
    }
    const Task& task = schedule.tasks()[id];
    EXPECT_EQ(told.at("bytes"), task.bytes) << told;
    EXPECT_EQ(told.at("round"), task.round) << told;
    EXPECT_EQ(told.at("phase"), task.phase) << told;
    EXPECT_EQ(told.contains("peer"), is_message(task)) << told;
    if (is_message(task)) {
      EXPECT_EQ(told.at("peer"), task.peer) << told;
    }
    const std::string name = verb(task.kind) + (is_message(task) ? ' ' + std::to_string(task.peer) : std::string());
    EXPECT_EQ(told.at("name"), name);
    EXPECT_FALSE(told.contains("complete")) << told;
    EXPECT_FALSE(told.contains("error")) << told;
  }
}

}  // namespace rondo::internal
