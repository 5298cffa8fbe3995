#include "runtime/machine/match_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace rondo::internal::machine::match_table_test {
namespace {

TEST(MatchTable, DoesWhatAMapDoes) {
  std::mt19937 random(7);
  MatchTable table;
  std::map<std::pair<int, int>, ParcelId> map;
  EXPECT_EQ(table.find(0, 0), nullptr);
  for (ParcelId step = 0; step < 20000; ++step) {
    const int source = static_cast<int>(random() % 20);
    const int tag = static_cast<int>(random() % 20) << (step % 20);
    const auto known = map.find({source, tag});
    const MatchTable::List* const list = table.find(source, tag);
    ASSERT_EQ(list != nullptr, known != map.end());
    if (list == nullptr) {
      table.insert(source, tag, step);
      map[{source, tag}] = step;
    } else {
      ASSERT_EQ(list->first, known->second);
      ASSERT_EQ(list->last, known->second);
      table.erase(source, tag);
      map.erase(known);
    }
    ASSERT_EQ(table.size(), map.size());
  }
  for (const auto& [key, parcel] : map) EXPECT_EQ(table.find(key.first, key.second)->first, parcel);
}

}  // namespace
}  // namespace rondo::internal::machine::match_table_test
