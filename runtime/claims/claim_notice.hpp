/// @file
/// ClaimNotice: a rank's description, for a partner, of a message that lies in one of the rank's arrays.
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

/// Maximum length, in words, of the description of a layout in a notice.
inline constexpr std::size_t kMostLayoutWords = 4096;

/// One end of a message, which lies whole in an allocated array at this end.
struct ClaimableMessage {
  std::uint32_t number;  ///< index in Schedule::messages()
  std::uint32_t tag;
  bool sends;
  std::int64_t bytes;
  ArrayPlace place;  ///< of the first byte that the message touches
  Layout layout;     ///< from that first byte
};

/// Returns whether the description of a layout has at most kMostLayoutWords words. Throws std::bad_alloc.
[[nodiscard]] bool fits_notice(const Layout& layout);

/// A claimable message as its rank describes it to the partner, who reads the notice by notices_from().
struct ClaimNotice {
  std::uint32_t tag = 0;
  bool sends = false;
  std::int64_t bytes = 0;
  SegmentCard segment{};
  std::int64_t offset = 0;  ///< offset of the message's first byte in that segment
  /// Offset, in the region that contains the notice, of the word that says that the notice's author could copy the
  /// message.
  std::uint64_t accepted = 0;
  std::uint64_t word = 0;  ///< of a receive: offset of the claim's word in that region
  std::span<const std::int64_t> layout{};
};

/// Appends a notice about `message`, with its layout, to `words`. Throws std::bad_alloc.
void append_notice(const ClaimableMessage& message, std::uint64_t accepted, std::uint64_t word,
                   std::vector<std::int64_t>& words);
/// Returns the notices in `words`, or nothing if the words are not exactly a list of notices. The layouts of the
/// notices point into `words`. The values are not checked. Throws std::bad_alloc.
[[nodiscard]] std::optional<std::vector<ClaimNotice>> notices_from(std::span<const std::int64_t> words);

}  // namespace rondo::internal

#endif
