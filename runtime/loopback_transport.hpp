/// @file
/// All ranks in one process, for tests: messages complete in a seeded random order.
#ifndef RONDO_RUNTIME_LOOPBACK_TRANSPORT_HPP
#define RONDO_RUNTIME_LOOPBACK_TRANSPORT_HPP

#include "runtime/transport.hpp"

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

namespace rondo {

class LoopbackNetwork;

/// What one virtual rank sees of the network.
class LoopbackTransport final : public Transport {
 public:
  LoopbackTransport(LoopbackNetwork& network, int rank) : network_(network), rank_(rank) {}
  void reserve(std::size_t) override {}
  void release(std::size_t) noexcept override {}
  Posted post(Execution& execution, std::span<const Message> messages, const MPI_Request* prepared) override;
  std::span<const Completion> poll() override;
  void cancel(Execution& execution) override;
  std::size_t in_flight() const override { return in_flight_; }

 private:
  friend class LoopbackNetwork;
  LoopbackNetwork& network_;
  int rank_;
  std::size_t in_flight_ = 0;
  std::vector<Completion> waiting_;  ///< complete, not yet reported
  std::vector<Completion> reported_;
};

/// p virtual ranks. Messages match as in MPI: by communicator, source and tag, in the order of posting. At random, a
/// send is either buffered, and may complete before it is received, or synchronous, and completes only after; what
/// completes next is drawn from the seed, so that a run can be repeated exactly. Driven by one thread.
class LoopbackNetwork {
 public:
  LoopbackNetwork(int ranks, std::uint64_t seed);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(transports_.size()); }
  [[nodiscard]] LoopbackTransport& transport(int rank) { return *transports_.at(static_cast<std::size_t>(rank)); }
  /// Messages that were posted and have no partner: zero after a correct collective.
  [[nodiscard]] std::size_t unmatched() const;
  /// A number in [0, bound), drawn from the seed.
  [[nodiscard]] std::size_t draw(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

 private:
  friend class LoopbackTransport;
  struct Envelope {
    MPI_Comm comm;
    int source;
    int target;
    int tag;
    bool operator<(const Envelope& other) const;
  };
  struct Parcel {
    Message message;
    MPI_Comm comm;
    Completion completion;
    std::vector<std::byte> buffered;  ///< contents of a buffered send
    bool is_buffered = false;
  };
  void deliver(Parcel& send, Parcel& receive, int source, int target);
  void post_send(int source, Parcel parcel);
  void post_receive(int target, Parcel parcel);
  void cancel(const Execution& execution, LoopbackTransport& owner);

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<LoopbackTransport>> transports_;
  std::map<Envelope, std::deque<Parcel>> sends_;
  std::map<Envelope, std::deque<Parcel>> receives_;
};

}  // namespace rondo

#endif
