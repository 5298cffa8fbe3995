/// @file
/// The bytes of a fuzzer as small numbers.
#ifndef RONDO_TESTS_FUZZ_FUZZ_INPUT_HPP
#define RONDO_TESTS_FUZZ_FUZZ_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace rondo::internal {

/// Numbers drawn from bytes; zeros when they are used up.
class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool empty() const { return at_ >= size_; }
  [[nodiscard]] int draw(int low, int high) {
    const int byte = empty() ? 0 : data_[at_++];
    return low + byte % (high - low + 1);
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// Stops the fuzzer, which keeps the input that led here.
inline void require_that(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  __builtin_trap();  // abort() would end up in a handler of Open MPI's, and the fuzzer keeps nothing
}

}  // namespace rondo::internal

#endif
