// Many operations alive at once on one communicator: all collectives, with buffers, sizes and displacements of their
// own, started in another order on each rank, on two neighborhoods that share the communicator, and dense ones among
// them.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "collectives/dense_alltoall/algorithms.hpp"
#include "tests/support/mpi_grid.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal::collectives_at_once_test {
namespace {

constexpr int kUntouched = -77;
constexpr int kCount = 40;

/// Element j of block i that a rank sends in round `round` of operation `number`.
int content(int number, int round, int rank, int i, int j) {
  return ((number * 7 + round) * 211 + rank) * 101 + i * 17 + j;
}

enum class Kind { alltoall, allgather, reduce, scatter_reduce, alltoallv, alltoallw, allgatherv, allgatherw };
constexpr int kKinds = 8;

/// A block's place in a buffer of ints; its elements are `stride` apart.
struct Block {
  int place;
  int count;
  int stride;
};

MPI_Datatype vector_of(const Block& block) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(block.count, 1, block.stride, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

/// One persistent operation with its buffers.
class InFlight {
 public:
  InFlight() = default;
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  virtual ~InFlight() = default;
  virtual void start(int round) = 0;
  virtual void wait(int round) = 0;
};

/// On a neighborhood.
class OneOfMany final : public InFlight {
 public:
  OneOfMany(CartComm& comm, int number, const std::string& algorithm)
      : comm_(comm), number_(number), sources_(comm.sources()) {
    const bool sends_one = gathers() || kind() == Kind::reduce;
    std::vector<int> sent;
    std::vector<int> received;
    for (int i = 0; i < comm.neighbor_count(); ++i) {
      const int source = sources_[static_cast<std::size_t>(i)];
      if (i == 0 || !sends_one) sent.push_back(count(comm.rank(), i));
      if (i == 0 || !reduces()) received.push_back(count(source == MPI_PROC_NULL ? 0 : source, i));
    }
    send_blocks_ = lay_out(sent, 2, send_);
    recv_blocks_ = lay_out(received, 3, recv_);
    Options options;
    options.algorithm = algorithm_from(algorithm);
    make(options);
    EXPECT_TRUE(request_.algorithm().starts_with(algorithm)) << "operation " << number << ": " << request_.algorithm();
  }

  void start(int round) override {
    std::ranges::fill(send_, -1);
    for (std::size_t i = 0; i < send_blocks_.size(); ++i) {
      const Block& block = send_blocks_[i];
      for (int j = 0; j < block.count; ++j)
        at(send_, block, j) = content(number_, round, comm_.rank(), static_cast<int>(i), j);
    }
    std::ranges::fill(recv_, kUntouched);
    request_.start();
  }
  void wait(int round) override {
    request_.wait();
    std::vector<int> expected(recv_.size(), kUntouched);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i] == MPI_PROC_NULL) continue;
      const Block& block = recv_blocks_[reduces() ? 0 : i];
      for (int j = 0; j < block.count; ++j) {
        const int sent = content(number_, round, sources_[i], send_blocks_.size() == 1 ? 0 : static_cast<int>(i), j);
        int& to = at(expected, block, j);
        to = reduces() && to != kUntouched ? to + sent : sent;
      }
    }
    ASSERT_EQ(recv_, expected) << "operation " << number_ << ", round " << round;
  }

 private:
  [[nodiscard]] Kind kind() const { return static_cast<Kind>(number_ % kKinds); }
  [[nodiscard]] bool gathers() const {
    return kind() == Kind::allgather || kind() == Kind::allgatherv || kind() == Kind::allgatherw;
  }
  [[nodiscard]] bool reduces() const { return kind() == Kind::reduce || kind() == Kind::scatter_reduce; }
  [[nodiscard]] bool of_types() const { return kind() == Kind::alltoallw || kind() == Kind::allgatherw; }
  [[nodiscard]] bool irregular() const { return of_types() || kind() == Kind::alltoallv || kind() == Kind::allgatherv; }
  /// Of block i that a rank sends: an alltoall's is the same on all ranks, as combining asks.
  [[nodiscard]] int count(int rank, int i) const {
    return irregular() ? ((gathers() ? rank : i) * 7 + number_) % 5 * 11 : kCount;
  }
  static int& at(std::vector<int>& buffer, const Block& block, int j) {
    return buffer[static_cast<std::size_t>(block.place + j * block.stride)];
  }
  /// Regular blocks in a row, others last first with gaps between them; the elements of every other one apart, where
  /// blocks have types.
  [[nodiscard]] std::vector<Block> lay_out(const std::vector<int>& counts, int stride, std::vector<int>& buffer) const {
    std::vector<Block> blocks(counts.size());
    int size = 0;
    for (std::size_t n = 0; n < counts.size(); ++n) {
      const std::size_t i = irregular() ? counts.size() - 1 - n : n;
      blocks[i] = {size, counts[i], of_types() && (i + static_cast<std::size_t>(number_)) % 2 == 0 ? stride : 1};
      size += counts[i] * blocks[i].stride + (irregular() ? 1 + number_ % 3 : 0);
    }
    buffer.resize(static_cast<std::size_t>(size));
    return blocks;
  }

  void make(const Options& options) {
    const std::span<const int> send = send_;
    const std::span<int> recv = recv_;
    std::vector<int> sent, sent_from, received, received_at;
    std::vector<SendBlock> out;
    std::vector<RecvBlock> in;
    std::vector<MPI_Datatype> types;
    for (const Block& block : send_blocks_) {
      sent.push_back(block.count);
      sent_from.push_back(block.place);
      types.push_back(vector_of(block));
      out.push_back({send_.data() + block.place, 1, types.back()});
    }
    for (const Block& block : recv_blocks_) {
      received.push_back(block.count);
      received_at.push_back(block.place);
      types.push_back(vector_of(block));
      in.push_back({recv_.data() + block.place, 1, types.back()});
    }
    switch (kind()) {
      case Kind::alltoall:
        request_ = comm_.alltoall_init(send, recv, kCount, options);
        break;
      case Kind::allgather:
        request_ = comm_.allgather_init(send, recv, options);
        break;
      case Kind::reduce:
        request_ = comm_.reduce_init(send, recv, MPI_SUM, options);
        break;
      case Kind::scatter_reduce:
        request_ = comm_.scatter_reduce_init(send, recv, MPI_SUM, options);
        break;
      case Kind::alltoallv:
        request_ = comm_.alltoallv_init(send, {sent, sent_from}, recv, {received, received_at}, options);
        break;
      case Kind::alltoallw:
        request_ = comm_.alltoallw_init(out, in, options);
        break;
      case Kind::allgatherv:
        request_ = comm_.allgatherv_init(send.first(static_cast<std::size_t>(sent.front())), recv,
                                         {received, received_at}, options);
        break;
      case Kind::allgatherw:
        request_ = comm_.allgatherw_init(out.front(), in, options);
        break;
    }
    for (MPI_Datatype& type : types) MPI_Type_free(&type);
  }

  CartComm& comm_;
  int number_;
  std::vector<int> sources_;
  std::vector<Block> send_blocks_;
  std::vector<Block> recv_blocks_;
  std::vector<int> send_;
  std::vector<int> recv_;
  Request request_;
};

