#include "collectives.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench::plugin {
namespace {

/// One collective in its three forms, as an application calls it or in MPI's own way.
struct Forms {
  std::string name;
  std::function<void(const Mpi&)> run;
  std::function<void(const Mpi&, MPI_Request*)> start;
  std::function<void(const Mpi&, MPI_Request*)> init;
  std::function<bool()> right;  ///< and makes what came wrong again
};

void measure(const Functions& mpi, const Forms& forms, const std::string& where, Measurement& measurement) {
  const auto compare = [&](const std::string& what, const std::function<void(const Mpi&, int)>& run) {
    measurement.compare(what + where, MPI_COMM_WORLD, run, [&](const Mpi& way) {
      run(way, 1);
      return forms.right();
    });
  };
  compare(forms.name, [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i) forms.run(way);
  });
  compare("i" + forms.name, [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i) {
      MPI_Request request = MPI_REQUEST_NULL;
      forms.start(way, &request);
      way.of(mpi.wait)(&request, MPI_STATUS_IGNORE);
    }
  });
  std::array<MPI_Request, 2> persistent{};
  const std::array<Mpi, 2> ways{Mpi(false), Mpi(true)};
  for (std::size_t i = 0; i < 2; ++i) forms.init(ways[i], &persistent[i]);
  compare(forms.name + "_init", [&](const Mpi& way, int times) {
    MPI_Request& request = persistent[way.of(mpi.wait) == mpi.wait.own ? 1 : 0];
    for (int i = 0; i < times; ++i) {
      way.of(mpi.start)(&request);
      way.of(mpi.wait)(&request, MPI_STATUS_IGNORE);
    }
  });
  for (std::size_t i = 0; i < 2; ++i) ways[i].of(mpi.request_free)(&persistent[i]);
}

}  // namespace

