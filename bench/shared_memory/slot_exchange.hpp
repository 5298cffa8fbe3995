/// @file
/// A loop over slots, written by hand: as fast as an exchange through shared memory can be on this machine.
#ifndef RONDO_BENCH_SHARED_MEMORY_SLOT_EXCHANGE_HPP
#define RONDO_BENCH_SHARED_MEMORY_SLOT_EXCHANGE_HPP

#include "harness.hpp"
#include "slots.hpp"

#include <mpi.h>
#include <sched.h>

#include "runtime/base/node.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace bench {

enum class Receiving : std::uint8_t {
  passes,    ///< over all messages that have not come, again and again
  restarts,  ///< the same, but after each message found again from the first one that has not come
  in_order   ///< one message after the other
};

/// How the loop does it.
struct Form {
  Layout layout = Layout::lines;
  bool combined = false;  ///< the blocks for one rank are one message
  bool credit = false;    ///< the sender asks in each start whether its slot is free
  Receiving receiving = Receiving::passes;
  int looks = 0;  ///< empty passes between two looks into MPI; 0: it never looks
};

/// Who exchanges what: my block i goes to targets[i], and the block i that I receive comes from sources[i]. Each rank
/// receives from those that it sends to, so that two slots are enough.
struct Pattern {
  std::vector<int> sources;
  std::vector<int> targets;
  std::size_t bytes;  ///< of a block
};

