// MPI calls that return errors at every place of the dense collectives, the library's and one of the user's own, whose
// functions throw as well.
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include "tests/support/faults/faulty_runs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rondo::internal::mpi_faults::dense_test {
namespace {

/// An allreduce of one's own: sums go around a ring, and each rank adds its numbers to what it passes on.
Lowering ring_of_sums(int m) {
  return [m](rondo::ScheduleBuilder& build, int rank, int size) {
    const Block mine = build.send_block(0, m, MPI_INT);
    const Block result = build.recv_block(0, m, MPI_INT);
    if (size == 1) build.copy(mine, result);
    Block sum = mine;
    for (int step = 1; step < size; ++step) {
      const Block arriving = build.transit(m * static_cast<std::int64_t>(sizeof(int)));
      build.exchange((rank + 1) % size, (rank + size - 1) % size, sum, arriving);
      sum = step + 1 < size ? build.transit(build.bytes(arriving)) : result;
      build.compute({mine, arriving}, sum, [](const ComputeBlocks& blocks) {
        if (strikes(Call::compute)) throw std::runtime_error("has had enough");
        const std::span<const int> one = blocks.read<int>(0);
        const std::span<const int> other = blocks.read<int>(1);
        for (std::size_t k = 0; k < one.size(); ++k) blocks.write<int>(0)[k] = one[k] + other[k];
      });
    }
  };
}

/// How often each rank has entered a barrier, for all of them to see without a message.
class Entries {
 public:
  Entries() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    void* own = nullptr;
    MPI_Win_allocate_shared(sizeof(std::atomic<int>), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window_);
    new (own) std::atomic<int>(0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;
  ~Entries() { MPI_Win_free(&window_); }
  void enter() const { ++of(rank_); }
  [[nodiscard]] bool all_have_entered() const {
    const int mine = of(rank_);
    for (int rank = 0; rank < ranks_; ++rank) {
      if (of(rank) < mine) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::atomic<int>& of(int rank) const {
    MPI_Aint size = 0;
    int unit = 0;
    void* address = nullptr;
    MPI_Win_shared_query(window_, rank, &size, &unit, &address);
    return *static_cast<std::atomic<int>*>(address);
  }
  MPI_Win window_ = MPI_WIN_NULL;
  int rank_ = 0;
  int ranks_ = 0;
};

enum class Kind { allreduce, reduce_scatter, allgather, broadcast, barrier, own };
enum class Form { nonblocking, persistent };

/// One of them with its buffers, and what came of its last start.
class Collective {
 public:
  Collective(Kind kind, Form form, int m, int root, int late, const Options& options)
      : kind_(kind),
        form_(form),
        m_(m),
        root_(root),
        late_(late),
        comm_(MPI_COMM_WORLD, options),
        own_(comm_, "ring of sums", ring_of_sums(m), Options()),
        p_(comm_.size()),
        rank_(comm_.rank()),
        entries_(std::make_unique<Entries>()) {
    for (int rank = 0; rank < p_; ++rank) counts_.push_back(m + rank % 2);
    const int all = std::accumulate(counts_.begin(), counts_.end(), 0);
    send_.resize(static_cast<std::size_t>(kind == Kind::reduce_scatter ? all : m));
    recv_.resize(static_cast<std::size_t>(kind == Kind::reduce_scatter ? counts_[here()]
                                          : kind == Kind::allgather    ? p_ * m
                                                                       : m));
    if (form == Form::persistent) request_ = begin();
  }

  void start() {
    ++repetition_;
    for (std::size_t k = 0; k < send_.size(); ++k) send_[k] = value(rank_, k);
    recv_.assign(recv_.size(), -1);
    if (kind_ == Kind::broadcast && rank_ == root_) recv_ = send_;
    if (kind_ == Kind::barrier) {
      if (rank_ == late_) std::this_thread::sleep_for(std::chrono::microseconds(200));
      entries_->enter();
    }
    if (form_ == Form::persistent)
      request_.start();
    else
      request_ = begin();
    algorithm_ = request_.algorithm();
  }
  [[nodiscard]] std::string wait() { return error_of_wait(request_); }
  [[nodiscard]] bool right() const {
    if (kind_ == Kind::barrier) return entries_->all_have_entered();
    for (std::size_t k = 0; k < recv_.size(); ++k) {
      if (recv_[k] != expected(k)) return false;
    }
    return true;
  }
  [[nodiscard]] std::string name() const {
    static constexpr std::array kNames{"allreduce", "reduce_scatter", "allgather", "bcast", "barrier", "ring of sums"};
    return kNames[static_cast<std::size_t>(kind_)];
  }
  [[nodiscard]] const std::string& algorithm() const { return algorithm_; }

 private:
  [[nodiscard]] std::size_t here() const { return static_cast<std::size_t>(rank_); }
  [[nodiscard]] int value(int rank, std::size_t k) const {
    return (repetition_ * 31 + rank) * 31 + static_cast<int>(k);
  }
  [[nodiscard]] int expected(std::size_t k) const {
    const auto m = static_cast<std::size_t>(m_);
    if (kind_ == Kind::broadcast) return value(root_, k);
    if (kind_ == Kind::allgather) return value(static_cast<int>(k / m), k % m);
    if (kind_ == Kind::reduce_scatter)
      k += static_cast<std::size_t>(std::accumulate(counts_.begin(), counts_.begin() + rank_, 0));
    int sum = 0;
    for (int rank = 0; rank < p_; ++rank) sum += value(rank, k);
    return sum;
  }
  [[nodiscard]] Request begin() {
    const bool once = form_ == Form::nonblocking;
    switch (kind_) {
      case Kind::allreduce:
        return once ? comm_.iallreduce(send_, recv_, MPI_SUM) : comm_.allreduce_init(send_, recv_, MPI_SUM);
      case Kind::reduce_scatter:
        return once ? comm_.ireduce_scatter(send_, recv_, counts_, MPI_SUM)
                    : comm_.reduce_scatter_init(send_, recv_, counts_, MPI_SUM);
      case Kind::allgather:
        return once ? comm_.iallgather(send_, recv_) : comm_.allgather_init(send_, recv_);
      case Kind::broadcast:
        return once ? comm_.ibcast(recv_, root_) : comm_.bcast_init(recv_, root_);
      case Kind::barrier:
        return once ? comm_.ibarrier() : comm_.barrier_init();
      default:
        return once ? own_.start(send_, recv_) : own_.init(send_, recv_);
    }
  }

  Kind kind_;
  Form form_;
  int m_;
  int root_;
  int late_;  ///< for barriers
  Comm comm_;
  OwnCollective own_;
  int p_;
  int rank_;
  std::unique_ptr<Entries> entries_;
  std::vector<int> counts_;
  std::vector<int> send_;
  std::vector<int> recv_;
  Request request_;
  std::string algorithm_;
  int repetition_ = 0;
};

class DenseFaults : public MpiFaults {
 protected:
  DenseFaults() : of_nodes_(std::getenv("RONDO_TEST_NODES") != nullptr && ranks_ > 2) {
    if (!of_nodes_) return;
    setenv("RONDO_SHM", "on", 1);
    has_lanes_ = true;
    faulty_rank_ = 1;  // which stands for its node
  }
  /// Nobody hangs, and no wrong data come without an error: each of the calls fails at each place, by each algorithm.
  void fail_everywhere(Kind kind, std::vector<Algorithm> algorithms, std::initializer_list<Call> further_calls = {}) {
    std::vector<Call> calls(kMessageCalls.begin(), kMessageCalls.end());
    calls.insert(calls.end(), further_calls.begin(), further_calls.end());
    if (of_nodes_ && kind != Kind::own) algorithms = {Algorithm::node_aware};
    // From it others hear through the rank with the fault.
    const int late = of_nodes_ ? ranks_ - 1 : (faulty_rank_ + ranks_ - 1) % ranks_;
    int places = 0;
    int of_further_calls = 0;
    for (const Algorithm algorithm : algorithms) {
      for (const Form form : {Form::nonblocking, Form::persistent}) {
        SCOPED_TRACE(std::string(rondo::name(algorithm)) + (form == Form::persistent ? ", persistent" : ""));
        Options options;
        options.algorithm = algorithm;
        options.dense.segment = 4096;
        std::vector<Collective> collectives;
        for (int at_once = 1; at_once <= 2; ++at_once) {
          // One of few bytes and one of many, from the rank with the fault and from another.
          const int m = (form == Form::persistent) == (at_once == 1) ? 3000 : 1;
          collectives.emplace_back(kind, form, m, at_once == 1 ? faulty_rank_ : 0, late, options);
          int of_these = 0;
          for (const Call call : calls) {
            const int of_call = fail_at_each_place(collectives, call);
            if (std::ranges::count(further_calls, call) > 0) of_further_calls += of_call;
            of_these += of_call;
          }
          if (sum_of_all(HasFailure() ? 1 : 0) > 0) return;
          EXPECT_GT(of_these, 0);
          places += of_these;
          EXPECT_EQ(collectives.front().algorithm(), kind == Kind::own ? "own" : rondo::name(algorithm));
        }
      }
    }
    EXPECT_GT(of_further_calls, further_calls.size() > 0 ? 0 : -1);
    if (rank_ == 0) std::printf("%d places at which a call failed\n", places);
  }

 private:
  int fail_at_each_place(std::vector<Collective>& collectives, Call call) {
    SCOPED_TRACE(std::to_string(collectives.size()) + " at once, call " + std::to_string(static_cast<int>(call)));
    return run_with_each(collectives, call);
  }

  bool of_nodes_;  ///< ranks are said to be on several, and only messages between them are MPI's
};

TEST_F(DenseFaults, OfAnAllreduce) {
  fail_everywhere(Kind::allreduce, {Algorithm::recursive_doubling, Algorithm::halving_doubling, Algorithm::ring},
                  {Call::reduce});
}

TEST_F(DenseFaults, OfAReduceScatter) {
  fail_everywhere(Kind::reduce_scatter, {Algorithm::recursive_halving, Algorithm::direct}, {Call::reduce});
}

TEST_F(DenseFaults, OfAnAllgather) { fail_everywhere(Kind::allgather, {Algorithm::bruck, Algorithm::ring}); }

TEST_F(DenseFaults, OfABroadcast) {
  fail_everywhere(Kind::broadcast, {Algorithm::tree, Algorithm::chain, Algorithm::circulant});
}

TEST_F(DenseFaults, OfABarrier) { fail_everywhere(Kind::barrier, {Algorithm::dissemination, Algorithm::direct}); }

TEST_F(DenseFaults, OfOnesOwn) { fail_everywhere(Kind::own, {Algorithm::automatic}, {Call::compute}); }

}  // namespace
}  // namespace rondo::internal::mpi_faults::dense_test
