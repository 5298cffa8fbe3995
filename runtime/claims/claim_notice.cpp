#include "runtime/claims/claim_notice.hpp"

#include "datatypes/layout/layout_words.hpp"

namespace rondo::internal {
namespace {

/// Number of words in a notice before the words of its layout.
constexpr std::size_t kNoticeWords = 11;

std::int64_t as_word(std::uint64_t value) noexcept { return static_cast<std::int64_t>(value); }

}  // namespace

bool fits_notice(const Layout& layout) {
  std::vector<std::int64_t> words;
  append_words(layout, words);
  return words.size() <= kMostLayoutWords;
}

void append_notice(const ClaimableMessage& message, std::uint64_t accepted, std::uint64_t word,
                   std::vector<std::int64_t>& words) {
  const SegmentCard& card = message.place.segment;
  words.insert(words.end(), {message.tag, message.sends ? 1 : 0, message.bytes, as_word(card.size),
                             as_word(card.nonce[0]), as_word(card.nonce[1]), card.descriptor,
                             as_word(message.place.offset), as_word(accepted), as_word(word), 0});
  const std::size_t before = words.size();
  append_words(message.layout, words);
  words[before - 1] = as_word(words.size() - before);
}

std::optional<std::vector<ClaimNotice>> notices_from(std::span<const std::int64_t> words) {
  const auto unsigned_at = [&](std::size_t place) { return static_cast<std::uint64_t>(words[place]); };
  std::vector<ClaimNotice> notices;
  while (!words.empty()) {
    if (words.size() < kNoticeWords) return std::nullopt;
    const std::uint64_t of_layout = unsigned_at(10);
    if (of_layout > words.size() - kNoticeWords) return std::nullopt;
    ClaimNotice& notice = notices.emplace_back();
    notice.tag = static_cast<std::uint32_t>(words[0]);
    notice.sends = words[1] != 0;
    notice.bytes = words[2];
    notice.segment.size = unsigned_at(3);
    notice.segment.nonce = {unsigned_at(4), unsigned_at(5)};
    notice.segment.descriptor = static_cast<std::int32_t>(words[6]);
    notice.offset = words[7];
    notice.accepted = unsigned_at(8);
    notice.word = unsigned_at(9);
    notice.layout = words.subspan(kNoticeWords, of_layout);
    words = words.subspan(kNoticeWords + of_layout);
  }
  return notices;
}

}  // namespace rondo::internal
