#include "runtime/shared_memory/allocated_memory.hpp"

#include "runtime/base/log.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>
#include <string>
#include <utility>

namespace rondo::internal {

namespace {

/// Returns the maximum number of arrays with a segment of their own. Each has a file descriptor: half of those that the
/// process may have open are kept for other uses.
std::size_t most_own_segments() noexcept {
  rlimit files{};
  return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? static_cast<std::size_t>(files.rlim_cur / 2) : 0;
}

}  // namespace

/// An Array lives until its last holder releases it: the user who frees it, or an operation that still refers to it.
class AllocatedMemory::Array {
 public:
  Array(AllocatedMemory& owner, Segment segment, std::size_t size) noexcept
      : data(segment.memory().data() + kSegmentHeader),
        bytes(size),
        card(segment.card()),
        offset(kSegmentHeader),
        owner_(owner) {
    segment_.emplace(std::move(segment));
    owner_.own_segments_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a mere count
  }
  /// Makes a short array. Call with the owner's mutex locked.
  Array(AllocatedMemory& owner, const Region& region) noexcept
      : data(region.data),
        bytes(region.bytes),
        card(owner.short_ones_.card(region.segment)),
        offset(region.offset),
        owner_(owner),
        region_(region) {}
  Array(AllocatedMemory& owner, std::byte* of_heap, std::size_t size) noexcept
      : data(of_heap), bytes(size), owner_(owner) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (region_) {
      const std::scoped_lock lock(owner_.mutex_);
      owner_.short_ones_.give_back(*region_, {});
    } else if (segment_) {
      owner_.own_segments_.fetch_sub(1, std::memory_order_relaxed);
    } else {
      std::free(data);
    }
  }

  std::byte* data;
  std::size_t bytes;
  std::optional<SegmentCard> card;  ///< nothing: the array is from the heap
  std::uint64_t offset = 0;
  pid_t process = ::getpid();

 private:
  AllocatedMemory& owner_;
  std::optional<Segment> segment_;
  std::optional<Region> region_;
};

AllocatedMemory& AllocatedMemory::process() {
  static auto& all = *new AllocatedMemory;  // never destroyed: static objects may own arrays
  return all;
}

void* AllocatedMemory::take(std::size_t bytes, SharedMemory use) {
  std::shared_ptr<Array> array;
  if (process_ != ::getpid()) {
    tell_once("this is a child after fork()", true);  // a child does not have the segments that short arrays share
  } else if (use == SharedMemory::off) {
    tell_once("RONDO_SHM is off", true);
  } else {
    Attempt<std::shared_ptr<Array>> shared = take_shared(bytes);
    if (shared)
      array = std::move(*shared);
    else
      tell_once(shared.refusal().text(), false);
  }
  if (array == nullptr) array = take_from_heap(bytes);
  std::byte* const data = array->data;
  const std::scoped_lock lock(mutex_);
  if (array->card) shared_.store(true, std::memory_order_relaxed);  // relaxed: see ever_shared()
  std::shared_ptr<Array>& place = arrays_[data];
  // The array is the parent's; a child may have something else at its address. It is never destroyed, so nothing is
  // unmapped there.
  if (place != nullptr) static_cast<void>(new std::shared_ptr<Array>(place));
  place = std::move(array);
  return data;
}

Attempt<std::shared_ptr<AllocatedMemory::Array>> AllocatedMemory::take_shared(std::size_t bytes) {
  if (bytes >= kOwnSegment) {
    if (bytes > SIZE_MAX - kSegmentHeader) throw std::bad_alloc();
    if (own_segments_.load(std::memory_order_relaxed) >= most_own_segments())
      return Refusal{"half of the file descriptors that this process may open are those of arrays"};
    Attempt<Segment> segment = Segment::make(bytes + kSegmentHeader, SegmentMemory::as_touched);
    if (!segment) return segment.refusal();
    return std::make_shared<Array>(*this, std::move(*segment), bytes);
  }
  const std::scoped_lock lock(mutex_);
  const Attempt<Region> region = short_ones_.take(bytes);
  if (!region) return region.refusal();
  try {
    return std::make_shared<Array>(*this, *region);
  } catch (const std::bad_alloc&) {
    short_ones_.give_back(*region, {});
    throw;
  }
}

std::shared_ptr<AllocatedMemory::Array> AllocatedMemory::take_from_heap(std::size_t bytes) {
  if (bytes > SIZE_MAX - kAlignment) throw std::bad_alloc();
  const std::size_t whole = (std::max(bytes, std::size_t{1}) + kAlignment - 1) / kAlignment * kAlignment;
  std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(kAlignment, whole), &std::free);
  if (memory == nullptr) throw std::bad_alloc();
  auto array = std::make_shared<Array>(*this, static_cast<std::byte*>(memory.get()), bytes);
  static_cast<void>(memory.release());  // the array owns it now
  return array;
}

bool AllocatedMemory::give_back(void* memory) noexcept {
  std::shared_ptr<Array> array;  // destroyed after the lock is released, because its destructor locks
  const std::scoped_lock lock(mutex_);
  const auto found = arrays_.find(static_cast<const std::byte*>(memory));
  if (found == arrays_.end()) return false;
  if (found->second->process != ::getpid()) return true;
  array = std::move(found->second);
  arrays_.erase(found);
  return true;
}

std::optional<ArrayPlace> AllocatedMemory::find(const void* address, std::size_t bytes) const {
  if (!ever_shared()) return std::nullopt;
  const auto* const begin = static_cast<const std::byte*>(address);
  const std::scoped_lock lock(mutex_);
  const auto behind = arrays_.upper_bound(begin);
  if (behind == arrays_.begin()) return std::nullopt;
  const std::shared_ptr<Array>& array = std::prev(behind)->second;
  const auto before = static_cast<std::size_t>(begin - array->data);
  if (!array->card || before > array->bytes || bytes > array->bytes - before) return std::nullopt;
  return ArrayPlace{array, *array->card, array->offset + before, array->data + before};
}

std::size_t AllocatedMemory::arrays() const {
  const std::scoped_lock lock(mutex_);
  return arrays_.size();
}

void AllocatedMemory::tell_once(const std::string& reason, bool expected) {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(told_, true)) return;
  }
  log(expected ? LogLevel::info : LogLevel::warning,
      "arrays are allocated on the heap, not in shared memory: ", reason);
}

}  // namespace rondo::internal
