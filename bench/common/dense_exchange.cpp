#include "dense_exchange.hpp"

#include "persistent_collectives.hpp"

#include <sched.h>

#include <span>
#include <utility>

namespace bench {
namespace {

char content(int source, int target, int byte) { return static_cast<char>(source * 31 + target * 7 + byte % 113 + 1); }

void wait_for_all(std::span<MPI_Request> requests, bool yielding) {
  const int count = static_cast<int>(requests.size());
  if (!yielding) {
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  for (int done = 0; done == 0;) {
    if (count == 1)  // MPICH 4.0's MPI_Testall fails for persistent collectives
      MPI_Test(requests.data(), &done, MPI_STATUS_IGNORE);
    else
      MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done == 0) sched_yield();
  }
}

std::string with_yield(std::string name, bool yielding) { return yielding ? name + ", yielding" : name; }

}  // namespace

DenseExchange::DenseExchange(int bytes) : DenseExchange([bytes](int, int) { return bytes; }, false) {}

DenseExchange::DenseExchange(const BlockBytes& bytes) : DenseExchange(bytes, true) {}

DenseExchange::DenseExchange(const BlockBytes& bytes, bool irregular)
    : irregular_(irregular),
      v_(irregular ? "v" : ""),
      rondo_(irregular ? "rondo v " : "rondo "),
      comm_(MPI_COMM_WORLD) {
  p_ = comm_.size();
  rank_ = comm_.rank();
  const auto lay_out = [&](Blocks& blocks, std::vector<char>& buffer, const std::function<int(int)>& bytes_of) {
    int end = 0;
    for (int j = 0; j < p_; ++j) {
      blocks.counts.push_back(bytes_of(j));
      blocks.displacements.push_back(end);
      end += blocks.counts.back();
    }
    buffer.resize(static_cast<std::size_t>(end));
  };
  lay_out(send_blocks_, send_, [&](int target) { return bytes(rank_, target); });
  lay_out(recv_blocks_, recv_, [&](int source) { return bytes(source, rank_); });
  requests_.resize(2 * static_cast<std::size_t>(p_), MPI_REQUEST_NULL);
  send_blocks_.for_each_byte([&](int target, int byte, std::size_t at) { send_[at] = content(rank_, target, byte); });
}

DenseExchange::~DenseExchange() {
  if (persistent_ != MPI_REQUEST_NULL) MPI_Request_free(&persistent_);
}

Variant DenseExchange::make(std::string name, bool ours, std::function<void(int)> run) {
  return {std::move(name), ours, run, [this, run] {
            // No byte is right before it arrives.
            recv_blocks_.for_each_byte([&](int source, int byte, std::size_t at) {
              recv_[at] = static_cast<char>(~content(source, rank_, byte));
            });
            run(1);
            bool right = true;
            recv_blocks_.for_each_byte([&](int source, int byte, std::size_t at) {
              right = right && recv_[at] == content(source, rank_, byte);
            });
            return right;
          }};
}

rondo::Request DenseExchange::init(const rondo::Options& options) {
  if (!irregular_) return comm_.alltoall_init(send_.data(), recv_.data(), bytes(), MPI_BYTE, options);
  return comm_.alltoallv_init(std::span<const char>(send_), send_blocks_.places(), std::span(recv_),
                              recv_blocks_.places(), options);
}

Variant DenseExchange::rondo_persistent(const std::string& algorithm, int radix) {
  rondo::Options options;
  options.algorithm = rondo::algorithm_from(algorithm);
  options.dense.radix = radix;
  Variant variant = rondo_with(options, rondo_ + algorithm);
  if (algorithm == "auto") variant.name += " (" + runs() + ")";
  if (radix != 0) variant.name += ", radix " + std::to_string(radix);
  return variant;
}

Variant DenseExchange::rondo_with(const rondo::Options& options, std::string name) {
  kept_.push_back(init(options));
  const std::size_t number = kept_.size() - 1;
  return make(std::move(name), true, [this, number](int times) {
    for (int k = 0; k < times; ++k) {
      kept_[number].start();
      kept_[number].wait();
    }
  });
}

Variant DenseExchange::rondo_made_each_time(const std::string& algorithm) {
  return make(rondo_ + algorithm + ", made each time", true, [this, algorithm](int times) {
    for (int k = 0; k < times; ++k) {
      rondo::Request request = init({.algorithm = rondo::algorithm_from(algorithm)});
      request.start();
      request.wait();
    }
  });
}

Variant DenseExchange::rondo_blocking(const std::string& algorithm) {
  comms_.emplace_back(MPI_COMM_WORLD, rondo::Options{.algorithm = rondo::algorithm_from(algorithm)});
  const std::size_t number = comms_.size() - 1;
  return make(rondo_ + algorithm + ", blocking", true, [this, number](int times) {
    rondo::Comm& comm = comms_[number];
    for (int k = 0; k < times; ++k) {
      if (irregular_)
        comm.alltoallv(std::span<const char>(send_), send_blocks_.places(), std::span(recv_), recv_blocks_.places());
      else
        comm.alltoall(send_.data(), recv_.data(), bytes(), MPI_BYTE);
    }
  });
}

Variant DenseExchange::rondo_nonblocking() {
  return make(rondo_ + "auto, nonblocking", true, [this](int times) {
    for (int k = 0; k < times; ++k) {
      rondo::Request request = irregular_ ? comm_.ialltoallv(std::span<const char>(send_), send_blocks_.places(),
                                                             std::span(recv_), recv_blocks_.places())
                                          : comm_.ialltoall(send_.data(), recv_.data(), bytes(), MPI_BYTE);
      request.wait();
    }
  });
}

Variant DenseExchange::mpi_alltoall() {
  return make("MPI_Alltoall" + v_, false, [this](int times) {
    for (int k = 0; k < times; ++k) {
      if (irregular_)
        MPI_Alltoallv(send_.data(), send_blocks_.counts.data(), send_blocks_.displacements.data(), MPI_BYTE,
                      recv_.data(), recv_blocks_.counts.data(), recv_blocks_.displacements.data(), MPI_BYTE,
                      MPI_COMM_WORLD);
      else
        MPI_Alltoall(send_.data(), bytes(), MPI_BYTE, recv_.data(), bytes(), MPI_BYTE, MPI_COMM_WORLD);
    }
  });
}

Variant DenseExchange::mpi_ialltoall(bool yielding) {
  return make(with_yield("MPI_Ialltoall" + v_, yielding), false, [this, yielding](int times) {
    for (int k = 0; k < times; ++k) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (irregular_)
        MPI_Ialltoallv(send_.data(), send_blocks_.counts.data(), send_blocks_.displacements.data(), MPI_BYTE,
                       recv_.data(), recv_blocks_.counts.data(), recv_blocks_.displacements.data(), MPI_BYTE,
                       MPI_COMM_WORLD, &request);
      else
        MPI_Ialltoall(send_.data(), bytes(), MPI_BYTE, recv_.data(), bytes(), MPI_BYTE, MPI_COMM_WORLD, &request);
      wait_for_all({&request, 1}, yielding);
    }
  });
}

