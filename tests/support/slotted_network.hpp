/// @file
/// Virtual ranks that share memory, for tests: an adversary delays what one rank sees of what another has written.
#ifndef RONDO_TESTS_SUPPORT_SLOTTED_NETWORK_HPP
#define RONDO_TESTS_SUPPORT_SLOTTED_NETWORK_HPP

#include "runtime/execution/execution.hpp"
#include "runtime/execution/node_transport.hpp"
#include "tests/support/loopback_transport.hpp"

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
/// of arrays that both ends of a pair know are claimed: whichever rank has its turn first after both have arrived
/// copies them.
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

  /// What a rank has just done, as far as it matters here.
  enum class Did : std::uint8_t { nothing, something, empty_poll };
  /// The adversary's turn after that.
  void step(int rank, Did did);
  /// Whether something is still under way, or somebody might find something.
  [[nodiscard]] bool can_move() const noexcept;

 private:
  /// One message of every start: what the sender has written, and where the receiver looks.
  struct Line {
    int sender = 0;
    int receiver = 0;
    std::size_t bytes = 0;
    std::array<const std::byte*, 2> from{};
    std::array<std::byte*, 2> to{};
    std::vector<std::byte> copy{};  ///< of the data, at the sender, or at the receiver of what is published
    std::array<SharedWord, 2> words_from{};
    std::array<SharedWord*, 2> words_to{};
    SharedWord count_copy = 0;
    SharedWord* count = nullptr;  ///< null where there is none
    struct Delivery {
      bool under_way = false;
      std::vector<std::size_t> cache_lines = {};  ///< not yet there
    };
    std::array<Delivery, 2> deliveries{};
    bool count_under_way = false;
  };
  static constexpr std::size_t kCount = 2;
  struct News {
    Line* line;
    std::size_t what;  ///< slot 0 or 1, or kCount
  };

  void connect_pair(Execution& from, int sender, Execution& to, int receiver);
  Line& add_line(int sender, int receiver, std::size_t bytes);
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
  std::vector<int> empty_polls_;  ///< of each rank, since something could have changed for it
};

}  // namespace rondo::internal

#endif
