/// @file
/// Connection: the shared memory of a persistent operation, and how two ranks agree to use it.
#ifndef RONDO_RUNTIME_EXECUTION_CONNECTION_HPP
#define RONDO_RUNTIME_EXECUTION_CONNECTION_HPP

#include "datatypes/copying/copy_program.hpp"
#include "runtime/claims/claim_pair.hpp"
#include "runtime/execution/claimable.hpp"
#include "runtime/routes/publishing.hpp"
#include "runtime/routes/route.hpp"
#include "runtime/routes/slot_plan.hpp"
#include "runtime/shared_memory/node_card.hpp"
#include "runtime/shared_memory/partner_segments.hpp"
#include "runtime/shared_memory/segment_space.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rondo::internal {

class Execution;

/// A message that a rank sends to each partner of an operation: its node, where the partner may write, and for which
/// messages that memory is planned.
struct Offer {
  NodeCard node;
  SegmentCard segment;          ///< segment that contains the region
  std::uint64_t region;         ///< offset of the region in the segment
  std::uint64_t has_region;     ///< 1; or 0 if there is no region, so that all messages from the partner go over MPI
  std::int64_t longest;         ///< bytes of the longest message that may have a place in the region
  std::uint64_t receive_print;  ///< fingerprint of all messages with a place in the region
  ClaimOffer claims;            ///< notices about messages in allocated arrays, sent and received ones
  PublishedOffer published;     ///< data that this rank sends to several partners
};
static_assert(std::is_trivially_copyable_v<Offer>);

/// A rank's answer to the partner's offer, as bits.
using Answer = std::uint64_t;
inline constexpr Answer kWritesToSlots = 1;  ///< the rank writes the messages that it sends into the partner's region
inline constexpr Answer kReadsClaims = 2;    ///< the rank has read which messages lie in the partner's arrays
/// The rank reads messages with common data where the partner publishes them. It reads all other messages in its slots.
inline constexpr Answer kReadsPublished = 4;

/// The minimum lengths, in bytes, of messages that are claimed or published.
struct ShortestMessages {
  std::int64_t claimed = kShortestClaimed;
  std::int64_t published = kShortestPublished;
};

/// The shared-memory channels of an operation. Two ranks send each other their offers, and then their answers: whether
/// each can write to the other's memory and will. Both ranks then know which way each message takes. If one end cannot
/// have a way, both ends use MPI instead. All memory is allocated before the first offer, so that nothing can fail on
/// one rank alone afterwards.
class Connection {
 public:
  /// Makes a connection and plans the channels of an execution's messages. The execution's buffers must be bound.
  /// `rank`: the own rank in its communicator. `nodes`: for each rank a number for its node, 0 if that is not known; or
  /// nothing. No memory is taken for ranks of other nodes. Throws std::bad_alloc, and Error because of environment
  /// variables.
  Connection(const Execution& execution, int rank, SharedMemory use, const ShortestMessages& shortest = {},
             std::span<const std::int64_t> nodes = {});
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  /// Closes the regions of partners and gives the own regions back. Partners may still write into these, so they are
  /// kept until each partner has closed its end, too.
  ~Connection();

  /// Makes regions of destroyed connections available again once the partners have closed them. Any thread.
  static void reclaim() noexcept;

  struct Partner {
    int rank;
    Offer own;
    Offer theirs;
    Answer own_answer;
    Answer their_answer;
  };
  [[nodiscard]] std::span<Partner> partners() noexcept { return partners_; }
  /// Returns the requests for the messages that exchange offers and answers, one each way with each partner.
  [[nodiscard]] std::span<MPI_Request> requests() noexcept { return requests_; }
  /// Decides what this rank answers to the offer of each partner: which parts of the partner's memory it uses.
  /// Call this when the offers of all partners have arrived.
  void answer() noexcept;
  /// Opens the channels. Call it when all answers have arrived; the channels can be used afterwards.
  void settle() noexcept;

  /// Returns how many messages may have a channel.
  [[nodiscard]] std::size_t channels() const noexcept { return sends_.size() + receives_.size() + claims_; }
  /// Stores the channels in `routes`, which are indexed by number of message. Call it after settle().
  void route(std::span<Route> routes) noexcept;
  /// Returns how many messages are claimed.
  [[nodiscard]] std::size_t claimed() const noexcept;
  /// A reason why messages that would fit take MPI, or why data are packed more often than necessary.
  struct Obstacle {
    std::string reason;  ///< for people
    bool expected;       ///< the user asked for that, or the partner is on another node or a far core
    bool takes_mpi = true;
  };
  [[nodiscard]] const std::vector<Obstacle>& obstacles() const noexcept { return obstacles_; }

 private:
  struct Pair {
    SlotPlan plan{};
    Region region{};  ///< for the messages that are received
    /// The word in the region in which the partner says that it has closed its end; empty while the partner does not
    /// know the region.
    std::vector<const SharedWord*> closed{};
    std::byte* target = nullptr;  ///< the partner's region, for the messages that are sent
    bool is_elsewhere = false;    ///< the partner is on another node: no memory is taken for it
    std::size_t first_send = 0;   ///< index in sends_
    std::size_t first_receive = 0;
    std::optional<ClaimPair> claims{};  ///< set if some messages lie in allocated arrays
    PublishedTable published{};         ///< the data that the partner publishes
  };
  struct Sending {
    SendChannel channel;
    std::uint32_t number;
    bool open;
  };
  struct Receiving {
    ReceiveChannel channel;
    std::uint32_t number;
    bool open;
  };
  void add_ends(const Execution& execution, const SlotPlan& plan);
  void find_common_data(const Schedule& schedule, std::int64_t shortest);
  void take_regions();
  void give_back_regions() noexcept;
  void open_sends(Pair& pair) noexcept;
  void open_receives(Pair& pair) noexcept;
  void open_published() noexcept;
  [[nodiscard]] bool may_share(const Partner& partner);
  void leave_long_to_mpi(PlannedDirection& direction, std::int64_t longest);
  void answer_slots(Partner& partner, Pair& pair);
  void answer_published(Partner& partner, Pair& pair);
  void note(std::string reason, bool expected, bool takes_mpi = true);

  std::vector<Partner> partners_;
  std::vector<MPI_Request> requests_;
  std::vector<Pair> pairs_;  ///< in the order of partners_
  std::vector<Sending> sends_;
  std::vector<Receiving> receives_;
  std::vector<CopyProgram> programs_;
  Publisher publisher_;
  std::size_t claims_ = 0;           ///< messages that may be claimed
  std::vector<Obstacle> obstacles_;  ///< each reason once
};

}  // namespace rondo::internal

#endif
