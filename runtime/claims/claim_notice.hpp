/// @file
/// ClaimNotice: what a rank tells a partner of a message that lies in one of its arrays.
#ifndef RONDO_RUNTIME_CLAIMS_CLAIM_NOTICE_HPP
#define RONDO_RUNTIME_CLAIMS_CLAIM_NOTICE_HPP

#include "datatypes/layout/layout.hpp"
#include "runtime/shared_memory/allocated_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo::internal {

/// Longest description of a layout, in words, that partners tell each other.
inline constexpr std::size_t kMostLayoutWords = 4096;

/// One end of a message that lies whole in an allocated array.
struct ClaimableMessage {
  std::uint32_t number;  ///< in Schedule::messages()
  std::uint32_t tag;
  bool sends;
  std::int64_t bytes;
  ArrayPlace place;  ///< of the first byte that it touches
  Layout layout;     ///< from there
};

/// Whether the description of a layout is not too long for that. Throws std::bad_alloc.
[[nodiscard]] bool fits_notice(const Layout& layout);

/// What a partner reads of such a message.
struct ClaimNotice {
  std::uint32_t tag = 0;
  bool sends = false;
  std::int64_t bytes = 0;
  SegmentCard segment{};
  std::int64_t offset = 0;     ///< of the message's first byte, in that segment
  std::uint64_t accepted = 0;  ///< offset, in the region that the notice stands in, of the word that says that its
                               ///< author could copy it
  std::uint64_t word = 0;      ///< of a receive: offset there of the claim's word
  std::span<const std::int64_t> layout{};
};

/// Appends a notice as words, with its layout. Throws std::bad_alloc.
void append_notice(const ClaimableMessage& message, std::uint64_t accepted, std::uint64_t word,
                   std::vector<std::int64_t>& words);
/// The notices that exactly these words are, whose layouts point into them; nothing where they are none. Their values
/// are not looked at yet. Throws std::bad_alloc.
[[nodiscard]] std::optional<std::vector<ClaimNotice>> notices_from(std::span<const std::int64_t> words);

}  // namespace rondo::internal

#endif
