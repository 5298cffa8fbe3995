/// @file
/// Persistent operations that learn, each with its data, for the tests of learning in this folder.
#ifndef RONDO_TESTS_COLLECTIVES_BINDING_LEARNING_EXAMPLES_HPP
#define RONDO_TESTS_COLLECTIVES_BINDING_LEARNING_EXAMPLES_HPP

#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal::learning_examples {

/// Number of starts after which the two fastest algorithms have been compared again.
constexpr int kStarts = 900;

inline int rank_here() { return world_rank(); }

/// Expects all ranks to have the same text.
inline void expect_alike(const std::string& text, const std::string& what) {
  std::string first(200, ' ');
  first.replace(0, text.size(), text);
  const std::string own = first;
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(own, first) << what;
}

/// A persistent operation with its data.
class Example {
 public:
  virtual ~Example() = default;
  virtual Request& request() = 0;
  virtual void fill(int start) = 0;
  virtual void check(int start) = 0;
};

/// An alltoall of each process with the two at its left and the three at its right, on a ring.
class Alltoall final : public Example {
 public:
  explicit Alltoall(const Options& options) { request_ = ring_.alltoall_init(send_, recv_, kBlock, options); }
  Request& request() override { return request_; }
  void fill(int start) override {
    for (std::size_t i = 0; i < send_.size(); ++i) send_[i] = value(rank_here(), start, i);
    recv_.assign(recv_.size(), -1);
  }
  void check(int start) override {
    for (std::size_t block = 0; block < kOffsets.size(); ++block) {
      const int p = world_size();
      const int from = ((rank_here() - kOffsets[block]) % p + p) % p;
      for (std::size_t i = 0; i < kBlock; ++i) {
        EXPECT_EQ(recv_[block * kBlock + i], value(from, start, block * kBlock + i)) << "start " << start;
      }
    }
  }

 private:
  static constexpr std::size_t kBlock = 3;
  static constexpr std::array kOffsets{-2, -1, 1, 2, 3};
  static int value(int rank, int start, std::size_t i) { return rank * 1000000 + start * 100 + static_cast<int>(i); }
  CartComm ring_{MPI_COMM_WORLD, {world_size()}, Neighborhood{{-2}, {-1}, {1}, {2}, {3}}};
  std::vector<int> send_ = std::vector<int>(kBlock * kOffsets.size());
  std::vector<int> recv_ = std::vector<int>(kBlock * kOffsets.size());
  Request request_;
};

class Allreduce final : public Example {
 public:
  explicit Allreduce(const Options& options) { request_ = comm_.allreduce_init(send_, recv_, MPI_SUM, options); }
  Request& request() override { return request_; }
  void fill(int start) override {
    std::iota(send_.begin(), send_.end(), rank_here() * start);
    recv_.assign(recv_.size(), -1);
  }
  void check(int start) override {
    const int p = world_size();
    for (std::size_t i = 0; i < recv_.size(); ++i) {
      EXPECT_EQ(recv_[i], p * (p - 1) / 2 * start + p * static_cast<int>(i)) << "start " << start;
    }
  }

 private:
  Comm comm_{MPI_COMM_WORLD};
  std::vector<int> send_ = std::vector<int>(4096);
  std::vector<int> recv_ = std::vector<int>(4096);
  Request request_;
};

/// A broadcast by trees of any radix from rank 0, which may be far ahead of the others.
class Broadcast final : public Example {
 public:
  explicit Broadcast(Options options) {
    options.algorithm = rondo::Algorithm::tree;
    request_ = comm_.bcast_init(data_, 0, options);
  }
  Request& request() override { return request_; }
  void fill(int start) override { data_.assign(data_.size(), rank_here() == 0 ? start : -1); }
  void check(int start) override {
    for (const int value : data_) EXPECT_EQ(value, start);
  }

 private:
  Comm comm_{MPI_COMM_WORLD};
  std::vector<int> data_ = std::vector<int>(20);
  Request request_;
};

class Halo final : public Example {
 public:
  explicit Halo(const Options& options) {
    request_ = halo_init(grid_, HaloArray::of(cells_, {kInside + 2, kInside + 2}, 1), Stencil::box, options);
  }
  Request& request() override { return request_; }
  void fill(int start) override {
    cells_.assign(cells_.size(), -1);
    for (std::size_t row = 1; row <= kInside; ++row) {
      for (std::size_t column = 1; column <= kInside; ++column) cell(row, column) = rank_here() * 10000 + start;
    }
  }
  void check(int start) override {
    const int p = world_size();
    const int before = (rank_here() + p - 1) % p;
    const int after = (rank_here() + 1) % p;
    for (std::size_t column = 0; column < kInside + 2; ++column) {
      EXPECT_EQ(cell(0, column), before * 10000 + start) << "start " << start;
      EXPECT_EQ(cell(kInside + 1, column), after * 10000 + start) << "start " << start;
    }
  }

 private:
  static constexpr std::size_t kInside = 4;
  int& cell(std::size_t row, std::size_t column) { return cells_[row * (kInside + 2) + column]; }
  CartComm grid_{MPI_COMM_WORLD, {world_size(), 1}, moore(2, 1)};
  std::vector<int> cells_ = std::vector<int>((kInside + 2) * (kInside + 2));
  Request request_;
};

/// Returns whether candidates of a request are still tried.
inline bool learns(const Request& request) {
  return request.explain().find("candidates take turns") != std::string::npos;
}

using Make = std::function<std::unique_ptr<Example>(const Options&)>;

template <typename One>
Make of() {
  return [](const Options& options) { return std::make_unique<One>(options); };
}

/// Returns examples of several kinds of collectives, with their names.
inline const std::vector<std::pair<std::string, Make>>& examples() {
  static const std::vector<std::pair<std::string, Make>> all{{"alltoall", of<Alltoall>()},
                                                             {"allreduce", of<Allreduce>()},
                                                             {"broadcast", of<Broadcast>()},
                                                             {"halo", of<Halo>()}};
  return all;
}

/// Returns whether a request has one algorithm left.
inline bool is_decided(const Request& request) { return request.explain().find("learned: ") != std::string::npos; }

/// Returns how often the two fastest algorithms of a decided request were compared again.
inline int later_looks(const Request& request) {
  constexpr std::string_view kBefore = "looks again: ";
  const std::string told = request.explain();
  const std::size_t place = told.find(kBefore);
  return place == std::string::npos ? 0 : std::stoi(told.substr(place + kBefore.size()));
}

/// More starts than there are between two comparisons, also if the last one was disturbed and took the second fastest
/// algorithm for ten times slower.
constexpr int kLongestPause = 1500;

/// Starts an example until one algorithm is left, and returns the number of starts.
inline int run_until_decided(Example& example) {
  int start = 0;
  for (; !is_decided(example.request()); ++start) {
    EXPECT_LT(start, 10000);
    example.fill(start);
    example.request().start();
    example.request().wait();
    example.check(start);
  }
  return start;
}

}  // namespace rondo::internal::learning_examples

#endif
