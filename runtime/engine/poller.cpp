#include "runtime/engine/poller.hpp"

#include "runtime/engine/engine.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <thread>
#include <utility>

namespace rondo::internal {
namespace {

/// How long the poller holds a worker before it gives oneTBB the choice again, while something is in flight.
constexpr auto kSlice = std::chrono::milliseconds(5);
/// Longest pause while other threads drive: their own operations may end at any time and leave others to the poller.
constexpr auto kLongestStandBack = std::chrono::milliseconds(4);
/// How long nothing must have been in flight before the poller lingers until a start is reported.
constexpr auto kIdle = std::chrono::milliseconds(10);
/// How long the poller lingers before it parks. A parked poller comes back by way of oneTBB, which is late if all cores
/// compute; steps of an application are shorter than this.
constexpr auto kLinger = std::chrono::milliseconds(250);
StillInFlight kind_of(const Engine::Pass& pass) {
  return pass.long_messages ? StillInFlight::long_messages : StillInFlight::short_messages;
}

}  // namespace

bool Poller::is_possible() noexcept {
  try {
    std::thread([] {}).join();
    return true;
  } catch (const std::exception&) {  // also when there is no memory for a thread
    return false;
  }
}

Poller::Poller(Engine& engine) : engine_(engine), process_(getpid()) { sem_init(&started_, 0, 0); }

Poller::~Poller() {
  stop();
  sem_destroy(&started_);
}

void Poller::wake() noexcept {
  starts_.fetch_add(1);
  if (!rouse()) sem_post(&started_);
}

void Poller::notice() noexcept {
  notices_.fetch_add(1);
  rouse();
}

/// Wakes a parked or lingering poller, after the caller has counted a start. Either a poller that is about to linger or
/// to park sees the count, or this thread sees that it lingers or parks. Returns false if the poller was awake.
bool Poller::rouse() noexcept {
  State state = state_.load();
  if (state != State::parked && state != State::lingering) return false;
  if (!state_.compare_exchange_strong(state, State::awake)) return false;
  if (state == State::parked)
    enqueue_slice();
  else
    sem_post(&started_);
  return true;
}

void Poller::stop() noexcept {
  if (getpid() != process_) return;
  stopping_.store(true);
  sem_post(&started_);
  // The poller may also have been about to park.
  for (State state = State::parked; !state_.compare_exchange_strong(state, State::stopped); state = State::parked) {
    if (state == State::stopped) return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Poller::run_slice() noexcept {
  // Acquires everything that the last slice, or the thread that made or woke the poller, wrote before.
  static_cast<void>(state_.load());
  static_cast<void>(slices_.load());
  slice_end_ = Clock::now() + kSlice;
  while (Clock::now() < slice_end_) {
    if (stopping_.load()) {
      state_.store(State::stopped);
      return;
    }
    const PollPacer::Duration pause = look();
    if (pause == PollPacer::Duration::zero()) return;
    sleep(pause);
  }
  slices_.fetch_add(1);
  enqueue_slice();
}

/// Polls once. Returns how long to sleep until the next poll; 0 if the poller has parked.
PollPacer::Duration Poller::look() noexcept {
  const std::uint32_t starts = starts_.load();
  const std::uint32_t notices = notices_.load();
  const auto now = Clock::now();
  if (std::exchange(seen_notices_, notices) != notices) idle_ = false;
  if (std::exchange(seen_starts_, starts) != starts) {
    idle_ = false;
    last_look_ = now;
    pacer_.started();
    // No message of the operation that was started can have come yet; messages that were in flight before may be due.
    if (now - last_pass_ < PollPacer::kShortestStep) return pacer_.first();
    last_pass_ = now;
    const Engine::Pass pass = engine_.drive_in_background();
    if (!pass.in_flight || pass.moved > 0) return pacer_.first();
    return pacer_.first(kind_of(pass));
  }
  const Engine::Pass pass = engine_.drive_in_background();
  const auto waited = now - std::exchange(last_look_, now);
  last_pass_ = now;
  if (!pass.driven) {
    idle_ = false;
    stand_back_ = std::clamp<PollPacer::Duration>(2 * stand_back_, PollPacer::kLongest, kLongestStandBack);
    return stand_back_;
  }
  stand_back_ = {};
  const auto next = pass.moved > 0 ? pacer_.after_news(waited) : pacer_.after_nothing(waited, kind_of(pass));
  if (pass.in_flight) {
    idle_ = false;
    return pass.workers ? PollPacer::kShortest : next;
  }
  if (!std::exchange(idle_, true)) idle_since_ = now;
  const auto left = kIdle - (now - idle_since_);
  if (left > Clock::duration::zero()) return left;
  if (linger())
    slice_end_ = Clock::now() + kSlice;
  else if (park())
    return PollPacer::Duration::zero();
  return PollPacer::kShortest;
}

/// Waits for a start, at most kLinger. Returns whether there is something to do.
bool Poller::linger() noexcept {
  state_.store(State::lingering);
  if (!told()) sleep(kLinger);
  State state = State::lingering;
  return !state_.compare_exchange_strong(state, State::awake) || told();
}

bool Poller::park() noexcept {
  slices_.fetch_add(1);
  if (void (*const call)() = on_the_way_to_park.load()) call();
  state_.store(State::parked);
  if (!told()) return true;
  // An operation was started meanwhile. The thread that started it may have enqueued a slice already.
  State state = State::parked;
  return !state_.compare_exchange_strong(state, State::awake);
}

/// Returns whether an operation was started since the last poll, or the poller must stop.
bool Poller::told() const noexcept {
  return starts_.load() != seen_starts_ || notices_.load() != seen_notices_ || stopping_.load();
}

/// Sleeps until a start is reported, at most for `pause`.
void Poller::sleep(PollPacer::Duration pause) noexcept {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  constexpr long kSecond = 1'000'000'000;
  until.tv_nsec += static_cast<long>(pause.count());
  until.tv_sec += until.tv_nsec / kSecond;
  until.tv_nsec %= kSecond;
  if (sem_clockwait(&started_, CLOCK_MONOTONIC, &until) != 0) return;
  while (sem_trywait(&started_) == 0) {  // one poll serves all starts
  }
}

}  // namespace rondo::internal
