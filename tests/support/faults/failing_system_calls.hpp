/// @file
/// System calls that fail when a test wants them to: those that segments and node cards make. Replaces them: to be
/// included by one file of a program.
#ifndef RONDO_TESTS_SUPPORT_FAULTS_FAILING_SYSTEM_CALLS_HPP
#define RONDO_TESTS_SUPPORT_FAULTS_FAILING_SYSTEM_CALLS_HPP

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <optional>
#include <string_view>

namespace {

enum class Call {
  memfd_create,
  fchmod,
  getrlimit,
  fallocate,
  ftruncate,
  add_seals,
  get_seals,
  mmap,
  madvise,
  getrandom,
  open,
  fstat,
  read,
  stat
};

/// The next fault: of such a call, after so many that go well, so often; what it returns, and with which errno.
struct Fault {
  Call call;
  int after = 0;
  int times = 1;
  int error = EIO;
  long result = -1;
};
std::optional<Fault> fault;
int strikes = 0;
bool full = false;  ///< fallocate finds no memory, besides the fault

/// What the call returns if the fault strikes it.
std::optional<long> strike(Call call) {
  if (!fault || fault->call != call || fault->after-- > 0 || fault->times-- <= 0) return std::nullopt;
  ++strikes;
  errno = fault->error;
  return fault->result;
}

long or_real(Call call, auto... arguments) {
  const std::optional<long> failed = strike(call);
  return failed ? *failed : ::syscall(arguments...);
}

}  // namespace

extern "C" {
int memfd_create(const char* name, unsigned flags) noexcept {
  return static_cast<int>(or_real(Call::memfd_create, SYS_memfd_create, name, flags));
}
int fchmod(int file, mode_t mode) noexcept { return static_cast<int>(or_real(Call::fchmod, SYS_fchmod, file, mode)); }
int getrlimit(__rlimit_resource_t resource, rlimit* limit) noexcept {
  return static_cast<int>(
      or_real(Call::getrlimit, SYS_prlimit64, 0L, static_cast<long>(resource), static_cast<void*>(nullptr), limit));
}
int fallocate(int file, int mode, off_t offset, off_t bytes) {
  if (full) {
    errno = ENOMEM;
    return -1;
  }
  return static_cast<int>(or_real(Call::fallocate, SYS_fallocate, file, mode, offset, bytes));
}
int ftruncate(int file, off_t bytes) noexcept {
  return static_cast<int>(or_real(Call::ftruncate, SYS_ftruncate, file, bytes));
}
int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  std::optional<long> failed;
  if (command == F_ADD_SEALS) failed = strike(Call::add_seals);
  if (command == F_GET_SEALS) failed = strike(Call::get_seals);
  return static_cast<int>(failed ? *failed : ::syscall(SYS_fcntl, file, command, argument));
}
/// MPI's own mappings are not its business: segments are sealed.
void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  const long seals = file < 0 ? 0 : ::syscall(SYS_fcntl, file, F_GET_SEALS);
  const bool of_segment = seals > 0 && (seals & F_SEAL_SHRINK) != 0;
  const std::optional<long> failed = of_segment ? strike(Call::mmap) : std::nullopt;
  return reinterpret_cast<void*>(failed ? *failed : ::syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}
int madvise(void* at, size_t bytes, int advice) noexcept {
  return static_cast<int>(or_real(Call::madvise, SYS_madvise, at, bytes, advice));
}
ssize_t getrandom(void* into, size_t bytes, unsigned flags) {
  return or_real(Call::getrandom, SYS_getrandom, into, bytes, flags);
}
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const long mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!std::string_view(path).starts_with("/proc/"))
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  return static_cast<int>(or_real(Call::open, SYS_openat, AT_FDCWD, path, flags, mode));
}
int fstat(int file, struct stat* found) noexcept {
  return static_cast<int>(or_real(Call::fstat, SYS_newfstatat, file, "", found, AT_EMPTY_PATH));
}
ssize_t read(int file, void* into, size_t bytes) { return or_real(Call::read, SYS_read, file, into, bytes); }
int stat(const char* path, struct stat* found) noexcept {
  return static_cast<int>(or_real(Call::stat, SYS_newfstatat, AT_FDCWD, path, found, 0));
}
}

#endif
