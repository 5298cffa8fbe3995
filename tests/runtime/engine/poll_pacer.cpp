#include "runtime/engine/poll_pacer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::internal::poll_pacer_test {
namespace {

using std::chrono::microseconds;
using Duration = PollPacer::Duration;

/// Lets news come every `gap` after one start, as of an operation of many rounds; returns how often the pacer looked
/// for the last of them, and how late it saw them.
struct Seen {
  int looks;
  Duration late;
};
Seen last_of(PollPacer& pacer, Duration gap, int news) {
  Seen seen{};
  pacer.started();
  for (int i = 0; i < news; ++i) {
    seen = {0, {}};
    Duration pause = pacer.first(StillInFlight::short_messages);
    for (Duration now = pause;; now += pause) {
      ++seen.looks;
      if (now >= gap) {
        seen.late = now - gap;
        static_cast<void>(pacer.after_news(pause));
        break;
      }
      pause = pacer.after_nothing(pause, StillInFlight::short_messages);
    }
  }
  return seen;
}

TEST(PollPacer, LearnsWhenNewsCome) {
  for (const microseconds gap : {microseconds(60), microseconds(220), microseconds(450)}) {
    PollPacer pacer;
    for (int i = 0; i < 40; ++i) {
      const Seen seen = last_of(pacer, gap, 1);
      if (i < 8) continue;
      EXPECT_LE(seen.looks, 3) << gap.count() << " us, number " << i;
      EXPECT_LE(seen.late, gap / 6 + PollPacer::kShortest) << gap.count() << " us, number " << i;
    }
  }
}

/// The time counts from the last news, not from the start.
TEST(PollPacer, LearnsHowRoundsFollowEachOther) {
  for (const microseconds gap : {microseconds(60), microseconds(220)}) {
    for (int news = 8; news < 40; ++news) {
      PollPacer pacer;
      const Seen seen = last_of(pacer, gap, news);
      EXPECT_LE(seen.looks, 3) << gap.count() << " us, number " << news;
      EXPECT_LE(seen.late, gap / 6 + PollPacer::kShortest) << gap.count() << " us, number " << news;
    }
  }
}

TEST(PollPacer, LearnsAnew) {
  PollPacer pacer;
  static_cast<void>(last_of(pacer, microseconds(400), 10));
  const Seen seen = last_of(pacer, microseconds(60), 100);
  EXPECT_LE(seen.late, microseconds(40));
}

TEST(PollPacer, LooksEverMoreRarely) {
  PollPacer pacer;
  pacer.started();
  Duration pause = pacer.first();
  Duration before{};
  for (int i = 0; i < 30; ++i) {
    pause = pacer.after_nothing(pause, StillInFlight::short_messages);
    EXPECT_GE(pause, before);
    EXPECT_GE(pause, PollPacer::kShortest);
    EXPECT_LE(pause, PollPacer::kLongest);
    before = pause;
  }
  EXPECT_EQ(pause, PollPacer::kLongest);
}

/// A long message needs looks all along: its sender's question, the answer and its parts all wait for one.
TEST(PollPacer, LooksAtLongMessagesAllTheTime) {
  PollPacer pacer;
  for (const microseconds gap : {microseconds(1000), microseconds(4000), microseconds(50'000), microseconds(300)}) {
    for (int i = 0; i < 20; ++i) {
      pacer.started();
      Duration pause = pacer.first();
      EXPECT_LE(pause, PollPacer::kShortestStep);
      for (Duration now = pause; now < gap; now += pause) {
        pause = pacer.after_nothing(pause, StillInFlight::long_messages);
        EXPECT_GE(pause, PollPacer::kShortest);
        EXPECT_LE(pause, PollPacer::kLongestStep);
        if (i > 10) {
          EXPECT_LE(pause, std::max<Duration>(gap / 8, PollPacer::kShortestStep));
        }
      }
      static_cast<void>(pacer.after_news(pause));
    }
  }
}

/// A message whose partner is far behind is not looked at all that time.
TEST(PollPacer, LosesPatienceWithLongMessages) {
  PollPacer pacer;
  pacer.started();
  Duration pause = pacer.first();
  for (Duration now = pause; now < 2 * PollPacer::kPatience; now += pause)
    pause = pacer.after_nothing(pause, StillInFlight::long_messages);
  EXPECT_EQ(pause, PollPacer::kLongest);
}

}  // namespace
}  // namespace rondo::internal::poll_pacer_test
