// What the plug-in costs and gains: MPI's calls as an application makes them, with librondo_pmpi.so loaded in front of
// MPI, beside the same calls of MPI's own, in one process.
// Figures: a call that is passed through costs at most 20 ns more; a collective that Rondo takes is no slower
// than 1.05. One rank measures the first, with RONDO_PMPI=-alltoallv, several the second, with RONDO_PMPI=all.
// Usage: LD_PRELOAD=librondo_pmpi.so plugin CSV [--quick] [--only PART-OF-A-POINT]
#include "collectives.hpp"
#include "functions.hpp"
#include "harness.hpp"
#include "measurement.hpp"
#include "report.hpp"

#include <mpi.h>

#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using bench::plugin::Functions;
using bench::plugin::Measurement;
using bench::plugin::Mpi;

/// Blocks of one size for `sends` neighbors or ranks, and what comes back.
struct Buffers {
  Buffers(int blocks, int bytes)
      : send(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(bytes), 'a'), recv(send.size(), ' ') {}
  [[nodiscard]] bool right() {
    const bool all = recv == send;
    recv.assign(recv.size(), ' ');
    return all;
  }
  std::vector<char> send;
  std::vector<char> recv;
};

void dense(const Functions& mpi, int bytes, Measurement& measurement) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  Buffers buffers(p, bytes);
  char* const send = buffers.send.data();
  char* const recv = buffers.recv.data();
  const std::string size = ", " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B";
  const auto measure = [&](const std::string& what, const std::function<void(const Mpi&, int)>& run) {
    measurement.compare(what + size, MPI_COMM_WORLD, run, [&](const Mpi& way) {
      run(way, 1);
      return buffers.right();
    });
  };
  measure("alltoall", [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i) way.of(mpi.alltoall)(send, bytes, MPI_CHAR, recv, bytes, MPI_CHAR, MPI_COMM_WORLD);
  });
  measure("ialltoall", [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i) {
      MPI_Request request = MPI_REQUEST_NULL;
      way.of(mpi.ialltoall)(send, bytes, MPI_CHAR, recv, bytes, MPI_CHAR, MPI_COMM_WORLD, &request);
      way.of(mpi.wait)(&request, MPI_STATUS_IGNORE);
    }
  });
  const std::vector<int> counts(static_cast<std::size_t>(p), bytes);
  std::vector<int> places;
  for (int i = 0; i < p; ++i) places.push_back(i * bytes);
  measure("alltoallv", [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i)
      way.of(mpi.alltoallv)(send, counts.data(), places.data(), MPI_CHAR, recv, counts.data(), places.data(), MPI_CHAR,
                            MPI_COMM_WORLD);
  });
  measure("ialltoallv", [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i) {
      MPI_Request request = MPI_REQUEST_NULL;
      way.of(mpi.ialltoallv)(send, counts.data(), places.data(), MPI_CHAR, recv, counts.data(), places.data(), MPI_CHAR,
                             MPI_COMM_WORLD, &request);
      way.of(mpi.wait)(&request, MPI_STATUS_IGNORE);
    }
  });
  std::array<MPI_Request, 2> persistent{};
  const std::array<Mpi, 2> ways{Mpi(false), Mpi(true)};
  for (std::size_t i = 0; i < 2; ++i)
    ways[i].of(mpi.alltoall_init)(send, bytes, MPI_CHAR, recv, bytes, MPI_CHAR, MPI_COMM_WORLD, MPI_INFO_NULL,
                                  &persistent[i]);
  measure("alltoall_init", [&](const Mpi& way, int times) {
    MPI_Request& request = persistent[way.of(mpi.wait) == mpi.wait.own ? 1 : 0];
    for (int i = 0; i < times; ++i) {
      way.of(mpi.start)(&request);
      way.of(mpi.wait)(&request, MPI_STATUS_IGNORE);
    }
  });
  for (std::size_t i = 0; i < 2; ++i) ways[i].of(mpi.request_free)(&persistent[i]);
}

