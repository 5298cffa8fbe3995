/// @file
/// AllgatherExchange: one block of every process to all of its neighbors, done in every way.
#ifndef RONDO_BENCH_ALLGATHER_EXCHANGE_HPP
#define RONDO_BENCH_ALLGATHER_EXCHANGE_HPP

#include "harness.hpp"
#include "plan.hpp"

#include <mpi.h>
#include <sched.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// A block of `bytes` bytes for all neighbors on a torus, t blocks received one after the other, and every variant of
/// doing so.
class AllgatherExchange {
 public:
  AllgatherExchange(std::vector<int> sizes, const rondo::Neighborhood& neighborhood, int bytes)
      : sizes_(std::move(sizes)),
        neighborhood_(neighborhood),
        bytes_(bytes),
        t_(neighborhood.size()),
        torus_(MPI_COMM_WORLD, sizes_, neighborhood),
        sources_(torus_.sources()),
        targets_(torus_.targets()),
        send_(static_cast<std::size_t>(bytes)),
        recv_(static_cast<std::size_t>(t_) * send_.size()),
        requests_(2 * static_cast<std::size_t>(t_)) {
    for (int byte = 0; byte < bytes; ++byte) send_[static_cast<std::size_t>(byte)] = content(torus_.rank(), byte);
    MPI_Dist_graph_create_adjacent(torus_.native(), t_, sources_.data(), MPI_UNWEIGHTED, t_, targets_.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
  }
  AllgatherExchange(const AllgatherExchange&) = delete;
  AllgatherExchange& operator=(const AllgatherExchange&) = delete;
  ~AllgatherExchange() { MPI_Comm_free(&graph_); }

  [[nodiscard]] Variant rondo_persistent(const char* algorithm) {
    tori_.push_back(torus_with(algorithm));
    kept_.push_back(tori_.back().allgather_init(send_.data(), recv_.data(), bytes_, MPI_BYTE));
    std::string name = std::string("rondo ") + algorithm;
    if (std::string(algorithm) == "auto") name += " (" + plan_of(kept_.back()) + ")";
    const std::size_t number = kept_.size() - 1;
    return make(std::move(name), true, [this, number](int times) {
      for (int k = 0; k < times; ++k) {
        kept_[number].start();
        kept_[number].wait();
      }
    });
  }
  [[nodiscard]] Variant rondo_blocking() {
    return make("rondo auto, blocking", true, [this](int times) {
      for (int k = 0; k < times; ++k) torus_.allgather(send_.data(), recv_.data(), bytes_, MPI_BYTE);
    });
  }
  [[nodiscard]] Variant mpi_neighbor_allgather() {
    return make("MPI_Neighbor_allgather", false, [this](int times) {
      for (int k = 0; k < times; ++k)
        MPI_Neighbor_allgather(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, graph_);
    });
  }
  /// Waiting by MPI_Waitall, or by testing and yielding the core.
  [[nodiscard]] Variant isend_irecv(bool yielding) {
    return make(yielding ? "Isend/Irecv, yielding" : "Isend/Irecv", false, [this, yielding](int times) {
      for (int k = 0; k < times; ++k) exchange_by_hand(yielding);
    });
  }

 private:
  [[nodiscard]] static char content(int rank, int byte) { return static_cast<char>(rank * 31 + byte % 113 + 1); }

  [[nodiscard]] rondo::CartComm torus_with(const char* algorithm) const {
    rondo::Options options;
    options.algorithm = rondo::algorithm_from(algorithm);
    return {MPI_COMM_WORLD, sizes_, neighborhood_, options};
  }
  Variant make(std::string name, bool ours, std::function<void(int)> run) {
    return {std::move(name), ours, run, [this, run] {
              std::ranges::fill(recv_, static_cast<char>(0));
              run(1);
              for (std::size_t i = 0; i < recv_.size(); ++i) {
                if (recv_[i] != content(sources_[i / send_.size()], static_cast<int>(i % send_.size()))) return false;
              }
              return true;
            }};
  }
  void exchange_by_hand(bool yielding) {
    const auto t = static_cast<std::size_t>(t_);
    for (std::size_t i = 0; i < t; ++i) {
      MPI_Irecv(recv_.data() + i * send_.size(), bytes_, MPI_BYTE, sources_[i], static_cast<int>(i), torus_.native(),
                &requests_[i]);
    }
    for (std::size_t i = 0; i < t; ++i) {
      MPI_Isend(send_.data(), bytes_, MPI_BYTE, targets_[i], static_cast<int>(i), torus_.native(), &requests_[t + i]);
    }
    const int count = static_cast<int>(requests_.size());
    if (!yielding) MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
    for (int done = yielding ? 0 : 1; done == 0;) {
      MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE);
      if (done == 0) sched_yield();
    }
  }

  std::vector<int> sizes_;
  rondo::Neighborhood neighborhood_;
  int bytes_;
  int t_;
  rondo::CartComm torus_;
  std::vector<rondo::CartComm> tori_;
  std::vector<rondo::Request> kept_;
  std::vector<int> sources_;
  std::vector<int> targets_;
  std::vector<char> send_;
  std::vector<char> recv_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
};

}  // namespace bench

#endif