/// A persistent exchange with buffers and slots of its own.
class SlotExchange {
 public:
  /// Collective; to be destroyed after a barrier.
  SlotExchange(const Pattern& pattern, const Form& form) : pattern_(pattern), form_(form) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    const std::size_t t = pattern.targets.size();
    send_.resize(t * pattern.bytes);
    recv_.resize(send_.size());
    const std::size_t mine = slots_size(t, send_.size());
    memory_.emplace(mine * static_cast<std::size_t>(p));
    sends_ = messages(pattern_.targets, send_);
    receives_ = messages(pattern_.sources, recv_);
    connect(mine * static_cast<std::size_t>(rank_));
  }

  [[nodiscard]] Variant variant(std::string name) {
    return {std::move(name), true,  // no rival: it says what Rondo could reach
            [this](int times) {
              for (int k = 0; k < times; ++k) exchange();
            },
            [this] { return verify(); }};
  }

 private:
  /// One end of a message.
  struct Message {
    int partner;
    std::vector<std::size_t> blocks;
    std::vector<char*> places;  ///< of the blocks, in the application's buffer
    std::array<char*, 2> data{};
    std::array<SharedWord*, 2> flag{};
    SharedWord* consumed = nullptr;
  };

  /// Blocks for this rank itself are no messages.
  [[nodiscard]] std::vector<Message> messages(const std::vector<int>& partners, std::vector<char>& buffer) const {
    std::vector<Message> found;
    for (std::size_t i = 0; i < partners.size(); ++i) {
      if (partners[i] == rank_) continue;
      const auto same = std::ranges::find_if(
          found, [&](const Message& message) { return form_.combined && message.partner == partners[i]; });
      Message& message = same != found.end() ? *same : found.emplace_back(Message{partners[i], {}, {}});
      message.blocks.push_back(i);
      message.places.push_back(buffer.data() + i * pattern_.bytes);
    }
    return found;
  }

  /// Receivers lay out their slots and tell the senders.
  void connect(std::size_t begin) {
    std::vector<Incoming> incoming;
    for (const Message& message : receives_)
      incoming.push_back({message.partner, message.blocks.size() * pattern_.bytes});
    std::vector<Slots> mine = lay_out(incoming, form_.layout, begin);
    std::vector<Slots> theirs(sends_.size());
    std::vector<MPI_Request> requests(mine.size() + theirs.size());
    const auto post = [&](auto call, const Message& message, Slots& slots, MPI_Request& request) {
      call(&slots, static_cast<int>(sizeof slots), MPI_BYTE, message.partner, static_cast<int>(message.blocks.front()),
           MPI_COMM_WORLD, &request);
    };
    for (std::size_t k = 0; k < theirs.size(); ++k) post(MPI_Irecv, sends_[k], theirs[k], requests[k]);
    for (std::size_t k = 0; k < mine.size(); ++k) post(MPI_Isend, receives_[k], mine[k], requests[theirs.size() + k]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    const auto attach = [&](Message& message, const Slots& slots) {
      for (const std::size_t half : {0U, 1U}) {
        message.data[half] = memory_->data(slots.data[half]);
        message.flag[half] = memory_->word(slots.flag[half]);
      }
      message.consumed = memory_->word(slots.consumed);
    };
    for (std::size_t k = 0; k < theirs.size(); ++k) attach(sends_[k], theirs[k]);
    for (std::size_t k = 0; k < mine.size(); ++k) attach(receives_[k], mine[k]);
  }

  void exchange() {
    ++start_;
    for (const Message& message : sends_) send(message);
    for (std::size_t i = 0; i < pattern_.targets.size(); ++i) {
      if (pattern_.targets[i] == rank_)
        std::memcpy(recv_.data() + i * pattern_.bytes, send_.data() + i * pattern_.bytes, pattern_.bytes);
    }
    receive_all();
  }

  void send(const Message& message) {
    if (form_.credit) {
      // Acquire: the receiver has read the slot before it is written again.
      while (message.consumed->load(std::memory_order_acquire) + 2 < start_) idle();
    }
    char* to = message.data[start_ % 2];
    for (const char* block : message.places) {
      std::memcpy(to, block, pattern_.bytes);
      to += pattern_.bytes;
    }
    message.flag[start_ % 2]->store(start_ << 1U, std::memory_order_release);  // the data before the news of them
  }

  /// Whether the message had come.
  bool take(const Message& message) {
    // Acquire: the news of the data before the data.
    if (message.flag[start_ % 2]->load(std::memory_order_acquire) != start_ << 1U) return false;
    const char* from = message.data[start_ % 2];
    for (char* block : message.places) {
      std::memcpy(block, from, pattern_.bytes);
      from += pattern_.bytes;
    }
    if (form_.credit)
      message.consumed->store(start_, std::memory_order_release);  // the last read before the news of it
    return true;
  }

  void receive_all() {
    if (form_.receiving == Receiving::in_order) {
      for (const Message& message : receives_) {
        while (!take(message)) idle();
      }
      return;
    }
    pending_.clear();
    for (const Message& message : receives_) pending_.push_back(&message);
    const auto arrived = [this](const Message* message) { return take(*message); };
    while (!pending_.empty()) {
      if (form_.receiving == Receiving::restarts) {
        const auto found = std::ranges::find_if(pending_, arrived);
        if (found != pending_.end())
          pending_.erase(found);
        else
          idle();
      } else if (std::erase_if(pending_, arrived) == 0) {
        idle();
      }
    }
  }

  /// After a pass that found nothing.
  void idle() {
    if (form_.looks != 0 && ++empty_passes_ % form_.looks == 0) {
      int found = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    }
    if (shared_core_) sched_yield();
  }

  [[nodiscard]] static char content(int source, std::size_t block, std::size_t byte, int round) {
    return static_cast<char>(source * 31 + static_cast<int>(block * 7 + byte % 113) + round * 59 + 1);
  }

  /// Each round has other data, so that none of the round before, in either slot, is taken for them.
  [[nodiscard]] bool verify() {
    bool right = true;
    for (int round = 0; round < 5; ++round) {
      const auto for_each_byte = [&](const auto& visit) {
        for (std::size_t i = 0; i < pattern_.sources.size(); ++i) {
          for (std::size_t j = 0; j < pattern_.bytes; ++j) visit(i, j, i * pattern_.bytes + j);
        }
      };
      for_each_byte([&](std::size_t i, std::size_t j, std::size_t at) { send_[at] = content(rank_, i, j, round); });
      exchange();
      for_each_byte([&](std::size_t i, std::size_t j, std::size_t at) {
        right = right && recv_[at] == content(pattern_.sources[i], i, j, round);
      });
    }
    return right;
  }

  Pattern pattern_;
  Form form_;
  int rank_ = 0;
  bool shared_core_ = rondo::internal::ranks_per_core() > 1;
  std::vector<char> send_;
  std::vector<char> recv_;
  std::optional<SharedMemory> memory_;
  std::vector<Message> sends_;
  std::vector<Message> receives_;
  std::vector<const Message*> pending_;
  std::uint64_t start_ = 0;
  int empty_passes_ = 0;
};

}  // namespace bench

#endif
