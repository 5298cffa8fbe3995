#include "runtime/base/scratch_memory.hpp"

#include <sys/mman.h>

#include <new>

namespace rondo::internal {
namespace {

constexpr std::size_t kSmallAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

}  // namespace

ScratchMemory::ScratchMemory(std::int64_t bytes) : memory_(nullptr, Release{kSmallAlignment}) {
  auto size = static_cast<std::size_t>(bytes);
  if (size == 0) return;
  const bool huge = size >= kHugePage;
  const std::size_t alignment = huge ? kHugePage : kSmallAlignment;
  if (huge) size = (size + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = ::operator new(size, std::align_val_t(alignment));
  memory_ = std::unique_ptr<std::byte, Release>(static_cast<std::byte*>(memory), Release{alignment});
  // This is advice only: small pages do as well, but are slower.
  if (huge) static_cast<void>(madvise(memory, size, MADV_HUGEPAGE));
}

void ScratchMemory::Release::operator()(std::byte* memory) const noexcept {
  ::operator delete(memory, std::align_val_t(alignment));
}

}  // namespace rondo::internal