void neighborhoods(const Functions& mpi, MPI_Comm comm, int neighbors, const std::string& which, int bytes,
                   Measurement& measurement) {
  Buffers buffers(neighbors, bytes);
  char* const send = buffers.send.data();
  char* const recv = buffers.recv.data();
  int p = 0;
  MPI_Comm_size(comm, &p);
  const std::string where = which + ", " + std::to_string(p) + " ranks, " + std::to_string(bytes) + " B";
  const auto measure = [&](const std::string& what, const std::function<void(const Mpi&, int)>& run) {
    measurement.compare(what + where, comm, run, [&](const Mpi& way) {
      run(way, 1);
      return buffers.right();
    });
  };
  measure("neighbor_alltoall, ", [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i) way.of(mpi.neighbor_alltoall)(send, bytes, MPI_CHAR, recv, bytes, MPI_CHAR, comm);
  });
  measure("neighbor_allgather, ", [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i) way.of(mpi.neighbor_allgather)(send, bytes, MPI_CHAR, recv, bytes, MPI_CHAR, comm);
  });
  measure("ineighbor_alltoall, ", [&](const Mpi& way, int times) {
    for (int i = 0; i < times; ++i) {
      MPI_Request request = MPI_REQUEST_NULL;
      way.of(mpi.ineighbor_alltoall)(send, bytes, MPI_CHAR, recv, bytes, MPI_CHAR, comm, &request);
      way.of(mpi.wait)(&request, MPI_STATUS_IGNORE);
    }
  });
  std::array<MPI_Request, 2> persistent{};
  const std::array<Mpi, 2> ways{Mpi(false), Mpi(true)};
  for (std::size_t i = 0; i < 2; ++i)
    ways[i].of(mpi.neighbor_alltoall_init)(send, bytes, MPI_CHAR, recv, bytes, MPI_CHAR, comm, MPI_INFO_NULL,
                                           &persistent[i]);
  measure("neighbor_alltoall_init, ", [&](const Mpi& way, int times) {
    MPI_Request& request = persistent[way.of(mpi.wait) == mpi.wait.own ? 1 : 0];
    for (int i = 0; i < times; ++i) {
      way.of(mpi.start)(&request);
      way.of(mpi.wait)(&request, MPI_STATUS_IGNORE);
    }
  });
  for (std::size_t i = 0; i < 2; ++i) ways[i].of(mpi.request_free)(&persistent[i]);
}

/// Calls that are none of Rondo's business: switched off, on communicators of one process, and requests while nothing
/// of Rondo's is in flight.
void passed_through(const Functions& mpi, Measurement& measurement) {
  const auto nothing = [](const Mpi&) { return true; };
  char from = 'a';
  char to = ' ';
  const int one = 1;
  const int zero = 0;
  measurement.compare(
      "alltoallv, switched off", MPI_COMM_SELF,
      [&](const Mpi& way, int times) {
        for (int i = 0; i < times; ++i)
          way.of(mpi.alltoallv)(&from, &one, &zero, MPI_CHAR, &to, &one, &zero, MPI_CHAR, MPI_COMM_SELF);
      },
      nothing, true);
  measurement.compare(
      "alltoall of one process", MPI_COMM_SELF,
      [&](const Mpi& way, int times) {
        for (int i = 0; i < times; ++i) way.of(mpi.alltoall)(&from, 1, MPI_CHAR, &to, 1, MPI_CHAR, MPI_COMM_SELF);
      },
      nothing, true);
#if defined(OPEN_MPI)  // MPICH's are never as fast
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_SELF, 1, &one, &zero, 0, &line);
  measurement.compare(
      "neighbor_alltoall without neighbors", MPI_COMM_SELF,
      [&](const Mpi& way, int times) {
        std::array<char, 2> lost{};
        for (int i = 0; i < times; ++i)
          way.of(mpi.neighbor_alltoall)(lost.data(), 1, MPI_CHAR, lost.data(), 1, MPI_CHAR, line);
      },
      nothing, true);
  MPI_Comm_free(&line);
