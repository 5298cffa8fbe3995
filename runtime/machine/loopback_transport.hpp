/// @file
/// LoopbackNetwork: a network of ranks in one process. An adversary with a seed decides the order of events.
#ifndef RONDO_RUNTIME_MACHINE_LOOPBACK_TRANSPORT_HPP
#define RONDO_RUNTIME_MACHINE_LOOPBACK_TRANSPORT_HPP

#include "runtime/base/random.hpp"
#include "runtime/execution/transport.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rondo::internal {

class LoopbackNetwork;

/// The transport of one virtual rank of a LoopbackNetwork.
class LoopbackTransport final : public Transport {
 public:
  LoopbackTransport(LoopbackNetwork& network, int rank) : network_(network), rank_(rank) {}
  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution& execution, std::span<const Message> messages, const Route* routes) override;
  int post_in_failure(Execution& execution, const Message& message, const Route* route) override;
  std::span<const Completion> poll() override;
  void abandon(Execution& execution, ScratchMemory& scratch) override;
  std::size_t in_flight() const noexcept override { return in_flight_.size(); }
  InFlight in_flight_at(std::size_t place) const noexcept override { return in_flight_[place]; }
  // Functions that a NodeTransport needs from its network. look() does nothing because this network has no duties
  // toward other ranks.
  void look(const Execution&) noexcept {}
  [[nodiscard]] std::uint64_t ticks() const noexcept { return ticks_ += 1U << 11U; }
  [[nodiscard]] bool has_news() const noexcept { return false; }
  [[nodiscard]] std::optional<std::int64_t> find(const Execution& execution, const Message& receive) const;
  [[nodiscard]] bool end_receive(std::size_t place, int code);

 private:
  friend class LoopbackNetwork;
  LoopbackNetwork& network_;
  int rank_;
  std::vector<InFlight> in_flight_;
  std::vector<Completion> waiting_;  ///< complete, but not yet reported
  std::vector<Completion> reported_;
  mutable std::uint64_t ticks_ = 0;  ///< a clock that advances whenever it is read
};

/// One end of a message, a send or a receive, as it was posted. `layout` is null if the data lie in one piece.
struct Carried {
  Carried(const Execution& execution, const Message& message);

  std::byte* address;
  const Layout* layout;
  std::int64_t bytes;
  int peer;
  int tag;
  bool sends;
};

/// A LoopbackNetwork connects p virtual ranks, driven by one thread. Messages match as in MPI: by communicator, source
/// and tag, in the order of posting. An adversary decides all else, drawn from the seed so that a run can be repeated
/// exactly: which sends complete before they are received and when their data is read, when a matched message moves,
/// and in what order and how late completions are reported. Memory of a posted receive holds garbage until its message
/// has arrived.
class LoopbackNetwork {
 public:
  LoopbackNetwork(int ranks, std::uint64_t seed);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(transports_.size()); }
  [[nodiscard]] LoopbackTransport& transport(int rank) { return *transports_.at(static_cast<std::size_t>(rank)); }
  /// Returns the number of messages that were posted and have no partner: zero after a correct collective.
  [[nodiscard]] std::size_t unmatched() const noexcept { return unmatched_; }
  /// Returns whether some rank's poll() has something to report, or will have without anything new being posted.
  [[nodiscard]] bool can_move() const noexcept { return !to_move_.empty() || !to_buffer_.empty() || unreported_ > 0; }
  /// A fault on one rank: one post fails, all posts from some post on fail, or one message completes with an error.
  struct Fault {
    enum class Of : std::uint8_t { post, every_post, completion } of;
    int rank;
    std::size_t after;  ///< number of the posts or completions of this rank that succeed first
  };
  void set_fault(const Fault& fault) { fault_ = fault; }
  /// Makes the next `count` calls of end_receive() return false and keep their receives.
  void keep_receives(int count) noexcept { kept_receives_ = count; }
  /// Returns whether the fault of set_fault() has struck.
  [[nodiscard]] bool fault_struck() const noexcept { return fault_struck_; }
  /// Returns a number in [0, bound), drawn from the seed, for a bound of at most 2^32. All numbers are nearly equally
  /// likely, without a division.
  [[nodiscard]] std::size_t draw(std::size_t bound) { return ((random_.bits() >> 32U) * bound) >> 32U; }

 private:
  friend class LoopbackTransport;
  using ParcelId = std::uint64_t;
  struct Envelope {
    MPI_Comm comm;
    int source;
    int target;
    int tag;
    bool operator<(const Envelope& other) const;
  };
  struct Parcel {
    Carried message;
    Envelope envelope;
    Completion completion;
    bool buffered = false;           ///< a send that is complete before its message has moved
    bool stands_in = false;          ///< an empty send of an execution that failed
    std::vector<std::byte> content;  ///< data of a buffered send
  };
  struct Transfer {
    ParcelId send;
    ParcelId receive;
  };
  /// The habits of the adversary of one seed.
  struct Temper {
    std::size_t eager;  ///< number of sends out of four that are buffered
    std::size_t moves;  ///< maximum number of messages that move in one poll
    enum class Order : std::uint8_t { random, oldest_first, newest_first } order;
  };

  void post(LoopbackTransport& owner, const Execution& execution, Parcel parcel);
  void step();
  void buffer(ParcelId send);
  void move(const Transfer& transfer);
  void complete(int rank, const Completion& completion);
  void abandon(const Execution& execution, LoopbackTransport& owner);
  /// Counts one more chance of a fault of this kind on this rank, and returns whether the fault strikes now.
  [[nodiscard]] bool strikes(Fault::Of of, int rank);
  /// Returns the position, in a list of `size` entries, of the entry that the adversary handles next.
  [[nodiscard]] std::size_t next_of(std::size_t size);

  Random random_;
  Temper temper_;
  std::vector<std::unique_ptr<LoopbackTransport>> transports_;
  std::unordered_map<ParcelId, Parcel> parcels_;
  ParcelId next_parcel_ = 0;
  // Posted messages without a partner. Vectors, because the queues are short: most have one parcel.
  std::map<Envelope, std::vector<ParcelId>> sends_;
  std::map<Envelope, std::vector<ParcelId>> receives_;
  std::vector<ParcelId> to_buffer_;
  std::vector<Transfer> to_move_;
  std::size_t unmatched_ = 0;
  std::size_t unreported_ = 0;
  std::optional<Fault> fault_;
  bool fault_struck_ = false;
  int kept_receives_ = 0;
};

}  // namespace rondo::internal

#endif
