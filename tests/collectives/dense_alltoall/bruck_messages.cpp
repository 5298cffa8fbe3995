// The zero-copy Bruck paper's alltoalls over MPI: their datatypes carry what the definition says.
#include "collectives/dense_alltoall/algorithms.hpp"

#include <gtest/gtest.h>

#include "runtime/base/private_comm.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/execution/mpi_transport.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace rondo::internal::dense::bruck_messages_test {
namespace {

/// Element j lies at `places[j]`, with its layout, in `bytes` bytes of memory.
struct Side {
  std::vector<Layout> layouts;
  std::vector<std::int64_t> places;
  std::int64_t bytes = 0;

  [[nodiscard]] std::vector<BlockShape> shapes() const {
    std::vector<BlockShape> made;
    for (std::size_t j = 0; j < places.size(); ++j) made.push_back({places[j], &layouts[j]});
    return made;
  }
};

Layout pieces() {
  Layout layout;
  layout.append({6, 4, 1, 0});
  layout.append({0, 5, 1, 0});
  layout.append({12, 3, 1, 0});
  return layout;
}

/// Elements of 12 bytes: in a row, with gaps between them, each in three pieces, or all of these by turns.
Side side(int p, int kind) {
  Side made;
  for (int j = 0; j < p; ++j) {
    const int of_element = kind < 3 ? kind : j % 3;
    made.layouts.push_back(of_element == 2 ? pieces() : Layout::contiguous(12));
    made.layouts.back().set_extent(of_element == 0 ? 12 : 16);
    made.places.push_back(made.bytes);
    made.bytes += made.layouts.back().extent() + (kind == 3 ? j % 2 : 0);
  }
  return made;
}

/// What byte `number` of the element from `source` to `target` is.
std::byte datum(int source, int target, int number) {
  return static_cast<std::byte>(1 + (source * 31 + target * 7 + number) % 251);
}

class BruckMessages : public testing::Test {
 protected:
  BruckMessages() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &p_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }

  void expect_alltoall(const char* name, int send_kind, int recv_kind, bool in_place) {
    SCOPED_TRACE(std::string(name) + ", sent " + std::to_string(send_kind) + ", received " + std::to_string(recv_kind) +
                 (in_place ? ", in place" : ""));
    const Side from = side(p_, in_place ? recv_kind : send_kind);
    const Side to = side(p_, recv_kind);
    const auto send_shapes = from.shapes();
    const auto recv_shapes = to.shapes();
    const CostModel costs(1.0);
    const Problem problem{rank_, p_, send_shapes, recv_shapes, true, costs, 12, 12, in_place, {}};
    const Chosen chosen = choose(problem, name, Ordering::dependencies, MessageForm::staged);
    ASSERT_EQ(chosen.algorithm, name);
    Execution execution(chosen.schedule, transport_, comm_.get(), 0);
    for (int repetition = 0; repetition < 2; ++repetition) {
      std::vector<std::byte> send(static_cast<std::size_t>(from.bytes), std::byte{0});
      std::vector<std::byte> recv(static_cast<std::size_t>(to.bytes), std::byte{0});
      std::vector<std::byte> expected = recv;
      std::vector<std::byte>& filled = in_place ? recv : send;
      for (int peer = 0; peer < p_; ++peer) {
        fill(filled, from, peer, [&](int number) { return datum(rank_, peer, number + repetition); });
        fill(expected, to, peer, [&](int number) { return datum(peer, rank_, number + repetition); });
      }
      const std::vector<std::byte> kept = send;
      execution.bind(send.data(), recv.data());
      engine_.start(execution);
      engine_.wait(execution);
      ASSERT_FALSE(execution.failure()) << execution.describe_failure();
      ASSERT_EQ(recv, expected);
      ASSERT_EQ(send, kept);
    }
  }

 private:
  template <typename Value>
  static void fill(std::vector<std::byte>& memory, const Side& side, int peer, Value value) {
    int number = 0;
    const auto at = static_cast<std::size_t>(peer);
    side.layouts[at].for_each_piece([&](std::int64_t offset, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i)
        memory[static_cast<std::size_t>(side.places[at] + offset + i)] = value(number++);
    });
  }

  int rank_ = 0;
  int p_ = 0;
  PrivateComm comm_{MPI_COMM_WORLD};
  MpiTransport transport_;
  Engine engine_{transport_};
};

TEST_F(BruckMessages, DeliverWhatTheDefinitionSays) {
  for (const char* name : {"basic-bruck", "basic-bruck-ix", "modified-bruck", "modified-bruck-ix", "zero-copy-bruck",
                           "zero-copy-bruck-blocks"}) {
    for (int kind = 0; kind < 4; ++kind) {
      expect_alltoall(name, kind, kind, false);
      expect_alltoall(name, kind, (kind + 1) % 4, false);
      expect_alltoall(name, kind, kind, true);
    }
  }
}

}  // namespace
}  // namespace rondo::internal::dense::bruck_messages_test