#endif
  measurement.compare(
      "wait for no request", MPI_COMM_SELF,
      [&](const Mpi& way, int times) {
        MPI_Request none = MPI_REQUEST_NULL;
        for (int i = 0; i < times; ++i) way.of(mpi.wait)(&none, MPI_STATUS_IGNORE);
      },
      nothing, true);
  MPI_Request never = MPI_REQUEST_NULL;
  MPI_Irecv(&to, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &never);
  measurement.compare(
      "test of a receive that does not come", MPI_COMM_SELF,
      [&](const Mpi& way, int times) {
        int flag = 0;
        for (int i = 0; i < times; ++i) way.of(mpi.test)(&never, &flag, MPI_STATUS_IGNORE);
      },
      nothing, true);
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  MPI_Request persistent = MPI_REQUEST_NULL;
  MPI_Send_init(&from, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF, &persistent);
  measurement.compare(
      "start and wait of a native request", MPI_COMM_SELF,
      [&](const Mpi& way, int times) {
        for (int i = 0; i < times; ++i) {
          way.of(mpi.start)(&persistent);
          way.of(mpi.wait)(&persistent, MPI_STATUS_IGNORE);
        }
      },
      nothing, true);
  MPI_Request_free(&persistent);
}

/// The offsets of a 9-point stencil, on a torus that the ranks are the grid of, as a distributed graph: its blocks have
/// the order of any application's.
MPI_Comm nine_points(MPI_Comm torus) {
  std::array<int, 2> sizes{};
  std::array<int, 2> periods{};
  std::array<int, 2> own{};
  MPI_Cart_get(torus, 2, sizes.data(), periods.data(), own.data());
  std::vector<int> sources;
  std::vector<int> targets;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      if (x == 0 && y == 0) continue;
      int rank = 0;
      const std::array<int, 2> to{own[0] + x, own[1] + y};
      MPI_Cart_rank(torus, to.data(), &rank);
      targets.push_back(rank);
      const std::array<int, 2> from{own[0] - x, own[1] - y};
      MPI_Cart_rank(torus, from.data(), &rank);
      sources.push_back(rank);
    }
  }
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(torus, 8, sources.data(), MPI_UNWEIGHTED, 8, targets.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  return graph;
}

/// Alltoalls and the other dense collectives, and those of a 2-d torus and of a 9-point stencil on it.
void taken(const Functions& mpi, int ranks, Measurement& measurement) {
  std::array<int, 2> sizes{};
  const std::array<int, 2> periods{1, 1};
  MPI_Dims_create(ranks, 2, sizes.data());
  MPI_Comm torus = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes.data(), periods.data(), 0, &torus);
  MPI_Comm graph = nine_points(torus);
  for (const int bytes : {8, 512, 4096, 65536}) {
    dense(mpi, bytes, measurement);
    bench::plugin::measure_collectives(mpi, bytes, measurement);
    neighborhoods(mpi, torus, 4, "2-d torus", bytes, measurement);
    neighborhoods(mpi, graph, 8, "9-point graph", bytes, measurement);
  }
  MPI_Comm_free(&graph);
  MPI_Comm_free(&torus);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmark(argc, argv, {}, {.window_seconds = 0.003, .rounds = 7, .most_rounds = 15},
                              [&](const bench::Options& options, bench::Report& report) {
                                int ranks = 0;
                                MPI_Comm_size(MPI_COMM_WORLD, &ranks);
                                const Functions mpi;
                                if (mpi.wait.as_called == mpi.wait.own) {
                                  std::fprintf(stderr, "plugin: librondo_pmpi.so is not loaded in front of MPI\n");
                                  MPI_Abort(MPI_COMM_WORLD, 2);
                                }
                                std::string only;
                                for (int i = 1; i + 1 < argc; ++i)
                                  if (std::string_view(argv[i]) == "--only") only = argv[i + 1];
                                Measurement measurement(options, report, only);
                                if (ranks > 1)
                                  taken(mpi, ranks, measurement);
                                else if (options.regime == bench::Regime::back_to_back)
                                  passed_through(mpi, measurement);
                              });
}