void measure_collectives(const Functions& mpi, int bytes, Measurement& measurement) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Info none = MPI_INFO_NULL;
  int p = 0;
  int rank = 0;
  MPI_Comm_size(world, &p);
  MPI_Comm_rank(world, &rank);
  const int n = bytes / static_cast<int>(sizeof(double));
  const std::size_t all = static_cast<std::size_t>(p) * static_cast<std::size_t>(n);
  const std::vector<double> ones(all, 1.0);
  std::vector<double> result(all);
  const double* const send = ones.data();
  double* const recv = result.data();
  const std::string where = ", " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B";
  /// The first so many must have one value.
  const auto holds = [&](std::size_t count, double value) {
    bool right = true;
    for (std::size_t i = 0; i < count; ++i) right = right && std::exchange(result[i], 0.0) == value;
    return right;
  };
  const auto block = static_cast<std::size_t>(n);

  if (bytes == 8) {
    measure(mpi,
            {.name = "barrier",
             .run = [&](const Mpi& way) { way.of(mpi.barrier)(world); },
             .start = [&](const Mpi& way, MPI_Request* request) { way.of(mpi.ibarrier)(world, request); },
             .init = [&](const Mpi& way, MPI_Request* request) { way.of(mpi.barrier_init)(world, none, request); },
             .right = [] { return true; }},
            ", " + std::to_string(p) + " ranks", measurement);
  }
  if (rank == 0) result.assign(all, 2.0);
  measure(mpi,
          {.name = "bcast",
           .run = [&](const Mpi& way) { way.of(mpi.bcast)(recv, n, MPI_DOUBLE, 0, world); },
           .start = [&](const Mpi& way,
                        MPI_Request* request) { way.of(mpi.ibcast)(recv, n, MPI_DOUBLE, 0, world, request); },
           .init = [&](const Mpi& way,
                       MPI_Request* request) { way.of(mpi.bcast_init)(recv, n, MPI_DOUBLE, 0, world, none, request); },
           .right =
               [&] {
                 // The root's are what the next one sends.
                 const bool right = rank == 0 || holds(block, 2.0);
                 if (rank == 0) result.assign(all, 2.0);
                 return right;
               }},
          where, measurement);
  measure(mpi,
          {.name = "allgather",
           .run = [&](const Mpi& way) { way.of(mpi.allgather)(send, n, MPI_DOUBLE, recv, n, MPI_DOUBLE, world); },
           .start =
               [&](const Mpi& way, MPI_Request* request) {
                 way.of(mpi.iallgather)(send, n, MPI_DOUBLE, recv, n, MPI_DOUBLE, world, request);
               },
           .init =
               [&](const Mpi& way, MPI_Request* request) {
                 way.of(mpi.allgather_init)(send, n, MPI_DOUBLE, recv, n, MPI_DOUBLE, world, none, request);
               },
           .right = [&] { return holds(all, 1.0); }},
          where, measurement);
  const std::vector<int> counts(static_cast<std::size_t>(p), n);
  std::vector<int> places;
  for (int i = 0; i < p; ++i) places.push_back(i * n);
  measure(mpi,
          {.name = "allgatherv",
           .run =
               [&](const Mpi& way) {
                 way.of(mpi.allgatherv)(send, n, MPI_DOUBLE, recv, counts.data(), places.data(), MPI_DOUBLE, world);
               },
           .start =
               [&](const Mpi& way, MPI_Request* request) {
                 way.of(mpi.iallgatherv)(send, n, MPI_DOUBLE, recv, counts.data(), places.data(), MPI_DOUBLE, world,
                                         request);
               },
           .init =
               [&](const Mpi& way, MPI_Request* request) {
                 way.of(mpi.allgatherv_init)(send, n, MPI_DOUBLE, recv, counts.data(), places.data(), MPI_DOUBLE, world,
                                             none, request);
               },
           .right = [&] { return holds(all, 1.0); }},
          where, measurement);
  measure(mpi,
          {.name = "allreduce",
           .run = [&](const Mpi& way) { way.of(mpi.allreduce)(send, recv, n, MPI_DOUBLE, MPI_SUM, world); },
           .start =
               [&](const Mpi& way, MPI_Request* request) {
                 way.of(mpi.iallreduce)(send, recv, n, MPI_DOUBLE, MPI_SUM, world, request);
               },
           .init =
               [&](const Mpi& way, MPI_Request* request) {
                 way.of(mpi.allreduce_init)(send, recv, n, MPI_DOUBLE, MPI_SUM, world, none, request);
               },
           .right = [&] { return holds(block, p); }},
          where, measurement);
  measure(mpi,
          {.name = "reduce_scatter_block",
           .run = [&](const Mpi& way) { way.of(mpi.reduce_scatter_block)(send, recv, n, MPI_DOUBLE, MPI_SUM, world); },
           .start =
               [&](const Mpi& way, MPI_Request* request) {
                 way.of(mpi.ireduce_scatter_block)(send, recv, n, MPI_DOUBLE, MPI_SUM, world, request);
               },
           .init =
               [&](const Mpi& way, MPI_Request* request) {
                 way.of(mpi.reduce_scatter_block_init)(send, recv, n, MPI_DOUBLE, MPI_SUM, world, none, request);
               },
           .right = [&] { return holds(block, p); }},
          where, measurement);
  measure(
      mpi,
      {.name = "reduce_scatter",
       .run =
           [&](const Mpi& way) { way.of(mpi.reduce_scatter)(send, recv, counts.data(), MPI_DOUBLE, MPI_SUM, world); },
       .start =
           [&](const Mpi& way, MPI_Request* request) {
             way.of(mpi.ireduce_scatter)(send, recv, counts.data(), MPI_DOUBLE, MPI_SUM, world, request);
           },
       .init =
           [&](const Mpi& way, MPI_Request* request) {
             way.of(mpi.reduce_scatter_init)(send, recv, counts.data(), MPI_DOUBLE, MPI_SUM, world, none, request);
           },
       .right = [&] { return holds(block, p); }},
      where, measurement);
}

}  // namespace bench::plugin
