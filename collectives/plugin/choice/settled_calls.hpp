/// @file
/// SettledCalls: blocking calls that have learned that MPI's own function is the fastest, for a check that costs a few
/// loads.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_SETTLED_CALLS_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_SETTLED_CALLS_HPP

#include <mpi.h>

#include "collectives/plugin/choice/handle_number.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace rondo::internal::plugin {

/// The arguments that identify the problem of a call with blocks of one size: all except its buffers.
struct CallValues {
  std::int64_t sent = 0;  ///< elements of a block
  std::int64_t received = 0;
  MPI_Datatype sent_type = MPI_BYTE;
  MPI_Datatype received_type = MPI_BYTE;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  bool in_place = false;

  [[nodiscard]] static CallValues of_blocks(const void* sent_from, std::int64_t sent, MPI_Datatype sent_type,
                                            std::int64_t received, MPI_Datatype received_type) noexcept {
    CallValues values{.received = received, .received_type = received_type, .in_place = sent_from == MPI_IN_PLACE};
    if (values.in_place) return values;  // the arguments of the sending side have no meaning then
    values.sent = sent;
    values.sent_type = sent_type;
    return values;
  }

  /// Returns the bytes of a block, which both sides give alike; negative if one of its datatypes is invalid.
  [[nodiscard]] std::int64_t block_bytes() const noexcept {
    const std::int64_t here = bytes_of(sent, sent_type);
    const std::int64_t there = bytes_of(received, received_type);
    return here < 0 || there < 0 ? -1 : std::max(here, there);
  }
  /// Returns whether the numbers are small enough for a call to be recognized, as those of most calls are.
  [[nodiscard]] bool may_be_recognized() const noexcept {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return sent <= kMost && received <= kMost;
  }
  /// The words that tell a call from others. The first word is never 0.
  using Words = std::array<std::uint64_t, 7>;
  [[nodiscard]] Words words(ReplacedCall call, MPI_Comm comm) const noexcept {
    return {handle_number(comm),
            pair(sent, received),
            handle_number(sent_type),
            handle_number(received_type),
            handle_number(op),
            pair(root, in_place ? 1 : 0),
            static_cast<std::uint64_t>(call)};
  }

 private:
  [[nodiscard]] static std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) noexcept {
    int size = 0;
    if (count == 0) return 0;
    return type == MPI_DATATYPE_NULL || MPI_Type_size(type, &size) != MPI_SUCCESS ? -1 : count * size;
  }
  [[nodiscard]] static std::uint64_t pair(std::int64_t high, std::int64_t low) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32U | static_cast<std::uint32_t>(low);
  }
};

/// A set of calls of fixed size. contains() may return false for a call that was added, because a later call may have
/// replaced it. Any thread may call contains(), but only one thread at a time may call add().
class SettledCalls {
 public:
  [[nodiscard]] bool contains(const CallValues::Words& words) const noexcept { return entries_[slot(words)].is(words); }
  /// Returns whether a call was ever added.
  [[nodiscard]] bool any() const noexcept {
    return any_.load(std::memory_order_relaxed);  // relaxed: nothing else is published with it
  }
  // Call from one thread at a time.
  void add(const CallValues::Words& words) noexcept {
    entries_[slot(words)].set(words);
    any_.store(true, std::memory_order_relaxed);
  }
  void remove(MPI_Comm comm) noexcept {
    for (Entry& entry : entries_) {
      if (entry.comm() == handle_number(comm)) entry.set({});
    }
  }

 private:
  static constexpr int kSlotBits = 7;

  [[nodiscard]] static std::size_t slot(const CallValues::Words& words) noexcept {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = 0;
    for (std::size_t i = 0; i < words.size(); ++i) mixed += words[i] * (kGoldenRatio * (2 * i + 1));
    return static_cast<std::size_t>(mixed >> (64 - kSlotBits));
  }

  /// A set's entry. Threads that read it while it is written see that its version has changed, and take it for another
  /// call.
  class alignas(64) Entry {
   public:
    [[nodiscard]] bool is(const CallValues::Words& words) const noexcept {
      // acquire, so that the words are read after the version; the fence keeps the relaxed loads before its second read
      const std::uint64_t version = version_.load(std::memory_order_acquire);
      bool same = version % 2 == 0;
      for (std::size_t i = 0; i < words.size(); ++i)
        same = same && words_[i].load(std::memory_order_relaxed) == words[i];
      std::atomic_thread_fence(std::memory_order_acquire);
      return same && version_.load(std::memory_order_relaxed) == version;
    }
    void set(const CallValues::Words& words) noexcept {
      const std::uint64_t version = version_.load(std::memory_order_relaxed);  // relaxed: only this thread writes it
      version_.store(version + 1, std::memory_order_relaxed);
      // release: whoever sees a word that is written after the fence sees that the version is odd, or a later one
      std::atomic_thread_fence(std::memory_order_release);
      for (std::size_t i = 0; i < words.size(); ++i) words_[i].store(words[i], std::memory_order_relaxed);
      version_.store(version + 2, std::memory_order_release);  // release: the words are written before
    }
    [[nodiscard]] std::uint64_t comm() const noexcept { return words_[0].load(std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t> version_ = 0;
    std::array<std::atomic<std::uint64_t>, CallValues::Words().size()> words_{};
  };
  static_assert(sizeof(Entry) == 64);

  std::array<Entry, std::size_t{1} << kSlotBits> entries_{};
  std::atomic<bool> any_ = false;
};

inline SettledCalls settled_calls{};

/// Returns whether such a call is known to be MPI's.
[[nodiscard]] inline bool is_settled(ReplacedCall call, MPI_Comm comm, const CallValues& values) noexcept {
  return settled_calls.any() && values.may_be_recognized() && settled_calls.contains(values.words(call, comm));
}

/// Remembers that such calls on a valid communicator are MPI's, until it is freed, unless a datatype or an operation
/// may be freed before. Local. Thread-safe.
void remember_settled(ReplacedCall call, MPI_Comm comm, const CallValues& values) noexcept;
/// Forgets all calls on a communicator, which is being freed.
void forget_settled(MPI_Comm comm) noexcept;

}  // namespace rondo::internal::plugin

#endif