Variant DenseExchange::mpi_alltoall_init(bool yielding) {
  if (persistent_ == MPI_REQUEST_NULL) {
    if (irregular_)
      MPI_Alltoallv_init(send_.data(), send_blocks_.counts.data(), send_blocks_.displacements.data(), MPI_BYTE,
                         recv_.data(), recv_blocks_.counts.data(), recv_blocks_.displacements.data(), MPI_BYTE,
                         MPI_COMM_WORLD, MPI_INFO_NULL, &persistent_);
    else
      MPI_Alltoall_init(send_.data(), bytes(), MPI_BYTE, recv_.data(), bytes(), MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &persistent_);
  }
  return make(with_yield("MPI_Alltoall" + v_ + "_init", yielding), false, [this, yielding](int times) {
    for (int k = 0; k < times; ++k) {
      MPI_Start(&persistent_);
      wait_for_all({&persistent_, 1}, yielding);
    }
  });
}

Variant DenseExchange::isend_irecv(bool yielding) {
  return make(with_yield("Isend/Irecv", yielding), false, [this, yielding](int times) {
    for (int k = 0; k < times; ++k) {
      for (int i = 0; i < p_; ++i) {
        const int source = (rank_ + p_ - i) % p_;
        const auto block = static_cast<std::size_t>(source);
        MPI_Irecv(recv_.data() + recv_blocks_.displacements[block], recv_blocks_.counts[block], MPI_BYTE, source, 0,
                  MPI_COMM_WORLD, &requests_[static_cast<std::size_t>(i)]);
      }
      for (int i = 0; i < p_; ++i) {
        const int target = (rank_ + i) % p_;
        const auto block = static_cast<std::size_t>(target);
        MPI_Isend(send_.data() + send_blocks_.displacements[block], send_blocks_.counts[block], MPI_BYTE, target, 0,
                  MPI_COMM_WORLD, &requests_[static_cast<std::size_t>(p_ + i)]);
      }
      wait_for_all(requests_, yielding);
    }
  });
}

}  // namespace bench
