/// @file
/// Virtual ranks that share memory, for tests: an adversary delays what one rank sees of what another has written.
#ifndef RONDO_TESTS_SUPPORT_NETWORKS_SLOTTED_NETWORK_HPP
#define RONDO_TESTS_SUPPORT_NETWORKS_SLOTTED_NETWORK_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/execution/node_transport.hpp"
#include "runtime/machine/loopback_transport.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal {

/// A NodeTransport for each rank of a loopback network. Operations are connected as by messages, in segments of this
/// process; which directions of which pairs are is the adversary's choice, the others stay with the network. Each
/// sender then has a copy of its slots and of the counts: the adversary brings data line by line, and only after all
/// of them the word, to where the receiver looks, and counts back. It may take any time for that; so news come late and
/// out of order, and senders run out of slots. Of data that messages have in common each receiver has a copy. Messages
/// of arrays that both ends of a pair know are claimed: an end that came first sees late what has become of them, and
/// whoever copies one may be in the middle of that for a while.
class SlottedNetwork {
 public:
  /// Draws from the network's seed.
  explicit SlottedNetwork(LoopbackNetwork& network);

  [[nodiscard]] NodeTransport<LoopbackTransport>& transport(int rank) {
    return *transports_[static_cast<std::size_t>(rank)];
  }
  /// Executions of one operation, one on each rank, over these transports, with their buffers bound.
  void connect(std::span<Execution* const> of_ranks);
  /// How many messages go through slots.
  [[nodiscard]] std::size_t lines() const noexcept { return lines_.size(); }
  /// How many of these have their data in common with others.
  [[nodiscard]] std::size_t published() const noexcept { return published_lines_; }
  /// How many ends of messages are claimed.
  [[nodiscard]] std::size_t claims() const noexcept { return claims_; }
  /// How many of these were seen late so far, and how many copies took their time.
  [[nodiscard]] std::size_t late_claims() const noexcept { return late_claims_; }
  [[nodiscard]] std::size_t slow_copies() const noexcept { return slow_copies_; }

  /// The adversary's turn before a step of a rank. False: the rank is in the middle of a copy, and takes none.
  [[nodiscard]] bool may_step(int rank);
  /// Before a rank gives up, which waits for copies that others are in the middle of.
  void end_copies_with(int rank);
  /// What a rank has just done, as far as it matters here.
  enum class Did : std::uint8_t { nothing, something, empty_poll };
  /// The adversary's turn after that.
  void step(int rank, Did did);
  /// Whether something is still under way, or somebody might find something.
  [[nodiscard]] bool can_move() const noexcept;

 private:
  /// One message of every start: what the sender has written, and where the receiver looks.
  struct Line {
    static constexpr std::size_t kMostSlots = 16;
    int sender = 0;
    int receiver = 0;
    std::size_t bytes = 0;
    std::size_t slots = 2;
    OfSlots<const std::byte> from{};
    std::array<std::byte*, kMostSlots> to{};
    std::vector<std::byte> copy{};  ///< of the data, at the sender, or at the receiver of what is published
    std::array<SharedWord, kMostSlots> words_from{};
    std::array<SharedWord*, kMostSlots> words_to{};
    SharedWord count_copy = 0;
    SharedWord* count = nullptr;  ///< null where there is none
    struct Delivery {
      bool under_way = false;
      std::vector<std::size_t> cache_lines = {};  ///< not yet there
    };
    std::array<Delivery, kMostSlots> deliveries{};
    bool count_under_way = false;
  };
  static constexpr std::size_t kCount = Line::kMostSlots;
  struct News {
    Line* line;
    std::size_t what;  ///< a slot, or kCount
  };

  struct Claim;
  /// What one end sees of a claim.
  struct View {
    Claim* claim = nullptr;
    int rank = 0;
    ClaimChannel* channel = nullptr;
    SharedWord word = 0;       ///< the end's
    std::uint64_t before = 0;  ///< the same, before the rank's step
    bool late = false;         ///< waits to be brought what is new
  };
  /// A message that either end copies. An end that has come and, for all that it sees, is alone does nothing to the
  /// word but look at it, and may see late what it has become; so may one that has just come. In any other state it
  /// exchanges the word next, which has its newest value for whoever does so.
  struct Claim {
    std::uint64_t word = 0;
    std::array<View, 2> views;  ///< by side
  };
  [[nodiscard]] static bool waits_alone(const View& view) noexcept;
  void connect_claims(Execution& from, int sender, Execution& to, int receiver);
  void see(View& view);
  void tell(View& view);
  void end_copy(int rank);

  void connect_pair(Execution& from, int sender, Execution& to, int receiver);
  Line& add_line(int sender, int receiver, std::size_t bytes, std::size_t slots);
  void notice(int rank);
  [[nodiscard]] bool bring(const News& news);

  LoopbackNetwork& network_;
  std::size_t shared_;     ///< of four directions, how many
  std::size_t claimed_;    ///< of four ends, how many read what the other can copy
  std::size_t published_;  ///< of four ends, how many read what the other publishes
  std::size_t published_lines_ = 0;
  std::size_t claims_ = 0;
  std::size_t word_odds_;
  std::size_t count_odds_;
  std::size_t moves_;
  std::vector<std::unique_ptr<NodeTransport<LoopbackTransport>>> transports_;
  std::deque<Line> lines_;
  std::vector<std::vector<Line*>> of_rank_;  ///< that it sends or receives
  std::vector<News> under_way_;
  std::size_t pause_odds_;
  std::size_t late_claims_ = 0;
  std::size_t slow_copies_ = 0;
  std::deque<Claim> claimed_messages_;
  std::vector<std::vector<View*>> views_of_rank_;
  std::vector<View*> late_views_;
  std::vector<View*> copying_;    ///< by rank: what it is in the middle of, or null
  std::vector<int> empty_polls_;  ///< of each rank, since something could have changed for it
};

}  // namespace rondo::internal

#endif
