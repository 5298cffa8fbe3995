/// @file
/// Threads that send each other messages whose every byte is known.
#ifndef RONDO_TESTS_RUNTIME_SHARED_MEMORY_THREADS_HPP
#define RONDO_TESTS_RUNTIME_SHARED_MEMORY_THREADS_HPP

#include "runtime/base/mix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace rondo::internal {

/// The messages from one thread to another: of the n-th, a random length and random bytes, the same on both sides.
class KnownMessages {
 public:
  KnownMessages(std::size_t from, std::size_t to, std::size_t longest) : seed_(mix(from, to)), longest_(longest) {
    for (std::size_t i = 0; i < noise_.size(); ++i) noise_[i] = static_cast<std::byte>(mix(seed_, i) >> 20U);
  }

  [[nodiscard]] std::span<const std::byte> at(std::uint64_t n) const {
    const std::uint64_t hash = mix(seed_, ~n);
    return std::span(noise_).subspan(hash % 4096, (hash >> 32U) % (longest_ + 1));
  }
  /// About one in sixteen: without data.
  [[nodiscard]] bool fails(std::uint64_t n) const { return mix(seed_, ~n) >> 60U == 0; }

 private:
  std::uint64_t seed_;
  std::size_t longest_;
  std::vector<std::byte> noise_ = std::vector<std::byte>(4096 + longest_);
};

/// Runs body(0) ... body(count - 1) at the same time.
template <typename Body>
void on_threads(std::size_t count, Body body) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace rondo::internal

#endif
