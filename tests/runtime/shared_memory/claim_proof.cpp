// Claims under every interleaving of their two ends, and every value that their memory orders let a load see. Each of
// those orders is needed: with one of them weakened, the same search finds data that are read or written too early.
#include "runtime/shared_memory/claim.hpp"

#include <gtest/gtest.h>

#include "tests/runtime/shared_memory/memory_model.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace rondo::internal::claim_proof_test {
namespace {

using memory_model::at_random;
using memory_model::demand;
using memory_model::everything;
using memory_model::explore;
using memory_model::few_switches;
using memory_model::Finding;
using memory_model::Plain;
using memory_model::Search;
using memory_model::Word;

struct WeakArrive : ClaimOrders {
  static constexpr std::memory_order arrive = std::memory_order::relaxed;
};
struct WeakTake : ClaimOrders {
  static constexpr std::memory_order take = std::memory_order::relaxed;
};
struct WeakFinish : ClaimOrders {
  static constexpr std::memory_order finish = std::memory_order::relaxed;
};
struct WeakLook : ClaimOrders {
  static constexpr std::memory_order look = std::memory_order::relaxed;
};
struct WeakWithdraw : ClaimOrders {
  static constexpr std::memory_order withdraw = std::memory_order::relaxed;
};

struct Plan {
  std::uint64_t starts = 1;
  bool sender_copies = true;  ///< where it comes to it
  bool receiver_copies = true;
  unsigned sender_fails = 0;  ///< in these starts, as bits
  unsigned receiver_fails = 0;

  [[nodiscard]] std::string text() const {
    return std::to_string(starts) + " starts, copied by " + (sender_copies ? "sender " : "") +
           (receiver_copies ? "receiver " : "") + "failures " + std::to_string(sender_fails) + ", " +
           std::to_string(receiver_fails) + '\n';
  }
};

[[nodiscard]] constexpr bool fails(unsigned failures, std::uint64_t start) { return ((failures >> start) & 1U) != 0; }

/// A message of which both ends can reach the memory of both.
template <typename Orders>
struct Message : rl::test_suite<Message<Orders>, 2> {
  inline static Plan plan;

  Word word;
  Plain source;
  Plain target;

  void thread(unsigned index) { index == 0 ? send() : receive(); }

  void send() {
    ClaimEnd<Word, Orders> end(&word, ClaimSide::sender);
    for (std::uint64_t start = 1; start <= plan.starts; ++start) {
      source = start;
      go_through(end, start, fails(plan.sender_fails, start), plan.sender_copies);
    }
  }
  void receive() {
    ClaimEnd<Word, Orders> end(&word, ClaimSide::receiver);
    for (std::uint64_t start = 1; start <= plan.starts; ++start) {
      go_through(end, start, fails(plan.receiver_fails, start), plan.receiver_copies);
      const bool copied = !fails(plan.sender_fails | plan.receiver_fails, start);
      demand((target == start) == copied, "the target has this start's data, unless an end failed");
      target = 0;
    }
  }
  void go_through(ClaimEnd<Word, Orders>& end, std::uint64_t start, bool failed, bool copies) {
    const ClaimState expected =
        fails(plan.sender_fails | plan.receiver_fails, start) ? ClaimState::failed : ClaimState::whole;
    end.arrive(failed);
    if (copies && end.try_take()) copy(end);
    for (ClaimState arrival = end.look(); arrival != expected; arrival = end.look()) {
      demand(arrival == ClaimState::none, "both hear of the same outcome");
      memory_model::yield();
      if (copies && end.try_take()) copy(end);
    }
  }
  void copy(ClaimEnd<Word, Orders>& end) {
    target = std::uint64_t{source};
    end.finish();
  }
};

struct Withdrawal {
  ClaimSide side = ClaimSide::receiver;  ///< that gives up
  bool tries = false;                    ///< it tries to copy before
  std::uint64_t starts = 1;
};

/// One end gives up in the last of some starts. Both then use their memory for something else: it as soon as it may,
/// the other when it hears of it.
template <typename Orders>
struct GivenUp : rl::test_suite<GivenUp<Orders>, 2> {
  inline static Withdrawal plan;

  Word word;
  Plain source;
  Plain target;

  void thread(unsigned index) { index == 0 ? run(ClaimSide::sender, source) : run(ClaimSide::receiver, target); }

