#include "runtime/schedule/message_form_costs.hpp"

#include <gtest/gtest.h>

namespace rondo::internal::message_form_costs_test {
namespace {

constexpr FormCosts kCosts{.copied_piece = 1,
                           .copied_byte = 0.1,
                           .cache = 1000,
                           .uncached_byte = 1,
                           .datatype_message = 50,
                           .datatype_piece = 10,
                           .datatype_byte = 0.2,
                           .long_piece = 100};

TEST(MessageForm, GoesByTheCosts) {
  EXPECT_FALSE(datatype_is_cheaper(kCosts, 99, 1)) << "10.9 staged, 79.8 as a datatype";
  EXPECT_TRUE(datatype_is_cheaper(kCosts, 100, 1)) << "a long piece";
  EXPECT_FALSE(datatype_is_cheaper(kCosts, 1000, 50)) << "150 staged, 750 as a datatype";
  EXPECT_TRUE(datatype_is_cheaper(kCosts, 3000, 50)) << "2350 staged, as no cache holds it, and 1150 as a datatype";
  EXPECT_FALSE(datatype_is_cheaper(kCosts, 3000, 3000)) << "5300 staged, 30650 as a datatype";
}

TEST(MessageForm, ManySmallPiecesAreStaged) {
  for (const std::int64_t bytes : {64, 4096, 1 << 20, 64 << 20})
    EXPECT_FALSE(datatype_is_cheaper(measured_form_costs(), bytes, bytes / 8)) << bytes << " bytes in doubles";
}

#if defined(OPEN_MPI)
TEST(MessageForm, StagingMemoryIsColdWhereCoresAreShared) {
  const FormCosts own = measured_form_costs(1.0);
  const FormCosts shared = measured_form_costs(2.0);
  EXPECT_FALSE(datatype_is_cheaper(own, 48000, 2000));
  EXPECT_TRUE(datatype_is_cheaper(shared, 48000, 2000));
  EXPECT_FALSE(datatype_is_cheaper(shared, 2000, 2000)) << "too many pieces";
}
#endif

}  // namespace
}  // namespace rondo::internal::message_form_costs_test
