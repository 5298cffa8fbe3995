#include "dense_exchange.hpp"

#include <sched.h>

#include <algorithm>
#include <span>
#include <utility>

#if defined(OPEN_MPI)
#include <mpi-ext.h>  // MPI-4's persistent collectives under an earlier name
#endif

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

DenseExchange::DenseExchange(int bytes) : bytes_(bytes), comm_(MPI_COMM_WORLD) {
  p_ = comm_.size();
  rank_ = comm_.rank();
  const auto p = static_cast<std::size_t>(p_);
  send_.resize(p * static_cast<std::size_t>(bytes));
  recv_.resize(send_.size());
  requests_.resize(2 * p, MPI_REQUEST_NULL);
  for (int j = 0; j < p_; ++j) {
    for (int byte = 0; byte < bytes; ++byte)
      send_[static_cast<std::size_t>(j) * static_cast<std::size_t>(bytes) + static_cast<std::size_t>(byte)] =
          content(rank_, j, byte);
  }
}

DenseExchange::~DenseExchange() {
  if (persistent_ != MPI_REQUEST_NULL) MPI_Request_free(&persistent_);
}

Variant DenseExchange::make(std::string name, bool ours, std::function<void(int)> run) {
  return {std::move(name), ours, run, [this, run] {
            std::ranges::fill(recv_, static_cast<char>(0));
            run(1);
            for (std::size_t i = 0; i < recv_.size(); ++i) {
              const auto bytes = static_cast<std::size_t>(bytes_);
              if (recv_[i] != content(static_cast<int>(i / bytes), rank_, static_cast<int>(i % bytes))) return false;
            }
            return true;
          }};
}

Variant DenseExchange::rondo_persistent(const std::string& algorithm, int radix) {
  rondo::Options options;
  options.algorithm = algorithm;
  options.radix = radix;
  Variant variant = rondo_with(options, "rondo " + algorithm);
  if (algorithm == "auto") variant.name += " (" + kept_.back().algorithm() + ")";
  if (radix != 0) variant.name += ", radix " + std::to_string(radix);
  return variant;
}

Variant DenseExchange::rondo_with(const rondo::Options& options, std::string name) {
  kept_.push_back(comm_.alltoall_init(send_.data(), recv_.data(), bytes_, MPI_BYTE, options));
  const std::size_t number = kept_.size() - 1;
  return make(std::move(name), true, [this, number](int times) {
    for (int k = 0; k < times; ++k) {
      kept_[number].start();
      kept_[number].wait();
    }
  });
}

Variant DenseExchange::rondo_blocking() {
  return make("rondo auto, blocking", true, [this](int times) {
    for (int k = 0; k < times; ++k) comm_.alltoall(send_.data(), recv_.data(), bytes_, MPI_BYTE);
  });
}

Variant DenseExchange::rondo_nonblocking() {
  return make("rondo auto, nonblocking", true, [this](int times) {
    for (int k = 0; k < times; ++k) {
      rondo::Request request = comm_.ialltoall(send_.data(), recv_.data(), bytes_, MPI_BYTE);
      request.wait();
    }
  });
}

Variant DenseExchange::mpi_alltoall() {
  return make("MPI_Alltoall", false, [this](int times) {
    for (int k = 0; k < times; ++k)
      MPI_Alltoall(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, MPI_COMM_WORLD);
  });
}

Variant DenseExchange::mpi_ialltoall(bool yielding) {
  return make(with_yield("MPI_Ialltoall", yielding), false, [this, yielding](int times) {
    for (int k = 0; k < times; ++k) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ialltoall(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, MPI_COMM_WORLD, &request);
      wait_for_all({&request, 1}, yielding);
    }
  });
}

Variant DenseExchange::mpi_alltoall_init(bool yielding) {
  if (persistent_ == MPI_REQUEST_NULL) {
#if defined(OPEN_MPI)
    MPIX_Alltoall_init(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &persistent_);
#else
    MPI_Alltoall_init(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &persistent_);
#endif
  }
  return make(with_yield("MPI_Alltoall_init", yielding), false, [this, yielding](int times) {
    for (int k = 0; k < times; ++k) {
      MPI_Start(&persistent_);
      wait_for_all({&persistent_, 1}, yielding);
    }
  });
}

Variant DenseExchange::isend_irecv(bool yielding) {
  return make(with_yield("Isend/Irecv", yielding), false, [this, yielding](int times) {
    const auto bytes = static_cast<std::size_t>(bytes_);
    for (int k = 0; k < times; ++k) {
      for (int i = 0; i < p_; ++i) {
        const int source = (rank_ + p_ - i) % p_;
        MPI_Irecv(recv_.data() + static_cast<std::size_t>(source) * bytes, bytes_, MPI_BYTE, source, 0, MPI_COMM_WORLD,
                  &requests_[static_cast<std::size_t>(i)]);
      }
      for (int i = 0; i < p_; ++i) {
        const int target = (rank_ + i) % p_;
        MPI_Isend(send_.data() + static_cast<std::size_t>(target) * bytes, bytes_, MPI_BYTE, target, 0, MPI_COMM_WORLD,
                  &requests_[static_cast<std::size_t>(p_ + i)]);
      }
      wait_for_all(requests_, yielding);
    }
  });
}

}  // namespace bench
