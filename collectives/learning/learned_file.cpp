#include "collectives/learning/learned_file.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rondo/error.hpp>

#include "collectives/tuning/shallow_json.hpp"
#include "runtime/base/at_finalize.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/mix.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <system_error>
#include <thread>

namespace rondo::internal::learning {
namespace {

struct File {
  std::mutex mutex;
  bool read = false;
  LearnedPlans plans;
  LearnedPlans fresh;  ///< plans found in this run
};

/// Returns the process's file. It is never destroyed, because MPI_Finalize may run after the destructors of statics.
File& file() {
  static auto& its = *new File;
  return its;
}

/// Returns the path of the file. A symbolic link that the variable names is followed, so that it stays a link.
std::string path() {
  const char* text = std::getenv("RONDO_LEARNED");
  if (text == nullptr || *text == '\0') return {};
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::weakly_canonical(text, failed);
  return failed ? text : target.string();
}

[[noreturn]] void refuse(const std::string& why) { throw Error(MPI_ERR_FILE, "RONDO_LEARNED: " + path() + ": " + why); }

/// Reads the file. A file that does not exist, or that nobody has written yet, has no plans.
LearnedPlans read_file() {
  const std::string from = path();
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(from, failed);
  if (status.type() == std::filesystem::file_type::not_found) return {};
  if (status.type() != std::filesystem::file_type::regular) refuse("must be a file");
  std::ostringstream text;
  text << std::ifstream(from).rdbuf();
  return text.view().empty() ? LearnedPlans{} : parse_plans(text.view());
}

/// Writes the file in one step: another process reads all of the old file or all of the new one.
void write_file(const LearnedPlans& plans) {
  const std::string to = path();
  const std::string fresh = to + ".new";
  std::remove(fresh.c_str());  // left by a process that was killed while it wrote
  const std::string text = print_plans(plans);
  std::FILE* const file = std::fopen(fresh.c_str(), "wx");  // x: never writes through an existing file or link
  const bool is_written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == nullptr || std::fclose(file) != 0 || !is_written || std::rename(fresh.c_str(), to.c_str()) != 0)
    refuse("cannot be written");
}

/// A lock on the file while it is read and written anew, because other processes may end at the same time. Writing
/// replaces the file, so a process that has locked a replaced file locks again.
class HeldFile {
 public:
  /// Locks the file. Throws Error if the file cannot be opened, or if another process holds it for too long: a stopped
  /// process would keep MPI_Finalize from ending.
  HeldFile() {
    constexpr int kLooks = 500;
    for (int look = 0; look < kLooks; ++look) {
      descriptor_ = ::open(path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
      if (descriptor_ < 0) refuse(std::string("cannot be opened: ") + std::strerror(errno));
      // If a file system has no locks, writing in one step must suffice.
      const bool is_held = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
      if (is_held && is_still_there()) return;
      ::close(descriptor_);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    refuse("another process has held it for 5 seconds (flock)");
  }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  ~HeldFile() { ::close(descriptor_); }

 private:
  [[nodiscard]] bool is_still_there() const {
    struct stat held {};
    struct stat named {};
    return ::fstat(descriptor_, &held) == 0 && ::stat(path().c_str(), &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
  }

  int descriptor_ = -1;
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
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

LearnedPlans parse_plans(std::string_view json) {
  Json parsed;
  try {
    parsed = parse_shallow_json(json);
  } catch (const Error& error) {
    refuse(error.what());
  }
  if (!parsed.is_object() || !parsed.contains("plans") || !parsed["plans"].is_object())
    refuse("must be a file that an earlier run has written: JSON with an object \"plans\"");
  LearnedPlans plans;
  for (const auto& [problem, plan] : parsed["plans"].items()) {
    if (!plan.is_string()) refuse("\"" + problem + "\" is " + shown(plan) + ", must be the name of a plan");
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
    hash += of_one;  // a sum, as the order of candidates depends on costs
  }
  std::string name(function);
  for (const std::string_view part : {std::string_view(", "), mpi, std::string_view(", "), through}) name += part;
  return name + ", " + std::to_string(ranks) + " ranks, " + in_hexadecimal(hash);
}

bool has_learned_file() {
  const char* text = std::getenv("RONDO_LEARNED");
  return text != nullptr && *text != '\0';
}

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
    const HeldFile held;
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
