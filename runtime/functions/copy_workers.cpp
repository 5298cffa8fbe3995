#include "runtime/functions/copy_workers.hpp"

#include "datatypes/copying/copy_bytes.hpp"
#include "datatypes/copying/copy_program.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

namespace rondo::internal {
namespace {

/// Bytes that one thread copies at a time: enough to hide oneTBB's overhead, and few enough for many cores to share.
constexpr std::int64_t kPart = std::int64_t{1} << 18;

}  // namespace

/// A separate oneTBB arena, so that a thread that waits for the last part never takes up a task of the application.
struct CopyWorkers::Arena {
  template <typename Part>
  void share(std::int64_t bytes, Part part) {
    arena.execute([&] {
      ::tbb::parallel_for(
          ::tbb::blocked_range<std::int64_t>(0, bytes, kPart),
          [&](const ::tbb::blocked_range<std::int64_t>& range) { part(range.begin(), range.end()); },
          ::tbb::simple_partitioner());
    });
  }
  ::tbb::task_arena arena;
};

CopyWorkers::CopyWorkers() : arena_(std::make_unique<Arena>()) {}

CopyWorkers::~CopyWorkers() = default;

void CopyWorkers::copy(std::byte* target, const std::byte* source, std::int64_t bytes) const {
  arena_->share(bytes, [&](std::int64_t begin, std::int64_t end) {
    copy_bytes(target + begin, source + begin, static_cast<std::size_t>(end - begin));
  });
}

void CopyWorkers::run(std::span<const CopyRun> program, const std::byte* source, std::byte* target,
                      std::int64_t bytes) const {
  arena_->share(bytes, [&](std::int64_t begin, std::int64_t end) { run_copies(program, source, target, begin, end); });
}

}  // namespace rondo::internal
