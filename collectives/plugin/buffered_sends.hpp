/// @file
/// BufferedSends: room in the buffer that an application has given to MPI for its buffered sends (MPI_Buffer_attach).
#ifndef RONDO_COLLECTIVES_PLUGIN_BUFFERED_SENDS_HPP
#define RONDO_COLLECTIVES_PLUGIN_BUFFERED_SENDS_HPP

#include <atomic>
#include <cstdint>

namespace rondo::internal::plugin {

/// Makes MPI notice that messages of MPI_Bsend have been received, so that their room in the attached buffer is free.
/// MPI notices that in its own progress, which each collective of MPI makes. Programs rely on it: they fill the buffer,
/// call MPI_Barrier after all messages were received, and fill the buffer again. A collective of Rondo's through shared
/// memory makes no progress of MPI, and MPI_Bsend reports that there is no room. (In Open MPI it does not make progress
/// first, in MPICH it makes one pass.) So the plug-in makes some before the first buffered send after a collective of
/// Rondo's. All functions are local, and any thread may call them.
class BufferedSends {
 public:
  /// Has the next buffered send make progress first, because a collective of Rondo's has ended.
  static void make_room_next() noexcept { state_.store(State::due, std::memory_order_relaxed); }
  /// Makes progress if a collective of Rondo's has ended since the last time. Called before `messages` buffered sends.
  static void make_room(std::uint32_t messages) noexcept {
    sent_.fetch_add(messages, std::memory_order_relaxed);
    if (state_.load(std::memory_order_relaxed) != State::none) make_progress();
  }
  /// Does what make_room() does, for `count` requests that are about to be started. They may be those of
  /// MPI_Bsend_init, if it was called before.
  static void make_room_for_starts(int count) noexcept {
    if (count > 0 && are_started_.load(std::memory_order_relaxed)) make_room(static_cast<std::uint32_t>(count));
  }
  /// Has starts count as buffered sends from now on, because the application has called MPI_Bsend_init.
  static void expect_starts() noexcept { are_started_.store(true, std::memory_order_relaxed); }

 private:
  enum class State : std::uint8_t {
    none,
    due,    ///< a collective of Rondo's has ended since progress was last made
    making  ///< a thread makes progress, and other threads wait for it
  };
  static void make_progress() noexcept;

  // All are accessed relaxed: a thread that sends after a collective of another thread's has synchronized with it.
  static inline constinit std::atomic<State> state_ = State::none;
  static inline constinit std::atomic<bool> are_started_ = false;
  /// About how many messages were sent of which MPI may not have noticed that they were received.
  static inline constinit std::atomic<std::uint32_t> sent_ = 0;
};

}  // namespace rondo::internal::plugin

#endif
