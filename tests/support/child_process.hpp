/// @file
/// A child process of a test, and what this process has open and mapped.
#ifndef RONDO_TESTS_SUPPORT_CHILD_PROCESS_HPP
#define RONDO_TESTS_SUPPORT_CHILD_PROCESS_HPP

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace rondo::internal::test {

/// Runs a function, which must call neither MPI nor GoogleTest, in a copy of this process; what it returns is the exit
/// code.
class ChildProcess {
 public:
  template <typename Body>
  explicit ChildProcess(Body body) : pid_(::fork()) {
    if (pid_ == 0) ::_exit(body());
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    if (!status_) kill();
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool ended() {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return status_.has_value();
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait());
  }
  /// Its exit code; the negative number of the signal that ended it.
  int wait() {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, 0) == pid_) status_ = status;
    if (!status_) return -1000;
    return WIFEXITED(*status_) ? WEXITSTATUS(*status_) : -WTERMSIG(*status_);
  }

 private:
  pid_t pid_;
  std::optional<int> status_;
};

struct Held {
  std::ptrdiff_t descriptors = 0;
  int mappings = 0;  ///< of segments
  bool operator==(const Held&) const = default;
};

inline Held held() {
  Held now;
  const std::filesystem::directory_iterator all("/proc/self/fd");
  now.descriptors = std::distance(begin(all), end(all));
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) now.mappings += line.find("/memfd:rondo") == line.npos ? 0 : 1;
  return now;
}

inline void PrintTo(const Held& now, std::ostream* out) {
  *out << now.descriptors << " descriptors and " << now.mappings << " mappings";
}

}  // namespace rondo::internal::test

#endif
