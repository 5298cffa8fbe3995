#include "runtime/shared_memory/partner_segments.hpp"

#include "runtime/shared_memory/slot.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "tests/support/child_process.hpp"

namespace rondo::internal::partner_segments_test {
namespace {

using test::Held;
using test::held;

SharedWord& word_of(std::span<std::byte> memory) {
  return *reinterpret_cast<SharedWord*>(memory.data() + kSegmentHeader);
}

TEST(PartnerSegments, AreMappedOnce) {
  const Attempt<Segment> one = Segment::make(1);
  const Attempt<Segment> other = Segment::make(1);
  ASSERT_TRUE(one && other);
  const NodeCard own = own_node_card(SharedMemory::on);
  const Held before = held();
  {
    PartnerSegments partners;
    const Attempt<std::span<std::byte>> first = partners.map(own, one->card());
    ASSERT_TRUE(first) << first.refusal().text();
    const Attempt<std::span<std::byte>> second = partners.map(own, other->card());
    ASSERT_TRUE(second) << second.refusal().text();
    const Attempt<std::span<std::byte>> again = partners.map(own, one->card());
    ASSERT_TRUE(again) << again.refusal().text();
    EXPECT_EQ(first->data(), again->data());
    EXPECT_EQ(first->size(), again->size());
    EXPECT_NE(first->data(), second->data());
    EXPECT_EQ(partners.segments(), 2U);
    EXPECT_EQ(held(), (Held{before.descriptors, before.mappings + 2}));
    word_of(*first) = 1;
    word_of(*second) = 2;
    EXPECT_EQ(word_of(one->memory()), 1U);
    EXPECT_EQ(word_of(other->memory()), 2U);
  }
  EXPECT_EQ(held(), before);
}

TEST(PartnerSegments, AreTriedAgainWhereTheyCouldNotBeMapped) {
  const Attempt<Segment> made = Segment::make(1);
  ASSERT_TRUE(made);
  NodeCard own = own_node_card(SharedMemory::on);
  PartnerSegments partners;
  SegmentCard wrong = made->card();
  ++wrong.nonce[0];
  EXPECT_FALSE(partners.map(own, wrong));
  EXPECT_EQ(partners.segments(), 0U);
  EXPECT_TRUE(partners.map(own, made->card()));
  EXPECT_FALSE(partners.map(own, wrong)) << "another card, even if most of it is the same";
  wrong = made->card();
  wrong.size += page_size();
  EXPECT_FALSE(partners.map(own, wrong));
  own.pid = 0;
  EXPECT_FALSE(partners.map(own, made->card())) << "of another process";
  EXPECT_EQ(partners.segments(), 1U);
}

/// What a rank tells all others.
struct Told {
  NodeCard node;
  SegmentCard segment;
};

TEST(PartnerSegments, OfAllRanksAreSeenByAll) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Attempt<Segment> made = Segment::make(sizeof(SharedWord) * static_cast<std::size_t>(ranks));
  ASSERT_TRUE(made) << made.refusal().text();
  const Told own{own_node_card(SharedMemory::on), made->card()};
  std::vector<Told> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  {
    PartnerSegments partners;
    for (const Told& one : all) {
      EXPECT_EQ(sharing(own.node, one.node), Sharing::possible);
      const Attempt<std::span<std::byte>> mapped = partners.map(one.node, one.segment);
      EXPECT_TRUE(mapped) << mapped.refusal().text();
      if (mapped) (&word_of(*mapped))[rank] = static_cast<std::uint64_t>(100 * one.node.rank + rank + 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int from = 0; from < ranks; ++from)
      EXPECT_EQ((&word_of(made->memory()))[from], static_cast<std::uint64_t>(100 * rank + from + 1)) << "from " << from;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace rondo::internal::partner_segments_test
