#include "runtime/claims/claim_pair.hpp"

#include "datatypes/layout/layout_words.hpp"
#include "runtime/shared_memory/region_closing.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rondo::internal {
namespace {

// Accesses are relaxed while the ranks connect: a rank writes before it sends an offer or an answer, and the other
// reads after it has received that as a message of MPI, which orders the two.

// Offsets of the words in the first line of a region.
constexpr std::size_t kClosed = 0;                      ///< set when the partner has closed its end
constexpr std::size_t kNoticesAt = sizeof(SharedWord);  ///< holds the offset of the notices; 0: not written yet
constexpr std::size_t kWords = 2 * sizeof(SharedWord);  ///< holds how many words the notices have
constexpr std::size_t kFirstOffset = kCacheLine;

SharedWord* shared_word(std::byte* region, std::uint64_t offset) noexcept {
  return reinterpret_cast<SharedWord*>(region + offset);
}

}  // namespace

ClaimPair::ClaimPair(std::vector<ClaimableMessage> own) {
  own_.reserve(own.size());
  for (ClaimableMessage& message : own) own_.push_back({std::move(message)});
  found_.reserve(own.size());
  closed_.reserve(1);
}

std::optional<Refusal> ClaimPair::offer(SegmentSpace& space, ClaimOffer& offer) {
  offer = {};
  if (own_.empty()) return std::nullopt;
  std::uint64_t end = kFirstOffset;
  for (Own& own : own_) {
    if (own.message.sends) continue;
    own.word = end;
    end += kCacheLine;  // a line of its own, because two ranks write it in each start
  }
  for (Own& own : own_) {
    own.accepted = end;
    end += sizeof(SharedWord);
  }
  std::vector<std::int64_t> words;
  for (const Own& own : own_) append_notice(own.message, own.accepted, own.word, words);
  const std::size_t bytes = words.size() * sizeof(std::int64_t);
  Attempt<Region> region = space.take(end + bytes);
  if (!region) return region.refusal();
  region_ = *region;
  std::memcpy(region_.data + end, words.data(), bytes);
  shared_word(region_.data, kWords)->store(words.size(), std::memory_order_relaxed);
  shared_word(region_.data, kNoticesAt)->store(end, std::memory_order_relaxed);
  offer = {space.card(region_.segment), region_.offset, region_.bytes};
  return std::nullopt;
}

bool ClaimPair::has_word(std::uint64_t offset) const noexcept {
  return offset >= kFirstOffset && offset % sizeof(SharedWord) == 0 && offset <= theirs_.size() - sizeof(SharedWord);
}

std::optional<Refusal> ClaimPair::answer(const NodeCard& owner, const ClaimOffer& theirs, PartnerSegments& partners) {
  found_.clear();
  if (theirs.bytes < kFirstOffset || region_.data == nullptr) return std::nullopt;
  const auto segment = partners.map(owner, theirs.segment);
  if (!segment) return segment.refusal();
  if (theirs.region % kCacheLine != 0 || theirs.region > segment->size() ||
      theirs.bytes > segment->size() - theirs.region)
    return Refusal{"the partner's notices do not lie in its segment"};
  theirs_ = segment->subspan(theirs.region, theirs.bytes);
  const std::uint64_t at = shared_word(theirs_.data(), kNoticesAt)->load(std::memory_order_relaxed);
  const std::uint64_t count = shared_word(theirs_.data(), kWords)->load(std::memory_order_relaxed);
  if (at < kFirstOffset || at > theirs_.size() || count > (theirs_.size() - at) / sizeof(std::int64_t))
    return Refusal{"the partner's notices do not lie in its region"};
  std::vector<std::int64_t> words(count);  // a copy, which nobody changes while it is read
  std::memcpy(words.data(), theirs_.data() + at, count * sizeof(std::int64_t));
  const auto notices = notices_from(words);
  if (!notices) return Refusal{"the partner's notices cannot be read"};
  obstacle_.reset();
  for (const Own& own : own_) {
    const auto notice = std::ranges::find_if(*notices, [&](const ClaimNotice& it) {
      return it.tag == own.message.tag && it.sends != own.message.sends && it.bytes == own.message.bytes;
    });
    if (notice != notices->end()) find(own, *notice, owner, partners);
  }
  return obstacle_;
}

void ClaimPair::find(const Own& own, const ClaimNotice& notice, const NodeCard& owner, PartnerSegments& partners) {
  if (!has_word(notice.accepted) || (own.message.sends && !has_word(notice.word))) {
    obstacle_ = Refusal{"the partner's words do not lie in its region"};
    return;
  }
  auto array = partners.borrow(owner, notice.segment);
  if (!array) {
    obstacle_ = array.refusal();
    return;
  }
  const std::span<std::byte> memory = (*array)->memory();
  const auto size = static_cast<std::int64_t>(memory.size());
  if (notice.offset < 0 || notice.offset > size) {
    obstacle_ = Refusal{"the partner's message does not lie in its array"};
    return;
  }
  const std::optional<Layout> layout = layout_from(notice.layout, notice.bytes, size - notice.offset);
  if (!layout) {
    obstacle_ = Refusal{"the partner's message does not lie in its array"};
    return;
  }
  std::byte* const there = memory.data() + notice.offset;
  std::byte* const here = own.message.place.data;
  const bool sends = own.message.sends;
  CopyProgram program;
  if (sends)
    program.append(own.message.layout, 0, *layout, 0);
  else
    program.append(*layout, 0, own.message.layout, 0);
  program.finish();
  SharedWord* const word = sends ? shared_word(theirs_.data(), notice.word) : shared_word(region_.data, own.word);
  Found& found = found_.emplace_back(Found{own.message.number,
                                           {.end = ClaimEnd<>(word, sends ? ClaimSide::sender : ClaimSide::receiver),
                                            .source = sends ? here : there,
                                            .target = sends ? there : here,
                                            .program = {}},
                                           std::move(program),
                                           own.message.place.array,
                                           std::move(*array),
                                           shared_word(theirs_.data(), notice.accepted)});
  found.channel.program = found.program.runs();
  shared_word(region_.data, own.accepted)->store(1, std::memory_order_relaxed);
}

void ClaimPair::settle(bool is_read) noexcept {
  if (is_read) closed_.push_back(shared_word(region_.data, kClosed));
  for (Found& found : found_) {
    // Only a partner that reads the notices has accepted any.
    found.claimed = is_read && found.accepted->load(std::memory_order_relaxed) != 0;
    if (found.claimed) continue;
    found.own_array.reset();
    found.their_array.reset();
  }
}

std::size_t ClaimPair::claimed() const noexcept {
  return static_cast<std::size_t>(std::ranges::count(found_, true, &Found::claimed));
}

void ClaimPair::close(SegmentSpace& space) noexcept {
  if (reads()) close_region(*shared_word(theirs_.data(), kClosed));
  if (region_.data != nullptr) space.give_back(std::exchange(region_, {}), std::move(closed_));
}

}  // namespace rondo::internal