/// A dense alltoall: blocks of one size in one buffer or two, or of several sizes with gaps between them.
class OneDense final : public InFlight {
 public:
  OneDense(Comm& comm, int number, const std::string& algorithm)
      : comm_(comm), number_(number), in_place_(number % 3 == 1) {
    const bool regular = number % 3 != 2;
    int send_end = 0;
    int recv_end = 0;
    for (int j = 0; j < comm.size(); ++j) {
      send_counts_.push_back(regular ? kCount : (comm.rank() + 3 * j + number) % 4 * 11);
      recv_counts_.push_back(regular ? kCount : (j + 3 * comm.rank() + number) % 4 * 11);
      send_places_.push_back(send_end);
      recv_places_.push_back(recv_end);
      send_end += send_counts_.back() + (regular ? 0 : 1);
      recv_end += recv_counts_.back() + (regular ? 0 : 2);
    }
    send_.resize(static_cast<std::size_t>(send_end));
    recv_.resize(static_cast<std::size_t>(recv_end));
    Options options;
    options.algorithm = algorithm_from(algorithm);
    options.dense.segment = 64;
    const std::span<const int> send = send_;
    const std::span<int> recv = recv_;
    request_ = in_place_ ? comm.alltoall_init(in_place, recv, kCount, options)
               : regular ? comm.alltoall_init(send, recv, kCount, options)
                         : comm.alltoallv_init(send, {send_counts_, send_places_}, recv, {recv_counts_, recv_places_},
                                               options);
  }

  void start(int round) override {
    std::ranges::fill(recv_, kUntouched);
    std::vector<int>& from = in_place_ ? recv_ : send_;
    for (int j = 0; j < comm_.size(); ++j) {
      const auto index = static_cast<std::size_t>(j);
      for (int k = 0; k < send_counts_[index]; ++k)
        from[static_cast<std::size_t>(send_places_[index] + k)] = content(number_, round, comm_.rank(), j, k);
    }
    request_.start();
  }
  void wait(int round) override {
    request_.wait();
    std::vector<int> expected(recv_.size(), kUntouched);
    for (int j = 0; j < comm_.size(); ++j) {
      const auto index = static_cast<std::size_t>(j);
      for (int k = 0; k < recv_counts_[index]; ++k)
        expected[static_cast<std::size_t>(recv_places_[index] + k)] = content(number_, round, j, comm_.rank(), k);
    }
    ASSERT_EQ(recv_, expected) << "dense operation " << number_ << ", round " << round << ", " << request_.algorithm();
  }

 private:
  Comm& comm_;
  int number_;
  bool in_place_;
  std::vector<int> send_counts_, send_places_, recv_counts_, recv_places_;
  std::vector<int> send_;
  std::vector<int> recv_;
  Request request_;
};

TEST(CollectivesAtOnce, StartedInAnyOrder) {
  for (const std::vector<int>& periods : {std::vector{1, 1}, {1, 0}}) {
    CartComm one(MPI_COMM_WORLD, balanced(2), periods, moore(2, 1));
    CartComm other = one.with_neighborhood(box(2, 4, -1));
    Comm dense(one.native());
    std::vector<std::unique_ptr<InFlight>> operations;
    for (int number = 0; number < 6 * kKinds; ++number) {  // each kind with each algorithm on each neighborhood
      operations.push_back(std::make_unique<OneOfMany>(number % 3 == 0 ? other : one, number,
                                                       number / kKinds % 2 == 0 ? "combining" : "direct"));
    }
    int number = 0;
    for (const dense::Algorithm& row : dense::registry().algorithms) {
      for (int shape = 0; shape < 3; ++shape)
        operations.push_back(std::make_unique<OneDense>(dense, number++, std::string(row.name)));
    }
    std::mt19937 random(static_cast<unsigned>(one.rank()));
    for (int round = 0; round < 5; ++round) {
      std::ranges::shuffle(operations, random);
      for (const auto& operation : operations) operation->start(round);
      std::ranges::shuffle(operations, random);
      for (const auto& operation : operations) operation->wait(round);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace rondo::internal::collectives_at_once_test
