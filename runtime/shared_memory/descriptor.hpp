/// @file
/// Descriptor: a file descriptor that is closed with its owner.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_DESCRIPTOR_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_DESCRIPTOR_HPP

#include <unistd.h>

#include <utility>

namespace rondo::internal {

class Descriptor {
 public:
  /// Takes the result of open() or a similar call: below 0, no descriptor.
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  explicit operator bool() const noexcept { return number_ >= 0; }
  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace rondo::internal

#endif
