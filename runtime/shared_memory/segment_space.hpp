/// @file
/// Hands out parts of a process's own segments.
#ifndef RONDO_RUNTIME_SHARED_MEMORY_SEGMENT_SPACE_HPP
#define RONDO_RUNTIME_SHARED_MEMORY_SEGMENT_SPACE_HPP

#include "runtime/shared_memory/attempt.hpp"
#include "runtime/shared_memory/segment.hpp"
#include "runtime/shared_memory/slot.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace rondo::internal {

/// Bytes that the segments of a process may have together: RONDO_SHM_BYTES, or 8 MiB. Throws Error,
/// MPI_ERR_INFO_VALUE, for what is no number of bytes.
[[nodiscard]] std::size_t segment_budget();

/// Whole cache lines of one of a process's own segments.
struct Region {
  std::uint32_t segment = 0;  ///< which, see SegmentSpace::card
  std::uint64_t offset = 0;   ///< in that segment
  std::size_t bytes = 0;
  std::byte* data = nullptr;
};

/// The segments of a process, made as they are needed, and kept: partners have mapped them. The first has 256 KiB, each
/// further one twice as much, up to 64 MiB, or what a region needs if that is more, until the budget is used up.
///
/// A partner that does not know yet that a region was given back may still write into it. So it can have words in the
/// region by which partners close it (close_region()); the region is used again only after that. A partner that ends
/// without doing so leaves it unused, and no partner's write ever ends up in somebody else's region.
///
/// One thread at a time. That of a process must live as long as it: partners may still use what is in it.
class SegmentSpace {
 public:
  /// `budget`: of which whole pages count. Makes no segment yet.
  explicit SegmentSpace(std::size_t budget = segment_budget()) noexcept : budget_(budget - budget % page_size()) {}

  /// At least `bytes` bytes, and a cache line, all zeros. The pages of the first `soon` bytes come into this process
  /// now, so that no start has to wait for them: one page takes as long as tens of short messages. Throws
  /// std::bad_alloc, for what it notes down only, and then nothing was taken.
  Attempt<Region> take(std::size_t bytes, std::size_t soon = std::numeric_limits<std::size_t>::max());
  /// Ends the use of what take() returned. `closed_words`: those that partners set, in the region; it is free at once
  /// where there are none.
  void give_back(const Region& region, std::vector<const SharedWord*> closed_words) noexcept;

  /// Looks which of the regions that were given back all partners have closed; take() does so where it finds no room.
  void reclaim() noexcept;

  /// For the partners that a region in this segment is offered to.
  [[nodiscard]] SegmentCard card(std::uint32_t segment) const noexcept { return parts_[segment].segment.card(); }
  [[nodiscard]] std::size_t segments() const noexcept { return parts_.size(); }
  /// What all of them may have together.
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  /// Of all segments together.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  enum class State : std::uint8_t {
    free,
    taken,
    aside  ///< given back, and not closed by all partners
  };
  struct Block {
    std::size_t bytes;
    State state = State::free;
    std::vector<const SharedWord*> open = {};  ///< not yet set when they were last looked at
  };
  using Blocks = std::map<std::uint64_t, Block>;  ///< by offset, without gaps; no two free ones are neighbors
  struct Part {
    Segment segment;
    Blocks blocks;
    std::uint64_t first_free;  ///< no block before it is free
    std::uint64_t fresh;       ///< from this offset on nothing was ever taken, and there are zeros
  };

  Attempt<Region> take_from_segments(std::size_t bytes);
  /// Writes zeros where the region was in use before, and over its first `soon` bytes.
  void clear(const Region& region, std::size_t soon) noexcept;
  /// Nothing where it was made.
  std::optional<Refusal> add_segment(std::size_t bytes);
  /// Returns the free block that it is part of now.
  static Blocks::iterator free(Part& part, Blocks::iterator block) noexcept;

  std::size_t budget_;
  std::size_t bytes_ = 0;
  std::size_t next_size_ = std::size_t{256} << 10U;
  std::size_t aside_ = 0;  ///< blocks in that state
  std::vector<Part> parts_;
};

}  // namespace rondo::internal

#endif
