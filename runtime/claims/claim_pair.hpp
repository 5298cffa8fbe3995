/// @file
/// ClaimPair: the messages between two ranks that either rank may copy, and how the two agree on them.
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

/// The place where a rank has written the notices about messages in its arrays for a partner. Part of an Offer.
struct ClaimOffer {
  SegmentCard segment;
  std::uint64_t region;  ///< offset of the region in the segment
  std::uint64_t bytes;   ///< size of the region; 0 if there is none
};
static_assert(std::is_trivially_copyable_v<ClaimOffer>);

/// The claimed messages between this rank and a partner. Each end writes into a region of its own which messages lie in
/// its arrays, where, and how. Each end reads the other's region, maps the arrays of the messages that both name with
/// the same size, and writes into its own region which of them it could copy. Messages that both could copy are
/// claimed; all others take another way. The region begins with a line in which the partner says that it has closed its
/// end. The words of claims lie in the receiver's region, in lines of their own. All functions are called by one thread
/// at a time, with the memory of the process locked.
class ClaimPair {
 public:
  /// Makes a pair for `own`, the messages that could be claimed at this end. Throws std::bad_alloc.
  explicit ClaimPair(std::vector<ClaimableMessage> own);

  [[nodiscard]] std::size_t size() const noexcept { return own_.size(); }
  /// Allocates the own region, writes the notices into it and fills `offer`. Returns the reason if no region can be
  /// had, otherwise nothing. Throws std::bad_alloc, and has done nothing then.
  [[nodiscard]] std::optional<Refusal> offer(SegmentSpace& space, ClaimOffer& offer);
  /// Reads the partner's notices and marks the messages that this end could copy. Returns the reason if the partner's
  /// notices, or some array, cannot be used, otherwise nothing. Throws std::bad_alloc, and then keeps the messages
  /// found so far.
  [[nodiscard]] std::optional<Refusal> answer(const NodeCard& owner, const ClaimOffer& theirs,
                                              PartnerSegments& partners);
  /// Returns whether this end has mapped the partner's region, and so will close it.
  [[nodiscard]] bool reads() const noexcept { return theirs_.data() != nullptr; }
  /// Finds the claimed messages, once both ends have answered. `is_read`: whether the partner reads().
  void settle(bool is_read) noexcept;
  /// Calls visit(number, channel) for each message that is claimed. Call it after settle().
  template <typename Visit>
  void for_each_claimed(Visit visit) {
    for (Found& found : found_) {
      if (found.claimed) visit(found.number, found.channel);
    }
  }
  [[nodiscard]] std::size_t claimed() const noexcept;
  /// Closes the partner's region and gives the own region back. Call it once, after the last access.
  void close(SegmentSpace& space) noexcept;

 private:
  struct Own {
    ClaimableMessage message;
    std::uint64_t accepted = 0;  ///< offset of ClaimNotice::accepted's word in the own region
    std::uint64_t word = 0;      ///< of a receive: offset of the claim's word in the own region
  };
  /// A message that this end could copy.
  struct Found {
    std::uint32_t number;
    ClaimChannel channel;
    CopyProgram program;
    std::shared_ptr<const void> own_array;
    std::shared_ptr<const MappedSegment> their_array;
    const SharedWord* accepted;  ///< the partner's word that says that it could copy the message
    bool claimed = false;
  };
  void find(const Own& own, const ClaimNotice& notice, const NodeCard& owner, PartnerSegments& partners);
  [[nodiscard]] bool has_word(std::uint64_t offset) const noexcept;

  std::vector<Own> own_;
  std::vector<Found> found_;  ///< never moves, because routes point to its channels
  Region region_{};
  std::vector<const SharedWord*> closed_;  ///< closing word of the own region; empty while the partner does not know it
  std::span<std::byte> theirs_;            ///< the partner's region
  std::optional<Refusal> obstacle_;
};

}  // namespace rondo::internal

#endif
