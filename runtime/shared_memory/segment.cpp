#include "runtime/shared_memory/segment.hpp"

#include "runtime/base/text_line.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>

namespace rondo::internal {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
static_assert(sizeof(Nonce) <= kSegmentHeader);

/// Returns a Refusal for the last system call.
Refusal failed(const char* call) noexcept { return {call, errno}; }

Descriptor new_memory_file() noexcept {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  constexpr unsigned kNotExecutable = 8;  // MFD_NOEXEC_SEAL, which the system may demand (vm.memfd_noexec)
  Descriptor file(::memfd_create("rondo", kFlags | kNotExecutable));
  // Linux before 6.3 does not know this flag.
  if (!file && errno == EINVAL) file = Descriptor(::memfd_create("rondo", kFlags));
  return file;
}

/// Returns whether the kernel gives no more memory than there is (vm.overcommit_memory=2). If so, a page that is
/// touched later may be refused, and the kernel reports that by a signal that ends the process.
bool is_overcommit_refused() noexcept {
  const Descriptor file(::open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC));
  char mode = '0';
  return file && ::read(file.get(), &mode, 1) == 1 && mode == '2';
}

std::optional<Refusal> set_size(const Descriptor& file, off_t bytes, SegmentMemory memory) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return failed("getrlimit");
  // If a file may not be that large, the kernel not only refuses but sends a signal that ends the process.
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < static_cast<rlim_t>(bytes))
    return Refusal{"fallocate (ulimit -f)", EFBIG};
  if (memory == SegmentMemory::as_touched && !is_overcommit_refused()) {
    if (::ftruncate(file.get(), bytes) != 0) return failed("ftruncate");
    return std::nullopt;
  }
  constexpr int kMostSignals = 1000;  // each makes fallocate() undo its work
  for (int signals = 0; ::fallocate(file.get(), 0, 0, bytes) != 0; ++signals) {
    if (errno != EINTR || signals == kMostSignals) return failed("fallocate");
  }
  return std::nullopt;
}

Attempt<Nonce> new_nonce() noexcept {
  Nonce nonce{};
  const ssize_t got = ::getrandom(nonce.data(), sizeof nonce, 0);
  if (got < 0) return failed("getrandom");
  if (got != ssize_t{sizeof nonce}) return Refusal{"getrandom: gave too little"};
  return nonce;
}

bool has_size(const struct stat& file, std::uint64_t size) noexcept {
  return size >= kSegmentHeader && file.st_size >= 0 && static_cast<std::uint64_t>(file.st_size) == size;
}

}  // namespace

std::size_t page_size() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

/// The list of all mappings of this process. Locked while a mapping is made or moved, and during a fork().
struct SharedMapping::List {
  std::mutex mutex;
  SharedMapping* first = nullptr;

  static void before_fork() noexcept { all_.mutex.lock(); }
  static void after_fork() noexcept { all_.mutex.unlock(); }
  /// Maps private zeros in place of all mappings. If there is no memory for them, the child has no memory there. If
  /// something else is mapped there by now, it stays; so do a grandchild's zeros, with what its parent wrote.
  static void in_child() noexcept {
    constexpr int kZerosThere = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    for (const SharedMapping* mapping = all_.first; mapping != nullptr; mapping = mapping->after_) {
      const std::span<std::byte> memory = mapping->memory_;
      if (!memory.empty()) ::mmap(memory.data(), memory.size(), PROT_READ | PROT_WRITE, kZerosThere, -1, 0);
    }
    all_.mutex.unlock();
  }
};

constinit SharedMapping::List SharedMapping::all_{};

Attempt<SharedMapping> SharedMapping::make(const Descriptor& file, std::size_t bytes) noexcept {
  static const int watched = ::pthread_atfork(List::before_fork, List::after_fork, List::in_child);
  if (watched != 0) return Refusal{"pthread_atfork", watched};
  SharedMapping mapping;
  {
    const std::scoped_lock lock(all_.mutex);
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) return failed("mmap");
    mapping.memory_ = {static_cast<std::byte*>(memory), bytes};
  }
  // A child would keep the memory after its parent has ended, and could write data that partners take for the parent's.
  // The madvise() also covers children that are not made by fork().
  if (::madvise(mapping.memory_.data(), bytes, MADV_DONTFORK) != 0) return failed("madvise");
  return mapping;
}

SharedMapping::SharedMapping() noexcept {
  const std::scoped_lock lock(all_.mutex);
  after_ = all_.first;
  if (after_ != nullptr) after_->before_ = this;
  all_.first = this;
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept : SharedMapping() { *this = std::move(other); }

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
  const std::scoped_lock lock(all_.mutex);
  std::swap(memory_, other.memory_);
  return *this;
}

SharedMapping::~SharedMapping() {
  const std::scoped_lock lock(all_.mutex);
  (before_ == nullptr ? all_.first : before_->after_) = after_;
  if (after_ != nullptr) after_->before_ = before_;
  if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
}

Attempt<Segment> Segment::make(std::size_t bytes, SegmentMemory memory) noexcept {
  const std::size_t page = page_size();
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<off_t>::max());
  if (bytes > kMost - page) return Refusal{"fallocate", EFBIG};
  bytes = (std::max(bytes, kSegmentHeader) + page - 1) / page * page;
  Descriptor file = new_memory_file();
  if (!file) return failed("memfd_create");
  if (::fchmod(file.get(), S_IRUSR | S_IWUSR) != 0) return failed("fchmod");
  if (const std::optional<Refusal> refusal = set_size(file, static_cast<off_t>(bytes), memory)) return *refusal;
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return failed("fcntl(F_ADD_SEALS)");
  Attempt<SharedMapping> mapping = SharedMapping::make(file, bytes);
  if (!mapping) return mapping.refusal();
  const Attempt<Nonce> nonce = new_nonce();
  if (!nonce) return nonce.refusal();
  std::memcpy(mapping->memory().data(), nonce->data(), sizeof(Nonce));
  return Segment(std::move(file), std::move(*mapping), *nonce);
}

SegmentCard Segment::card() const noexcept {
  return {.size = memory().size(), .nonce = nonce_, .descriptor = file_.get()};
}

Attempt<MappedSegment> MappedSegment::open(std::int32_t pid, const SegmentCard& card) noexcept {
  TextLine path;
  path << "/proc/" << pid << "/fd/" << card.descriptor << std::string_view("\0", 1);
  // The number may refer to another file by now: open() must not wait for that file, nor make it our controlling
  // terminal.
  const Descriptor file(::open(path.view().data(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) return failed("opening the partner's segment");
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return failed("fstat");
  if (!S_ISREG(found.st_mode)) return Refusal{"the partner's descriptor is not that of its segment any more"};
  if (!has_size(found, card.size)) return Refusal{"the partner's segment does not have the size that was said"};
  const int seals = ::fcntl(file.get(), F_GET_SEALS);
  if (seals < 0) return failed("fcntl(F_GET_SEALS)");
  if ((seals & kSeals) != kSeals) return Refusal{"the partner's segment is not sealed: its size could change"};
  Attempt<SharedMapping> mapping = SharedMapping::make(file, static_cast<std::size_t>(card.size));
  if (!mapping) return mapping.refusal();
  if (std::memcmp(mapping->memory().data(), card.nonce.data(), sizeof(Nonce)) != 0)
    return Refusal{"the partner's segment does not hold the number that was said"};
  return MappedSegment(std::move(*mapping));
}

}  // namespace rondo::internal
