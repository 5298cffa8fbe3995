#include "datatypes/copying/packing.hpp"

#include "datatypes/copying/copy_bytes.hpp"
#include "datatypes/copying/copy_kernels.hpp"
#include "datatypes/copying/copy_program.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

namespace rondo::internal {
namespace {

/// Number of bytes that are packed before they are copied to the target. From 4096 to 32768, larger parts are faster,
/// and a cache holds a whole part.
constexpr std::int64_t kPart = 32768;
/// Minimum number of bytes of a piece that is copied directly, because that is faster.
constexpr std::int64_t kLongEnough = kPart / 2;
/// Minimum number of bytes of a program that gains from packing in parts.
constexpr std::int64_t kShortest = 2048;

bool list_packs(std::span<const CopyRun> program, std::int64_t at) {
  const ListedPieces pieces(program);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].target != at) return false;
    at += pieces[i].bytes;
  }
  return true;
}

bool packs_from(std::span<const CopyRun> program, std::int64_t at) {
  for (; !program.empty(); program = program.subspan(entries_of_first(program))) {
    const CopyRun& run = program.front();
    const bool steps_on = run.count == 1 || run.target_stride == run.bytes;
    if (run.body == kListed) {
      if (!list_packs(program, at - run.target)) return false;
    } else if (is_loop(run)) {
      if (!steps_on || !packs_from(program.subspan(1, run.body), at - run.target)) return false;
    } else if (run.target != at || !steps_on) {
      return false;
    } else if (run.body == kGrowing && program[1].target_stride != program[1].bytes) {
      return false;
    }
    at += bytes_of_first(program);
  }
  return true;
}

/// A packer of a program's data, part by part, in one pass through the program. run_copies() of one part after the
/// other has the same effect, but searches for the beginning of each part anew, which takes as long as copying in long
/// lists.
class Packer {
 public:
  explicit Packer(std::byte* target) noexcept : target_(target) {}
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { copy_on(); }

  /// Packs the data of `program`. `at`: place of the first byte, counted as the program counts its targets.
  void add(std::span<const CopyRun> program, const std::byte* source, std::int64_t at) {
    for (; !program.empty(); program = program.subspan(entries_of_first(program))) {
      const CopyRun& run = program.front();
      const std::int64_t bytes = bytes_of_first(program);
      const std::byte* from = source + run.source;
      if (bytes <= room()) {
        run_copies(program.first(entries_of_first(program)), source, end() - at);
        filled_ += bytes;
      } else if (run.body == kListed) {
        add_list(ListedPieces(program), from);
      } else if (run.body == kGrowing) {
        add_growing(run, program[1], from);
      } else if (is_loop(run)) {
        for (std::uint32_t pass = 0; pass < run.count; ++pass, from += run.source_stride)
          add(program.subspan(1, run.body), from, at - run.target);
      } else {
        add_pieces(run, from);
      }
      at += bytes;
    }
  }

 private:
  [[nodiscard]] std::int64_t room() const noexcept { return kPart - filled_; }
  [[nodiscard]] std::byte* end() noexcept { return part_.data() + filled_; }
  void copy_on() noexcept {
    copy_bytes(target_, part_.data(), static_cast<std::size_t>(filled_));
    target_ += filled_;
    filled_ = 0;
  }
  void add_piece(const std::byte* from, std::int64_t bytes) {
    if (bytes > room() || bytes >= kLongEnough) copy_on();
    if (bytes >= kLongEnough) {
      copy_bytes(target_, from, static_cast<std::size_t>(bytes));
      target_ += bytes;
      return;
    }
    copy_bytes(end(), from, static_cast<std::size_t>(bytes));
    filled_ += bytes;
  }
  void add_pieces(const CopyRun& run, const std::byte* from) {
    if (run.bytes >= kLongEnough) {
      for (std::uint32_t i = 0; i < run.count; ++i, from += run.source_stride) add_piece(from, run.bytes);
      return;
    }
    for (std::int64_t left = run.count; left > 0;) {
      if (run.bytes > room()) copy_on();
      const std::int64_t some = std::min(left, room() / run.bytes);
      copy_pieces({end(), run.bytes, from, run.source_stride, run.bytes, some});
      filled_ += some * run.bytes;
      from += some * run.source_stride;
      left -= some;
    }
  }
  void add_growing(const CopyRun& run, const CopyRun& growth, const std::byte* from) {
    std::int64_t stride = run.source_stride;
    std::int64_t bytes = run.bytes;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      add_piece(from, bytes);
      from += stride;
      stride += growth.source_stride;
      bytes += growth.bytes;
    }
  }
  void add_list(ListedPieces pieces, const std::byte* from) {
    for (std::size_t i = 0; i < pieces.size();) {
      std::int64_t bytes = 0;
      std::size_t next = i;
      for (; next < pieces.size() && bytes + pieces[next].bytes <= room(); ++next) bytes += pieces[next].bytes;
      if (next == i) {
        add_piece(from + pieces[i].source, pieces[i].bytes);
        ++i;
        continue;
      }
      copy_listed(pieces.part(i, next), from, end() - pieces[i].target);
      filled_ += bytes;
      i = next;
    }
  }

  std::byte* target_;
  std::int64_t filled_ = 0;
  alignas(64) std::array<std::byte, kPart> part_;
};

/// Packs a program in parts. A separate function, because short programs need no memory for a part on the stack.
[[gnu::noinline]] void pack_in_parts(std::span<const CopyRun> program, const std::byte* source, std::byte* target) {
  Packer(target).add(program, source, 0);
}

}  // namespace

bool packs(std::span<const CopyRun> program) { return packs_from(program, 0); }

[[gnu::hot]] void pack_for_another_core(std::span<const CopyRun> program, const std::byte* source, std::byte* target,
                                        std::int64_t bytes) {
  assert(packs(program));
  if (bytes < kShortest)
    run_copies(program, source, target);
  else
    pack_in_parts(program, source, target);
}

}  // namespace rondo::internal