  void run(ClaimSide side, Plain& own) {
    ClaimEnd<Word, Orders> end(&word, side);
    for (std::uint64_t start = 1; start <= plan.starts; ++start) {
      own = start;
      end.arrive(false);
      if (start == plan.starts && side == plan.side)
        give_up(end);
      else
        wait(end);
    }
    own = 0;  // a copy at the same time, or afterwards, is a race
  }
  void give_up(ClaimEnd<Word, Orders>& end) {
    if (plan.tries) try_to_copy(end);
    while (!end.withdraw()) memory_model::yield();
  }
  void wait(ClaimEnd<Word, Orders>& end) {
    while (end.look() == ClaimState::none) {
      if (!try_to_copy(end)) memory_model::yield();
    }
  }
  bool try_to_copy(ClaimEnd<Word, Orders>& end) {
    if (!end.try_take()) return false;
    target = std::uint64_t{source};
    end.finish();
    return true;
  }
};

template <typename Orders>
[[nodiscard]] Finding given_up(const Withdrawal& plan, Search search) {
  GivenUp<Orders>::plan = plan;
  return explore<GivenUp<Orders>>(search);
}

template <typename Orders>
[[nodiscard]] Finding message(const Plan& plan, Search search) {
  Message<Orders>::plan = plan;
  return explore<Message<Orders>>(search);
}

void expect_copied_once(const Plan& plan, Search search) {
  const Finding finding = message<ClaimOrders>(plan, search);
  EXPECT_TRUE(finding.nothing()) << plan.text() << finding.story;
}

/// Who copies: both ends as soon as they can, the sender alone, the receiver alone.
constexpr std::array<std::array<bool, 2>, 3> kCopiers{{{true, true}, {true, false}, {false, true}}};

/// All that can happen.
TEST(ClaimProof, OneStart) {
  for (const auto& [sender, receiver] : kCopiers) expect_copied_once({1, sender, receiver, 0, 0}, everything());
}

/// More starts are more than can be gone through: a thread that could go on stops at most two or three times; and at
/// random, where a load may see the value before the one before the newest and an exchange may fail for no reason.
TEST(ClaimProof, SeveralStarts) {
  for (const auto& [sender, receiver] : kCopiers) {
    expect_copied_once({2, sender, receiver, 0, 0}, few_switches(3));
    expect_copied_once({3, sender, receiver, 0, 0}, few_switches(2));
    expect_copied_once({4, sender, receiver, 1U << 2U, 1U << 3U}, at_random(100'000));
  }
}

TEST(ClaimProof, EitherEndMayFailInAnyStart) {
  for (const auto& [sender, receiver] : kCopiers) {
    for (unsigned failures = 0; failures < 64; ++failures) {
      expect_copied_once({3, sender, receiver, failures % 8 * 2, failures / 8 * 2}, few_switches(1));
    }
  }
}

TEST(ClaimProof, TheMemoryOfBothMustBeReadyBeforeOneCopies) {
  for (const auto& [sender, receiver] : kCopiers) {
    EXPECT_TRUE(message<WeakArrive>({2, sender, receiver, 0, 0}, few_switches(3)).wrong_data());
    EXPECT_TRUE(message<WeakTake>({2, sender, receiver, 0, 0}, few_switches(3)).wrong_data());
  }
}

TEST(ClaimProof, TheCopyMustBeMadeBeforeTheOtherHearsOfIt) {
  for (const auto& [sender, receiver] : kCopiers) {
    EXPECT_TRUE(message<WeakFinish>({2, sender, receiver, 0, 0}, few_switches(3)).wrong_data());
    EXPECT_TRUE(message<WeakLook>({2, sender, receiver, 0, 0}, few_switches(3)).wrong_data());
  }
}

TEST(ClaimProof, NobodyCopiesWhatWasGivenUp) {
  for (const ClaimSide side : {ClaimSide::sender, ClaimSide::receiver}) {
    for (const bool tries : {false, true}) {
      for (const std::uint64_t starts : {1U, 2U}) {
        const Finding finding = given_up<ClaimOrders>({side, tries, starts}, few_switches(starts == 1 ? 4 : 2));
        EXPECT_TRUE(finding.nothing()) << finding.story;
      }
    }
  }
}

/// Where the other end has copied before, which is then no longer given up.
TEST(ClaimProof, TheCopyMustBeMadeBeforeItsMemoryIsGivenUp) {
  for (const ClaimSide side : {ClaimSide::sender, ClaimSide::receiver}) {
    for (const bool tries : {false, true}) {
      EXPECT_TRUE(given_up<WeakWithdraw>({side, tries, 1}, few_switches(3)).wrong_data());
      EXPECT_TRUE(given_up<WeakFinish>({side, tries, 1}, few_switches(3)).wrong_data());
    }
    EXPECT_TRUE(given_up<WeakLook>({side, true, 1}, few_switches(3)).wrong_data())
        << "the other end, where this one copies";
  }
}

}  // namespace
}  // namespace rondo::internal::claim_proof_test
