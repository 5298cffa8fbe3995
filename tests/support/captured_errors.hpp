/// @file
/// What a process writes on standard error, for tests.
#ifndef RONDO_TESTS_CAPTURED_ERRORS_HPP
#define RONDO_TESTS_CAPTURED_ERRORS_HPP

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <initializer_list>
#include <string>

namespace rondo::internal {

/// Standard error goes into a file meanwhile.
class CapturedErrors {
 public:
  CapturedErrors() : file_(std::tmpfile()), original_(dup(STDERR_FILENO)) { dup2(fileno(file_), STDERR_FILENO); }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;
  ~CapturedErrors() {
    dup2(original_, STDERR_FILENO);
    close(original_);
    std::fclose(file_);
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    std::array<char, 4096> piece{};
    off_t from = 0;
    for (ssize_t got = 0; (got = pread(fileno(file_), piece.data(), piece.size(), from)) > 0; from += got)
      all.append(piece.data(), static_cast<std::size_t>(got));
    return all;
  }

 private:
  std::FILE* file_;
  int original_;
};

inline void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" is not in\n" << text;
}

}  // namespace rondo::internal

#endif
