/// @file
/// Address space of many gigabytes with little memory behind it.
#ifndef RONDO_TESTS_SUPPORT_LARGE_MEMORY_HPP
#define RONDO_TESTS_SUPPORT_LARGE_MEMORY_HPP

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

namespace rondo::internal {

/// Zeros, of which those pages take memory that are written.
class SparseMemory {
 public:
  explicit SparseMemory(std::int64_t bytes) : SparseMemory(bytes, PROT_READ | PROT_WRITE) {}
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory() { munmap(memory_, size_); }

  [[nodiscard]] char* data() const noexcept { return memory_; }
  [[nodiscard]] char& operator[](std::int64_t place) const { return memory_[place]; }

 protected:
  SparseMemory(std::int64_t bytes, int protection) : size_(static_cast<std::size_t>(bytes)) {
    memory_ = mapped(nullptr, size_, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    madvise(memory_, size_, MADV_NOHUGEPAGE);  // which would be written as a whole
  }
  static char* mapped(void* at, std::size_t bytes, int protection, int flags, int file) {
    void* const memory = mmap(at, bytes, protection, flags, file, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    return static_cast<char*>(memory);
  }

 private:
  std::size_t size_;
  char* memory_;
};

/// The same kPeriod bytes over and over: what is written to one place is at all others as well.
class RepeatedMemory : public SparseMemory {
 public:
  static constexpr std::int64_t kPeriod = std::int64_t{4} << 20;

  /// At least so many bytes.
  explicit RepeatedMemory(std::int64_t bytes) : SparseMemory((bytes + kPeriod - 1) / kPeriod * kPeriod, PROT_NONE) {
    const int file = memfd_create("repeated", 0);
    if (file < 0 || ftruncate(file, kPeriod) != 0)
      throw std::system_error(errno, std::generic_category(), "memfd_create");
    for (std::int64_t place = 0; place < bytes; place += kPeriod)
      mapped(data() + place, kPeriod, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file);
    close(file);
  }
};

}  // namespace rondo::internal

#endif
