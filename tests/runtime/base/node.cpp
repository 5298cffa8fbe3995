#include "runtime/base/node.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <limits>

namespace rondo::internal::node_test {
namespace {

TEST(Node, CoresOfAQuota) {
  EXPECT_EQ(cores_of_quota("200000 100000"), 2);
  EXPECT_EQ(cores_of_quota("150000 100000"), 2) << "the larger part of a core is one";
  EXPECT_EQ(cores_of_quota("110000 100000"), 1);
  EXPECT_EQ(cores_of_quota("10000 100000"), 1);
  for (const char* none : {"max 100000", "", "0 0", "100000"})
    EXPECT_EQ(cores_of_quota(none), std::numeric_limits<int>::max()) << none;
}

TEST(Node, CountsCoresItIsNotBoundTo) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_GE(cores_of_node(), std::min(CPU_COUNT(&before), cores_of_quota(cpu_quota())));
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&after, &one));
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace rondo::internal::node_test
