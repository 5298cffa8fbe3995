/// @file
/// Connection: the shared memory of a persistent operation, and how two ranks come to use them.
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

/// What a rank tells each partner of an operation: who it is, where the partner may write, and of which messages it
/// takes that to be the memory.
struct Offer {
  NodeCard node;
  SegmentCard segment;          ///< of the region
  std::uint64_t region;         ///< offset in it
  std::uint64_t has_region;     ///< 1; 0: there is none, and all that the partner sends goes over MPI
  std::int64_t longest;         ///< bytes of the longest message that has a place there
  std::uint64_t receive_print;  ///< of all messages that have
  ClaimOffer claims;            ///< of messages in allocated arrays, both what it sends and what it receives
  PublishedOffer published;     ///< of data that it sends to others, too
};
static_assert(std::is_trivially_copyable_v<Offer>);

/// What it answers to the partner's offer, as bits.
using Answer = std::uint64_t;
inline constexpr Answer kWritesToSlots = 1;  ///< it writes what it sends into the partner's region
inline constexpr Answer kReadsClaims = 2;    ///< it has read which messages lie in the partner's arrays
/// It reads those that have data in common where the partner publishes these. All others it reads in its slots.
inline constexpr Answer kReadsPublished = 4;

/// The fewest bytes of messages that take special ways.
struct ShortestMessages {
  std::int64_t claimed = kShortestClaimed;
  std::int64_t published = kShortestPublished;
};

/// Two ranks tell each other their offers, then each tells the other whether it can write there and will; both know
/// then which way each message takes. Whatever is not to be had at one end has both ends take MPI. All memory is taken
/// before the first offer, so that nothing can fail on one rank alone afterwards.
class Connection {
 public:
  /// The messages of an execution whose buffers are bound. `rank`: the own one in its communicator. `nodes`: a number
  /// for the node of each rank, 0 for one that is not known, or nothing; no memory is taken for ranks of other nodes.
  /// Throws std::bad_alloc, and Error for what the environment says.
  Connection(const Execution& execution, int rank, SharedMemory use, const ShortestMessages& shortest = {},
             std::span<const std::int64_t> nodes = {});
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  /// Partners may still write into the regions: these are kept until each has closed its end, too.
  ~Connection();

  /// Takes back what partners have closed of the regions of connections that are gone: any thread.
  static void reclaim() noexcept;

  struct Partner {
    int rank;
    Offer own;
    Offer theirs;
    Answer own_answer;
    Answer their_answer;
  };
  [[nodiscard]] std::span<Partner> partners() noexcept { return partners_; }
  /// For the messages by which that is told, one each way with each partner.
  [[nodiscard]] std::span<MPI_Request> requests() noexcept { return requests_; }
  /// When all offers of partners are there: finds the answers.
  void answer() noexcept;
  /// When all answers are there: from now on the channels can be used.
  void settle() noexcept;

  /// How many messages may have a channel.
  [[nodiscard]] std::size_t channels() const noexcept { return sends_.size() + receives_.size() + claims_; }
  /// After settle(): gives those that have one their channel, by number of message.
  void route(std::span<Route> routes) noexcept;
  /// How many messages are claimed.
  [[nodiscard]] std::size_t claimed() const noexcept;
  /// Why messages that would fit take MPI, or data are packed more often than they might be.
  struct Obstacle {
    std::string reason;  ///< for people
    bool expected;       ///< somebody asked for that, or the partner is on another node
    bool takes_mpi = true;
  };
  [[nodiscard]] const std::vector<Obstacle>& obstacles() const noexcept { return obstacles_; }

 private:
  struct Pair {
    SlotPlan plan{};
    Region region{};  ///< of what is received
    /// Where the partner says that it has closed its end of that; empty while it knows nothing of the region.
    std::vector<const SharedWord*> closed{};
    std::byte* target = nullptr;  ///< of what is sent: the partner's region
    bool is_elsewhere = false;    ///< on another node: no memory is taken for it
    std::size_t first_send = 0;   ///< in sends_
    std::size_t first_receive = 0;
    std::optional<ClaimPair> claims{};  ///< where some messages lie in allocated arrays
    PublishedTable published{};         ///< by the partner
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
  void answer_slots(Partner& partner, Pair& pair);
  void answer_published(Partner& partner, Pair& pair);
  void note(std::string reason, bool expected, bool takes_mpi = true);

  std::vector<Partner> partners_;
  std::vector<MPI_Request> requests_;
  std::vector<Pair> pairs_;  ///< of the same places
  std::vector<Sending> sends_;
  std::vector<Receiving> receives_;
  std::vector<CopyProgram> programs_;
  Publisher publisher_;
  std::size_t claims_ = 0;           ///< messages that may be claimed
  std::vector<Obstacle> obstacles_;  ///< each once
};

}  // namespace rondo::internal

#endif
