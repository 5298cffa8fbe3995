/// @file
/// Subjects: collective calls with their buffers, for benchmarks of operations that learn.
#ifndef RONDO_BENCH_SUBJECT_HPP
#define RONDO_BENCH_SUBJECT_HPP

#include <mpi.h>
#include <rondo/options.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

[[nodiscard]] inline int ranks() {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  return p;
}

/// A collective with its buffers, and how to make what does it with options: a request, or calls.
template <typename Made>
struct Subject {
  using Make = std::function<Made(Subject&, const rondo::Options&)>;
  std::string what;
  std::vector<const char*> algorithms;
  std::vector<int> send;
  std::vector<int> recv;
  Make make;
};

template <typename Made>
using Subjects = std::vector<std::unique_ptr<Subject<Made>>>;

/// `sent` and `received` are numbers of elements.
template <typename Made>
void add(Subjects<Made>& all, std::string what, std::vector<const char*> algorithms, std::size_t sent,
         std::size_t received, typename Subject<Made>::Make make) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto subject = std::make_unique<Subject<Made>>();
  subject->what = std::move(what);
  subject->algorithms = std::move(algorithms);
  for (std::size_t i = 0; i < sent; ++i) subject->send.push_back(rank * 1000 + static_cast<int>(i % 997));
  subject->recv.assign(received, 0);
  subject->make = std::move(make);
  all.push_back(std::move(subject));
}

}  // namespace bench

#endif
