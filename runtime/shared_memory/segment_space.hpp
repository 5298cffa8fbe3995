/// @file
/// SegmentSpace: hands out parts of a process's own segments.
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

/// Returns the bytes that the segments of a process may have together: RONDO_SHM_BYTES, or 8 MiB. Throws Error
/// (MPI_ERR_INFO_VALUE) if RONDO_SHM_BYTES is not a number of bytes.
[[nodiscard]] std::size_t segment_budget();

/// Whole cache lines of one of a process's own segments.
struct Region {
  std::uint32_t segment = 0;  ///< number of the segment, see SegmentSpace::card
  std::uint64_t offset = 0;   ///< offset in the segment
  std::size_t bytes = 0;
  std::byte* data = nullptr;
};

/// A SegmentSpace makes the segments of a process as they are needed, and keeps them, because partners have mapped
/// them. The first has 256 KiB, each further one twice as much, up to 64 MiB, or as much as a region needs, or several
/// for which reserve() is called, if that is more, until the budget is used up.
///
/// A partner that does not know yet that a region was given back may still write into it. So a region can hold words by
/// which partners close it (close_region()); the region is reused only after that. If a partner ends without doing so,
/// the region stays unused. So no partner's write ever ends up in a region that was given to somebody else.
///
/// One thread at a time. The SegmentSpace of a process must live as long as the process: partners may still use its
/// memory.
class SegmentSpace {
 public:
  /// `budget`: rounded down to whole pages. Makes no segment yet.
  explicit SegmentSpace(std::size_t budget = segment_budget()) noexcept : budget_(budget - budget % page_size()) {}

  /// Makes a segment just long enough for regions that the next calls of take() will take, `bytes` bytes in all, if the
  /// next segment that take() makes would be shorter: that takes less time and memory than several segments. If there
  /// is no such memory, take() makes segments as ever. Throws std::bad_alloc, only for its own lists.
  void reserve(std::size_t bytes);
  /// Takes a region of at least `bytes` bytes, and at least a cache line, all zeros. The pages of the first `soon`
  /// bytes are touched now, so that no start has to wait for them: one page takes as long as tens of short messages.
  /// Throws std::bad_alloc, only for its own lists; nothing was taken then.
  Attempt<Region> take(std::size_t bytes, std::size_t soon = std::numeric_limits<std::size_t>::max());
  /// Ends the use of a region that take() returned. `closed_words`: the words in the region by which partners close it.
  /// Without any the region is free at once.
  void give_back(const Region& region, std::vector<const SharedWord*> closed_words) noexcept;

  /// Frees the regions that were given back and that all partners have closed. take() does so if it finds no space.
  void reclaim() noexcept;

  /// Returns the card for the partners to which a region in this segment is offered.
  [[nodiscard]] SegmentCard card(std::uint32_t segment) const noexcept { return parts_[segment].segment.card(); }
  [[nodiscard]] std::size_t segments() const noexcept { return parts_.size(); }
  /// Returns the bytes that all segments may have together.
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  /// Returns the bytes of all segments together.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  enum class State : std::uint8_t {
    free,
    taken,
    aside  ///< given back, and not yet closed by all partners
  };
  struct Block {
    std::size_t bytes;
    State state = State::free;
    std::vector<const SharedWord*> open = {};  ///< words that were not set when last checked
  };
  using Blocks = std::map<std::uint64_t, Block>;  ///< by offset, without gaps; no two free blocks are neighbors
  struct Part {
    Segment segment;
    Blocks blocks;
    std::uint64_t first_free;  ///< offset before which no block is free
    std::uint64_t fresh;       ///< offset from which on nothing was ever taken, and all bytes are zero
  };

  Attempt<Region> take_from_segments(std::size_t bytes);
  /// Writes zeros where the region was in use before, and over its first `soon` bytes.
  void clear(const Region& region, std::size_t soon) noexcept;
  /// Makes another segment, for a region of `bytes` bytes and later ones. Returns nothing on success.
  std::optional<Refusal> add_segment(std::size_t bytes);
  std::optional<Refusal> make_segment(std::size_t bytes);
  /// Frees a block. Returns the free block of which it is a part now.
  static Blocks::iterator free(Part& part, Blocks::iterator block) noexcept;

  std::size_t budget_;
  std::size_t bytes_ = 0;
  std::size_t next_size_ = std::size_t{256} << 10U;
  std::size_t aside_ = 0;  ///< number of blocks in that state
  std::vector<Part> parts_;
};

}  // namespace rondo::internal

#endif
