// System calls that fail on one of two ranks while operations and lanes are made: both ends take MPI, and the log says
// why, once. RONDO_TEST_FAULTY_RANK: on which rank, 0 or 1.
#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.hpp>

#include "tests/support/captured_errors.hpp"
#include "tests/support/faults/failing_system_calls.hpp"
#include "tests/support/nodes/shared_nodes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::internal::shared_memory_faults_test {
namespace {

using test::own_rank;

constexpr std::size_t kShort = 20;
constexpr std::size_t kLong = 25000;  ///< has no place in a first segment

struct Case {
  Call call;
  int error;
  std::string reason;
  bool in_making;  ///< of the own memory, not in mapping the partner's
};

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// Of two ranks.
class Exchanges {
 public:
  /// With blocks of so many integers.
  explicit Exchanges(std::size_t count)
      : count_(count), send_(2 * count), recv_(2 * count), comm_(MPI_COMM_WORLD), requests_{init(), init()} {}

  void expect_shared(int messages) const {
    const std::string words = "this rank: " + std::to_string(messages) + " of 2 messages go through shared memory";
    for (const Request& request : requests_) expect_words(request.explain(), {words.c_str()});
  }
  /// By persistent, nonblocking and blocking operations.
  void expect_data() {
    for (int start = 0; start < 4; ++start) {
      for (Request& request : requests_) {
        fill(start);
        request.start();
        request.wait();
        check(start);
      }
      fill(10 + start);
      Request started = comm_.ialltoall(send_, recv_, static_cast<int>(count_));
      started.wait();
      check(10 + start);
      fill(20 + start);
      comm_.alltoall(send_, recv_, static_cast<int>(count_));
      check(20 + start);
    }
  }

 private:
  [[nodiscard]] Request init() { return comm_.alltoall_init(send_, recv_, static_cast<int>(count_)); }
  void fill(int start) {
    std::ranges::fill(send_, 100 * own_rank() + start);
    std::ranges::fill(recv_, -1);
  }
  void check(int start) const {
    for (std::size_t i = 0; i < recv_.size(); ++i)
      ASSERT_EQ(recv_[i], 100 * static_cast<int>(i / count_) + start) << "element " << i;
  }

  std::size_t count_;
  std::vector<int> send_;
  std::vector<int> recv_;
  Comm comm_;
  std::array<Request, 2> requests_;
};

/// As long as one fails the rank has no memory that its partner can map, and then it cannot map what the partner needs
/// for longer messages; after each it tries again. What the partner receives, or sends, shares memory all the same.
TEST(SharedMemoryFaults, BothEndsTakeMpiAndOneSaysWhy) {
  if (!test::all_share()) GTEST_SKIP() << "there is nothing to fail";
  const bool faulty = own_rank() == (test::is_set("RONDO_TEST_FAULTY_RANK", "1") ? 1 : 0);
  const std::vector<Case> cases{
      {Call::memfd_create, EMFILE, "memfd_create: Too many open files", true},
      {Call::fallocate, ENOSPC, "fallocate: No space left on device", true},
      {Call::add_seals, EPERM, "fcntl(F_ADD_SEALS): Operation not permitted", true},
      {Call::mmap, ENOMEM, "mmap: Cannot allocate memory", true},
      {Call::open, EACCES, "opening the partner's segment: Permission denied", false},
  };
  for (const auto& [call, error, reason, in_making] : cases) {
    std::string told;
    {
      const CapturedErrors errors;
      strikes = 0;
      if (faulty) fault = Fault{.call = call, .times = std::numeric_limits<int>::max(), .error = error};
      Exchanges exchanges(in_making ? kShort : kLong);
      fault.reset();
      exchanges.expect_shared(1);
      exchanges.expect_data();
      told = errors.text();
    }
    EXPECT_EQ(strikes > 0, faulty) << reason;
    const std::size_t once = faulty ? 1 : 0;
    EXPECT_EQ(count(told, "no shared memory with a partner (" + reason + "); its messages take MPI"), once) << told;
    const std::size_t of_lanes = in_making ? once : 0;
    EXPECT_EQ(count(told, "for nonblocking calls (" + reason + "); their messages take MPI"), of_lanes) << told;
    EXPECT_EQ(count(told, "no shared memory"), once + of_lanes) << told;
  }
  for (const std::size_t blocks : {kShort, kLong}) {
    Exchanges exchanges(blocks);
    exchanges.expect_shared(2);
    exchanges.expect_data();
  }
}

}  // namespace
}  // namespace rondo::internal::shared_memory_faults_test
