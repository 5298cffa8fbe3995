#include "runtime/operation/request_table.hpp"

#include <gtest/gtest.h>
#include <rondo/error.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace rondo::internal::request_table_test {
namespace {

TEST(RequestTable, AStaleHandleIsKnown) {
  RequestTable table;
  const Rondo_Request first = table.reserve();
  EXPECT_THROW(static_cast<void>(table.at(first)), Error) << "has no operation yet";
  EXPECT_EQ(table.remove(first), nullptr);
  EXPECT_THROW(static_cast<void>(table.at(first)), Error);
  const Rondo_Request second = table.reserve();
  EXPECT_NE(first, second) << "the same slot, another handle";
  EXPECT_THROW(static_cast<void>(table.at(RONDO_REQUEST_NULL)), Error);
  EXPECT_THROW(static_cast<void>(table.at(reinterpret_cast<Rondo_Request>(std::uintptr_t{0xFFFFFFFF}))), Error);
}

TEST(RequestTable, AMillionAreAliveAndNoMore) {
  RequestTable table;
  std::vector<Rondo_Request> alive(std::size_t{1024} * 1024);
  for (Rondo_Request& request : alive) request = table.reserve();
  std::ranges::sort(alive);
  EXPECT_EQ(std::ranges::adjacent_find(alive), alive.end()) << "two have one handle";
  try {
    static_cast<void>(table.reserve());
    ADD_FAILURE() << "one more";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_NO_MEM);
    EXPECT_NE(std::string(error.what()).find("million"), std::string::npos);
  }
  EXPECT_EQ(table.remove(alive.front()), nullptr);
  EXPECT_NE(table.reserve(), RONDO_REQUEST_NULL);
}

}  // namespace
}  // namespace rondo::internal::request_table_test
