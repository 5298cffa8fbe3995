// The four conditions of arXiv 2312.11236, section 2, which a schedule must meet for the broadcast to be right: for all
// ranks of all p up to some hundred, and for some ranks of large p.
#include "collectives/broadcast/circulant_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace rondo::internal::broadcast::circulant_schedule_test {
namespace {

/// The number of the part that comes to a rank first: the last skip on the path that takes the largest skips first.
int first_part(const CirculantSchedule& schedule, int r) {
  for (int at = 0, k = schedule.rounds(); k-- > 0;) {
    const int there = at + schedule.skips[static_cast<std::size_t>(k)];
    if (there == r) return k;
    if (there < r) at = there;
  }
  return -1;
}

void expect_right(int p, int r) {
  const CirculantSchedule here = circulant_schedule(p, r);
  const int q = here.rounds();
  ASSERT_EQ(here.send.size(), static_cast<std::size_t>(q));
  ASSERT_EQ(here.skips.size(), static_cast<std::size_t>(q) + 1);
  if (r == 0) {  // part k in round k
    for (int k = 0; k < q; ++k) ASSERT_EQ(here.send[static_cast<std::size_t>(k)], k);
    return;
  }
  // Each part of the q rounds before once, but for one: the new one that comes instead.
  const int first = first_part(here, r);
  std::set<int> wanted{first};
  for (int part = -q; part < 0; ++part) wanted.insert(part);
  wanted.erase(first - q);
  ASSERT_EQ(std::set<int>(here.receive.begin(), here.receive.end()), wanted) << "p " << p << ", rank " << r;
  // What is sent is there: it came in the q rounds before, or in an earlier one of these.
  std::set<int> there{first - q};
  for (std::size_t k = 0; k < here.send.size(); ++k) {
    if ((r + here.skips[k]) % p != 0) {
      ASSERT_TRUE(there.contains(here.send[k])) << "p " << p << ", rank " << r << ", round " << k;
    }
    there.insert(here.receive[k]);
  }
}

TEST(CirculantSchedule, MeetsTheConditions) {
  for (int p = 1; p <= 300; ++p) {
    std::vector<CirculantSchedule> all;
    for (int r = 0; r < p; ++r) {
      expect_right(p, r);
      if (HasFatalFailure()) return;
      all.push_back(circulant_schedule(p, r));
    }
    for (int r = 0; r < p; ++r) {  // both ends of a message agree
      const CirculantSchedule& here = all[static_cast<std::size_t>(r)];
      for (std::size_t k = 0; k < here.send.size(); ++k) {
        const int to = (r + here.skips[k]) % p;
        if (to == 0) continue;
        ASSERT_EQ(here.send[k], all[static_cast<std::size_t>(to)].receive[k]) << "p " << p << ", rank " << r;
      }
    }
  }
}

TEST(CirculantSchedule, MeetsThemForManyRanks) {
  for (const int p : {1023, 1024, 1025, 100'000, (1 << 20) + 1}) {
    for (int i = 0; i <= 64; ++i) {
      expect_right(p, static_cast<int>(std::int64_t{p - 1} * i / 64));
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::broadcast::circulant_schedule_test
