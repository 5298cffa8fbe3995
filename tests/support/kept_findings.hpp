/// @file
/// A file of RONDO_LEARNED for a test.
#ifndef RONDO_TESTS_KEPT_FINDINGS_HPP
#define RONDO_TESTS_KEPT_FINDINGS_HPP

#include "collectives/learning/learned_file.hpp"
#include "tests/support/bad_input.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace rondo::internal {

/// RONDO_LEARNED on rank 0, which alone has it, while this lives. The file is gone afterwards.
class KeptFindings {
 public:
  KeptFindings() {
    if (world_rank() == 0) setenv("RONDO_LEARNED", path_.c_str(), 1);
  }
  KeptFindings(const KeptFindings&) = delete;
  KeptFindings& operator=(const KeptFindings&) = delete;
  ~KeptFindings() {
    if (world_rank() != 0) return;
    unsetenv("RONDO_LEARNED");
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".lock");
  }

  /// As the file has them in the end. On rank 0.
  [[nodiscard]] learning::LearnedPlans plans() const {
    learning::write_learned_file();
    std::ifstream file(path_);
    std::ostringstream text;
    text << file.rdbuf();
    return learning::parse_plans(text.str());
  }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / ("rondo_learned_" + std::to_string(getpid()));
};

}  // namespace rondo::internal

#endif
