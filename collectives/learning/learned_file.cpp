#include "collectives/learning/learned_file.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/file.h>
#include <unistd.h>
#include <rondo/error.hpp>

#include "runtime/base/at_finalize.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/mix.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

namespace rondo::internal::learning {
namespace {

using Json = nlohmann::ordered_json;

struct File {
  std::mutex mutex;
  bool read = false;
  LearnedPlans plans;
  LearnedPlans fresh;  ///< found out in this run
};

/// Never destroyed, as MPI_Finalize may run after the destructors of statics.
File& file() {
  static auto& its = *new File;
  return its;
}

std::string path() {
  const char* text = std::getenv("RONDO_LEARNED");
  return text == nullptr ? std::string() : std::string(text);
}

[[noreturn]] void refuse(const std::string& why) { throw Error(MPI_ERR_FILE, "RONDO_LEARNED: " + path() + ": " + why); }

LearnedPlans read_file() {
  std::ifstream from(path());
  if (!from) return {};
  std::ostringstream text;
  text << from.rdbuf();
  return parse_plans(text.str());
}

void write_file(const LearnedPlans& plans) {
  const std::string fresh = path() + ".new";
  std::ofstream to(fresh, std::ios::trunc);
  to << print_plans(plans);
  to.close();
  // In one step: another process reads all of the one file or all of the other.
  if (!to || std::rename(fresh.c_str(), path().c_str()) != 0) refuse("cannot be written");
}

/// Held while the file is read and written anew, as others may end at the same time: a file beside it.
class FileLock {
 public:
  FileLock() : descriptor_(::open((path() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ >= 0) static_cast<void>(::flock(descriptor_, LOCK_EX));
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  int descriptor_;
};

std::string in_hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), end};
}

}  // namespace

std::string print_plans(const LearnedPlans& plans) {
  Json json;
  json["plans"] = Json::object();
  for (const auto& [problem, plan] : plans) json["plans"][problem] = plan;
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

LearnedPlans parse_plans(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("plans") || !parsed["plans"].is_object())
    refuse("must be a file that an earlier run has written: JSON with an object \"plans\"");
  LearnedPlans plans;
  for (const auto& [problem, plan] : parsed["plans"].items()) {
    if (!plan.is_string()) refuse("\"" + problem + "\" is " + plan.dump() + ", must be the name of a plan");
    plans.emplace(problem, plan.get<std::string>());
  }
  return plans;
}

std::string problem_name(const Chosen& chosen, std::string_view function, int ranks, std::string_view through,
                         std::string_view mpi) {
  std::uint64_t hash = 0;
  for (const Candidate& candidate : chosen.candidates) {
    std::uint64_t of_one = 0;
    for (const char letter : name_of_plan(candidate.algorithm, candidate.name))
      of_one = mix(of_one, static_cast<unsigned char>(letter));
    const Prediction& prediction = candidate.prediction;
    for (const std::int64_t number : {std::int64_t{prediction.phases}, std::int64_t{prediction.rounds},
                                      std::int64_t{prediction.blocks}, prediction.bytes})
      of_one = mix(of_one, static_cast<std::uint64_t>(number));
    hash += of_one;  // in any order, which depends on costs
  }
  std::string name(function);
  for (const std::string_view part : {std::string_view(", "), mpi, std::string_view(", "), through}) name += part;
  return name + ", " + std::to_string(ranks) + " ranks, " + in_hexadecimal(hash);
}

bool has_learned_file() { return !path().empty(); }

std::optional<std::string> learned_plan(const std::string& problem) {
  File& its = file();
  const std::scoped_lock lock(its.mutex);
  if (!its.read) {
    its.plans = read_file();
    its.read = true;
  }
  const auto found = its.plans.find(problem);
  if (found == its.plans.end()) return std::nullopt;
  return found->second;
}

void write_learned_file() {
  File& its = file();
  const std::scoped_lock lock(its.mutex);
  if (its.fresh.empty()) return;
  try {
    const FileLock held;
    LearnedPlans all = read_file();
    for (const auto& [problem, plan] : its.fresh) all.insert_or_assign(problem, plan);
    write_file(all);
    its.fresh.clear();
  } catch (const std::exception& error) {
    log(LogLevel::error, "what operations have learned is not kept: ", error.what());
  }
}

void keep_learned_plan(const std::string& problem, const std::string& plan) {
  static std::once_flag once;
  std::call_once(once, [] { at_finalize(AtFinalize::report, write_learned_file); });
  File& its = file();
  const std::scoped_lock lock(its.mutex);
  its.plans.insert_or_assign(problem, plan);
  its.fresh.insert_or_assign(problem, plan);
}

}  // namespace rondo::internal::learning
