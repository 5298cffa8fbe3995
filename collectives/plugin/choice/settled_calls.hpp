/// @file
/// SettledCalls: blocking calls that have learned that MPI's own function is the fastest, for a look that costs a few
/// loads.
#ifndef RONDO_COLLECTIVES_PLUGIN_CHOICE_SETTLED_CALLS_HPP
#define RONDO_COLLECTIVES_PLUGIN_CHOICE_SETTLED_CALLS_HPP

#include <mpi.h>

#include "collectives/plugin/choice/handle_number.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::internal::plugin {

/// The arguments of a call with blocks of one size that say what its problem is: all but its buffers.
struct CallValues {
  int sent = 0;  ///< elements of a block
  int received = 0;
  MPI_Datatype sent_type = MPI_BYTE;
  MPI_Datatype received_type = MPI_BYTE;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  bool in_place = false;

  [[nodiscard]] static CallValues of_exchange(const void* sent_from, int sent, MPI_Datatype sent_type, int received,
                                              MPI_Datatype received_type) noexcept {
    CallValues values{.received = received, .received_type = received_type, .in_place = sent_from == MPI_IN_PLACE};
    if (values.in_place) return values;  // what is said of the other side means nothing
    values.sent = sent;
    values.sent_type = sent_type;
    return values;
  }

  using Words = std::array<std::uint64_t, 5>;
  [[nodiscard]] Words words() const noexcept {
    return {pair(sent, received), handle_number(sent_type), handle_number(received_type), handle_number(op),
            pair(root, in_place ? 1 : 0)};
  }

 private:
  [[nodiscard]] static std::uint64_t pair(int high, int low) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32U | static_cast<std::uint32_t>(low);
  }
};

/// A call may be missing, as each pushes out another now and then. Any thread.
class SettledCalls {
 public:
  [[nodiscard]] bool contains(MPI_Comm comm, const CallValues& values) const noexcept {
    // relaxed: nothing else is published with it
    if (!any_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    const CallValues::Words words = values.words();
    for (const Entry& entry : entries_) {
      if (entry.is(handle_number(comm), words)) return true;
    }
    return false;
  }
  // By one thread at a time.
  void add(MPI_Comm comm, const CallValues& values) noexcept {
    entries_[next_++ % kEntries].set(handle_number(comm), values.words());
    any_.store(true, std::memory_order_relaxed);
  }
  void remove(MPI_Comm comm) noexcept {
    for (Entry& entry : entries_) {
      if (entry.comm() == handle_number(comm)) entry.set(0, {});
    }
  }

 private:
  static constexpr std::size_t kEntries = 4;

  /// Written while others read: these see that its version has changed, and take it for another call.
  class alignas(64) Entry {
   public:
    [[nodiscard]] bool is(std::uint64_t comm, const CallValues::Words& words) const noexcept {
      // acquire: the words are read after it; relaxed ones in between, and the fence before it is read again
      const std::uint32_t version = version_.load(std::memory_order_acquire);
      bool same = comm_.load(std::memory_order_relaxed) == comm && version % 2 == 0;
      for (std::size_t i = 0; i < words.size(); ++i)
        same = same && words_[i].load(std::memory_order_relaxed) == words[i];
      std::atomic_thread_fence(std::memory_order_acquire);
      return same && version_.load(std::memory_order_relaxed) == version;
    }
    void set(std::uint64_t comm, const CallValues::Words& words) noexcept {
      const std::uint32_t version = version_.load(std::memory_order_relaxed);  // relaxed: its own
      version_.store(version + 1, std::memory_order_relaxed);
      // release: whoever sees a word that is written from here on sees that the version is odd, or another one
      std::atomic_thread_fence(std::memory_order_release);
      comm_.store(comm, std::memory_order_relaxed);
      for (std::size_t i = 0; i < words.size(); ++i) words_[i].store(words[i], std::memory_order_relaxed);
      version_.store(version + 2, std::memory_order_release);  // release: the words are there
    }
    [[nodiscard]] std::uint64_t comm() const noexcept { return comm_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::uint32_t> version_ = 0;
    std::atomic<std::uint64_t> comm_ = 0;
    std::array<std::atomic<std::uint64_t>, CallValues::Words().size()> words_{};
  };
  static_assert(sizeof(Entry) == 64);

  std::array<Entry, kEntries> entries_{};
  std::atomic<bool> any_ = false;
  std::size_t next_ = 0;
};

inline std::array<SettledCalls, kReplacedCalls> all_settled_calls{};

[[nodiscard]] inline SettledCalls& settled_calls(ReplacedCall call) noexcept {
  return all_settled_calls[static_cast<std::size_t>(call)];
}

/// Remembers that calls of a kind with such arguments on a valid communicator are MPI's, until it is freed; not where
/// a datatype or an operation may be freed before. Local. Any thread.
void remember_settled(ReplacedCall call, MPI_Comm comm, const CallValues& values) noexcept;

}  // namespace rondo::internal::plugin

#endif
