/// @file
/// Reads a file of Chrome trace events, strictly.
#ifndef RONDO_TESTS_TRACE_READER_HPP
#define RONDO_TESTS_TRACE_READER_HPP

#include <nlohmann/json.hpp>

#include "runtime/schedule/schedule.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace rondo::internal {

class TraceReader {
 public:
  /// What is on a thread: begins and ends there. Times in nanoseconds.
  struct Interval {
    std::string name;
    int process;
    int thread;
    std::int64_t begin;
    std::int64_t end;
    nlohmann::json args;
  };
  /// What is on no thread.
  struct Pair {
    std::string name;
    int process;
    std::int64_t begin;
    std::int64_t end;
    nlohmann::json args;
  };

  /// What is wrong with the file fails the test.
  explicit TraceReader(const nlohmann::json& file);

  [[nodiscard]] const std::vector<Interval>& intervals(const std::string& category) const;
  [[nodiscard]] const std::vector<Pair>& pairs(const std::string& category) const;
  /// Names of moments.
  [[nodiscard]] const std::vector<std::string>& instants(const std::string& category) const;
  /// What the file tells of a process.
  [[nodiscard]] const nlohmann::json& process(int rank) const;
  [[nodiscard]] std::size_t processes() const { return processes_.size(); }
  /// Arguments of the tasks of one start of a request of a process, each with its "name".
  [[nodiscard]] std::vector<nlohmann::json> tasks(int process, int request, int start) const;
  /// Intervals of a thread lie one in the other or apart.
  void expect_nesting() const;

 private:
  std::map<std::string, std::vector<Interval>> intervals_;
  std::map<std::string, std::vector<Pair>> pairs_;
  std::map<std::string, std::vector<std::string>> instants_;
  std::map<int, nlohmann::json> processes_;
};

/// Every task of the schedule is there once, and what is told of it is right.
void expect_tasks(const std::vector<nlohmann::json>& tasks, const Schedule& schedule);

}  // namespace rondo::internal

#endif
