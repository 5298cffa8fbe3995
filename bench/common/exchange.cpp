#include "exchange.hpp"
#include "plan.hpp"

#include <sched.h>

#include <algorithm>
#include <memory>

namespace bench {
namespace {

char content(int rank, int i, int j) { return static_cast<char>(rank * 31 + i * 7 + j % 113 + 1); }

}  // namespace

Exchange::Exchange(std::vector<int> sizes, const rondo::Neighborhood& neighborhood, int bytes)
    : sizes_(std::move(sizes)),
      neighborhood_(neighborhood),
      bytes_(bytes),
      t_(neighborhood.size()),
      torus_(MPI_COMM_WORLD, sizes_, neighborhood),
      sources_(torus_.sources()),
      targets_(torus_.targets()),
      send_(static_cast<std::size_t>(t_) * static_cast<std::size_t>(bytes)),
      recv_(send_.size()),
      counts_(static_cast<std::size_t>(t_), bytes),
      types_(static_cast<std::size_t>(t_), MPI_BYTE),
      requests_(2 * static_cast<std::size_t>(t_)) {
  for (int i = 0; i < t_; ++i) {
    places_.push_back(static_cast<MPI_Aint>(i) * bytes);
    for (int j = 0; j < bytes; ++j) {
      send_[static_cast<std::size_t>(i) * static_cast<std::size_t>(bytes) + static_cast<std::size_t>(j)] =
          content(torus_.rank(), i, j);
    }
  }
  MPI_Dist_graph_create_adjacent(torus_.native(), t_, sources_.data(), MPI_UNWEIGHTED, t_, targets_.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
}

Exchange::~Exchange() {
  for (MPI_Request& request : persistent_) MPI_Request_free(&request);
  MPI_Comm_free(&graph_);
}

bool Exchange::verify(const std::function<void(int)>& run) {
  std::ranges::fill(recv_, static_cast<char>(0));
  run(1);
  for (int i = 0; i < t_; ++i) {
    for (int j = 0; j < bytes_; ++j) {
      if (recv_[static_cast<std::size_t>(places_[static_cast<std::size_t>(i)] + j)] !=
          content(sources_[static_cast<std::size_t>(i)], i, j)) {
        return false;
      }
    }
  }
  return true;
}

Variant Exchange::make(std::string name, bool ours, std::function<void(int)> run) {
  return {std::move(name), ours, run, [this, run] { return verify(run); }};
}

rondo::CartComm Exchange::torus_with(const char* algorithm) const {
  rondo::Options options;
  options.algorithm = rondo::algorithm_from(algorithm);
  return {MPI_COMM_WORLD, sizes_, neighborhood_, options};
}

Variant Exchange::rondo_persistent(const char* algorithm, bool irregular) {
  kept_tori_.push_back(torus_with(algorithm));
  const MPI_Comm comm = kept_tori_.back().native();
  Rondo_Request request = RONDO_REQUEST_NULL;
  if (irregular) {
    Rondo_Cart_alltoallw_init(send_.data(), counts_.data(), places_.data(), types_.data(), recv_.data(), counts_.data(),
                              places_.data(), types_.data(), comm, MPI_INFO_NULL, &request);
  } else {
    Rondo_Cart_alltoall_init(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, comm, MPI_INFO_NULL,
                             &request);
  }
  kept_requests_.emplace_back(request);
  std::string name = std::string("rondo ") + algorithm;
  if (std::string(algorithm) == "auto") name += " (" + plan_of(kept_requests_.back()) + ")";
  return make(name, true, [request](int times) mutable {
    for (int k = 0; k < times; ++k) {
      Rondo_Start(&request);
      Rondo_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
}

Variant Exchange::rondo_blocking(const char* algorithm) {
  kept_tori_.push_back(torus_with(algorithm));
  const MPI_Comm comm = kept_tori_.back().native();
  return make(std::string("rondo ") + algorithm + ", blocking", true, [this, comm](int times) {
    for (int k = 0; k < times; ++k) {
      Rondo_Cart_alltoall(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, comm);
    }
  });
}

Variant Exchange::mpi_neighbor_alltoall() {
  return make("MPI_Neighbor_alltoall", false, [this](int times) {
    for (int k = 0; k < times; ++k) {
      MPI_Neighbor_alltoall(send_.data(), bytes_, MPI_BYTE, recv_.data(), bytes_, MPI_BYTE, graph_);
    }
  });
}

Variant Exchange::mpi_neighbor_alltoallw() {
  return make("MPI_Neighbor_alltoallw", false, [this](int times) {
    for (int k = 0; k < times; ++k) {
      MPI_Neighbor_alltoallw(send_.data(), counts_.data(), places_.data(), types_.data(), recv_.data(), counts_.data(),
                             places_.data(), types_.data(), graph_);
    }
  });
}

Variant Exchange::mpi_ineighbor_alltoallw() {
  return make("MPI_Ineighbor_alltoallw", false, [this](int times) {
    for (int k = 0; k < times; ++k) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ineighbor_alltoallw(send_.data(), counts_.data(), places_.data(), types_.data(), recv_.data(), counts_.data(),
                              places_.data(), types_.data(), graph_, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
}

void Exchange::wait_all(std::vector<MPI_Request>& requests, bool yielding) {
  const int count = static_cast<int>(requests.size());
  if (!yielding) {
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  for (int done = 0; done == 0;) {
    MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done == 0) sched_yield();
  }
}

Variant Exchange::isend_irecv(bool yielding) {
  return make(yielding ? "Isend/Irecv, yielding" : "Isend/Irecv", false, [this, yielding](int times) {
    const auto t = static_cast<std::size_t>(t_);
    for (int k = 0; k < times; ++k) {
      for (std::size_t i = 0; i < t; ++i) {
        MPI_Irecv(recv_.data() + places_[i], bytes_, MPI_BYTE, sources_[i], static_cast<int>(i), torus_.native(),
                  &requests_[i]);
      }
      for (std::size_t i = 0; i < t; ++i) {
        MPI_Isend(send_.data() + places_[i], bytes_, MPI_BYTE, targets_[i], static_cast<int>(i), torus_.native(),
                  &requests_[t + i]);
      }
      wait_all(requests_, yielding);
    }
  });
}

Variant Exchange::persistent_point_to_point(bool yielding) {
  const auto t = static_cast<std::size_t>(t_);
  if (persistent_.empty()) {
    persistent_.resize(2 * t);
    for (std::size_t i = 0; i < t; ++i) {
      MPI_Recv_init(recv_.data() + places_[i], bytes_, MPI_BYTE, sources_[i], static_cast<int>(i), torus_.native(),
                    &persistent_[i]);
      MPI_Send_init(send_.data() + places_[i], bytes_, MPI_BYTE, targets_[i], static_cast<int>(i), torus_.native(),
                    &persistent_[t + i]);
    }
  }
  return make(yielding ? "persistent p2p, yielding" : "persistent p2p", false, [this, yielding](int times) {
    for (int k = 0; k < times; ++k) {
      MPI_Startall(static_cast<int>(persistent_.size()), persistent_.data());
      wait_all(persistent_, yielding);
    }
  });
}

}  // namespace bench
