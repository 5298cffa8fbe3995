/// @file
/// CopyWorkers: shares long copies with oneTBB's workers.
#ifndef RONDO_RUNTIME_FUNCTIONS_COPY_WORKERS_HPP
#define RONDO_RUNTIME_FUNCTIONS_COPY_WORKERS_HPP

#include "datatypes/copying/copy_run.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace rondo::internal {

/// A group of oneTBB's workers with which a calling thread shares copies. The calling thread begins at once and copies
/// part after part until none is left, so that it never waits for a worker to wake up (oneTBB needs some 50
/// microseconds for that).
class CopyWorkers {
 public:
  /// Minimum length, in bytes, of a copy that is shared. A shorter copy is over before a worker is awake.
  static constexpr std::int64_t kWorthSharing = std::int64_t{1} << 20;

  /// Makes the workers' oneTBB arena. Throws std::bad_alloc.
  CopyWorkers();
  CopyWorkers(const CopyWorkers&) = delete;
  CopyWorkers& operator=(const CopyWorkers&) = delete;
  ~CopyWorkers();

  /// Copies `bytes` bytes. Source and target must not overlap.
  void copy(std::byte* target, const std::byte* source, std::int64_t bytes) const;
  /// Runs a copy program that moves `bytes` bytes.
  void run(std::span<const CopyRun> program, const std::byte* source, std::byte* target, std::int64_t bytes) const;

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace rondo::internal

#endif
