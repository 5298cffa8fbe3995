/// @file
/// ClaimPair: the messages between two ranks that either of them may copy, and how they come to agree on them.
#ifndef RONDO_RUNTIME_CLAIMS_CLAIM_PAIR_HPP
#define RONDO_RUNTIME_CLAIMS_CLAIM_PAIR_HPP

#include "datatypes/copying/copy_program.hpp"
#include "runtime/claims/claim_channel.hpp"
#include "runtime/claims/claim_notice.hpp"
#include "runtime/shared_memory/node_card.hpp"
#include "runtime/shared_memory/partner_segments.hpp"
#include "runtime/shared_memory/segment_space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace rondo::internal {

/// Where a rank tells a partner of messages that lie in its arrays. Part of an Offer.
struct ClaimOffer {
  SegmentCard segment;
  std::uint64_t region;  ///< offset in it
  std::uint64_t bytes;   ///< of the region; 0: there is none
};
static_assert(std::is_trivially_copyable_v<ClaimOffer>);

/// Each end writes into a region of its own which messages lie in its arrays, where, and how. Each reads that of the
/// other, maps the arrays of messages that both name with the same size, and writes into its region which of them it
/// could copy. Those that both could copy are claimed; all others go another way. The region begins with a line in
/// which the partner says that it has closed its end. The words of claims lie in the region of the receiver, in lines
/// of their own. All functions are called by one thread at a time, with the memory of the process locked.
class ClaimPair {
 public:
  /// Throws std::bad_alloc.
  explicit ClaimPair(std::vector<ClaimableMessage> own);

  [[nodiscard]] std::size_t size() const noexcept { return own_.size(); }
  /// Takes the region, if there is something to say. Throws std::bad_alloc, and has done nothing then.
  [[nodiscard]] std::optional<Refusal> offer(SegmentSpace& space, ClaimOffer& offer);
  /// Finds out what could be copied here. Throws std::bad_alloc: what was found by then stands.
  [[nodiscard]] std::optional<Refusal> answer(const NodeCard& owner, const ClaimOffer& theirs,
                                              PartnerSegments& partners);
  /// Whether it has the partner's region mapped, and so will close it.
  [[nodiscard]] bool reads() const noexcept { return theirs_.data() != nullptr; }
  /// When both have answered. `is_read`: whether the partner reads().
  void settle(bool is_read) noexcept;
  /// From settle() on: calls visit(number, channel) for each message that is claimed.
  template <typename Visit>
  void for_each_claimed(Visit visit) {
    for (Found& found : found_) {
      if (found.claimed) visit(found.number, found.channel);
    }
  }
  [[nodiscard]] std::size_t claimed() const noexcept;
  /// The last access; only once.
  void close(SegmentSpace& space) noexcept;

 private:
  struct Own {
    ClaimableMessage message;
    std::uint64_t accepted = 0;  ///< offset of that word in the own region
    std::uint64_t word = 0;      ///< of a receive: that of the claim
  };
  /// A message that this end could copy.
  struct Found {
    std::uint32_t number;
    ClaimChannel channel;
    CopyProgram program;
    std::shared_ptr<const void> own_array;
    std::shared_ptr<const MappedSegment> their_array;
    const SharedWord* accepted;  ///< by the partner
    bool claimed = false;
  };
  void find(const Own& own, const ClaimNotice& notice, const NodeCard& owner, PartnerSegments& partners);
  [[nodiscard]] bool has_word(std::uint64_t offset) const noexcept;

  std::vector<Own> own_;
  std::vector<Found> found_;  ///< never moves: routes lead to its channels
  Region region_{};
  std::vector<const SharedWord*> closed_;  ///< of the own region; empty while the partner knows nothing of it
  std::span<std::byte> theirs_;            ///< the partner's region
  std::optional<Refusal> obstacle_;
};

}  // namespace rondo::internal

#endif
