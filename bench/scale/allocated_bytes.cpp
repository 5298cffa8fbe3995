#include "allocated_bytes.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// The benchmark has one thread.
bench::AllocatedBytes counted{0, 0};

void* count(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  counted.now += static_cast<long long>(malloc_usable_size(memory));
  counted.most = std::max(counted.most, counted.now);
  return memory;
}

void give_back(void* memory) noexcept {
  counted.now -= static_cast<long long>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return count(std::malloc(std::max<std::size_t>(bytes, 1))); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return count(std::aligned_alloc(step, (bytes + step - 1) / step * step));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  give_back(memory);
}

namespace bench {

AllocatedBytes allocated_bytes() noexcept { return counted; }
void forget_most_bytes() noexcept { counted.most = counted.now; }

}  // namespace bench
