// Calls that change from one to the next, as those of applications do: k different counts, roots, places of buffers,
// datatypes or communicators in turn, through the plug-in or by the library's blocking functions, beside MPI's own, in
// one process. Figure: whatever k is, a call is no slower than 1.05.
// Usage: [LD_PRELOAD=librondo_pmpi.so] changing CSV [--library] [--quick] [--only PART-OF-A-POINT]
#include "functions.hpp"
#include "harness.hpp"
#include "measurement.hpp"
#include "report.hpp"

#include <mpi.h>
#include <rondo/rondo.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using bench::plugin::Functions;
using bench::plugin::Measurement;
using bench::plugin::Mpi;

/// The arguments of a call that change from one call to the next.
struct Turn {
  int count;  ///< of a block
  int root;
  const int* send;
  int* recv;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Datatype type = MPI_INT;
};

using Calls = std::function<void(const Mpi&, const Turn&)>;
/// The call with number i, of k different ones in turn.
using Turns = std::function<Turn(int i, int k)>;

/// Large enough for the longest blocks of all ranks at every place.
class Buffers {
 public:
  static constexpr int kShortest = 100;  // elements
  static constexpr int kKinds = 10000;

  explicit Buffers(int ranks)
      : send_(static_cast<std::size_t>(ranks) * (kShortest + kKinds) + kKinds, 1), recv_(send_.size()) {}
  [[nodiscard]] Turn turn(int count, int root, int place) {
    return {count, root, send_.data() + place, recv_.data() + place};
  }
  [[nodiscard]] bool has(int value) const { return recv_[0] == value; }
  void forget() { std::ranges::fill(recv_, 0); }

 private:
  std::vector<int> send_;
  std::vector<int> recv_;
};

void measure(const std::string& what, Buffers& buffers, const Turns& turns, const Calls& call, int value,
             Measurement& measurement, int most = Buffers::kKinds) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const int k : {1, 8, 48, 100, 1000, Buffers::kKinds}) {
    if (k > most) break;
    std::array<int, 2> numbers{};  // of each way, go on from one timing to the next
    measurement.compare(
        what + ", " + std::to_string(ranks) + " ranks, " + std::to_string(k) + " in turn", MPI_COMM_WORLD,
        [&](const Mpi& way, int times) {
          int& number = numbers[way.is_own() ? 1 : 0];
          for (int i = 0; i < times; ++i) {
            call(way, turns(number, k));
            number = (number + 1) % k;
          }
        },
        [&](const Mpi& way) {
          buffers.forget();
          call(way, turns(0, k));
          return buffers.has(value);
        });
  }
}

/// Returns all ranks in a ring, each the neighbor of the one before it and the one behind it.
MPI_Comm make_ring(int ranks) {
  const int is_ring = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &is_ring, 0, &ring);
  return ring;
}

/// Makes a datatype of two of each three ints.
MPI_Datatype make_type() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(Buffers::kShortest / 2, 2, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Returns a call that makes its datatype and frees it again.
Calls with_its_type(const Calls& call) {
  return [&call](const Mpi& way, const Turn& turn) {
    Turn made = turn;
    made.count = 1;
    made.type = make_type();
    call(way, made);
    MPI_Type_free(&made.type);
  };
}

/// Datatypes that lie alike, and communicators of all ranks.
class Handles {
 public:
  static constexpr int kTypes = 1000;
  static constexpr int kComms = 100;

  Handles() : types_(kTypes), comms_(kComms) {
    for (MPI_Datatype& type : types_) type = make_type();
    for (MPI_Comm& comm : comms_) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    for (MPI_Datatype& type : types_) MPI_Type_free(&type);
    for (MPI_Comm& comm : comms_) MPI_Comm_free(&comm);
  }
  [[nodiscard]] MPI_Datatype type(int number) const { return types_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] MPI_Comm comm(int number) const { return comms_[static_cast<std::size_t>(number)]; }

 private:
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Comm> comms_;
};

/// Puts the library's blocking functions where the plug-in's would be.
void take_library(Functions& mpi) {
  mpi.bcast.as_called = Rondo_Bcast;
  mpi.allreduce.as_called = Rondo_Allreduce;
  mpi.alltoall.as_called = Rondo_Alltoall;
  mpi.allgather.as_called = Rondo_Allgather;
  mpi.allgatherv.as_called = Rondo_Allgatherv;
  mpi.reduce_scatter_block.as_called = Rondo_Reduce_scatter_block;
  mpi.reduce_scatter.as_called = Rondo_Reduce_scatter;
}

/// `library`: whether only the calls that take_library() replaces are measured.
void measure_all(const Functions& mpi, bool library, Measurement& measurement) {
  const MPI_Comm world = MPI_COMM_WORLD;
  int p = 0;
  int rank = 0;
  MPI_Comm_size(world, &p);
  MPI_Comm_rank(world, &rank);
  Buffers buffers(p);
  MPI_Comm ring = make_ring(p);
  const Handles handles;
  const Turns counts = [&](int i, int k) { return buffers.turn(Buffers::kShortest + i % k, 0, 0); };
  const Turns places = [&](int i, int k) { return buffers.turn(Buffers::kShortest, 0, i % k); };
  const Turns roots = [&](int i, int k) { return buffers.turn(Buffers::kShortest, i % k % p, 0); };
  const Turns types = [&](int i, int k) {
    Turn turn = buffers.turn(1, 0, 0);
    turn.type = handles.type(i % k);
    return turn;
  };
  const Turns comms = [&](int i, int k) {
    Turn turn = buffers.turn(Buffers::kShortest, 0, 0);
    turn.comm = handles.comm(i % k);
    return turn;
  };
  const auto wait = [&](const Mpi& way, MPI_Request& request) { way.of(mpi.wait)(&request, MPI_STATUS_IGNORE); };
  const Calls bcast = [&](const Mpi& way, const Turn& turn) {
    if (rank == turn.root) turn.recv[0] = 1;
    way.of(mpi.bcast)(turn.recv, turn.count, turn.type, turn.root, turn.comm);
  };
  const Calls allreduce = [&](const Mpi& way, const Turn& turn) {
    way.of(mpi.allreduce)(turn.send, turn.recv, turn.count, MPI_INT, MPI_SUM, turn.comm);
  };
  const Calls alltoall = [&](const Mpi& way, const Turn& turn) {
    way.of(mpi.alltoall)(turn.send, turn.count, turn.type, turn.recv, turn.count, turn.type, turn.comm);
  };
  const Calls allgather = [&](const Mpi& way, const Turn& turn) {
    way.of(mpi.allgather)(turn.send, turn.count, MPI_INT, turn.recv, turn.count, MPI_INT, world);
  };
  const Calls reduce_scatter_block = [&](const Mpi& way, const Turn& turn) {
    way.of(mpi.reduce_scatter_block)(turn.send, turn.recv, turn.count, MPI_INT, MPI_SUM, world);
  };
  // Blocks of each rank's own length, as where each has as many particles as happen to be with it.
  std::vector<int> counts_of(static_cast<std::size_t>(p));
  std::vector<int> places_of(static_cast<std::size_t>(p));
  const auto lay_out = [&](int count) {
    for (int i = 0, place = 0; i < p; ++i) {
      counts_of[static_cast<std::size_t>(i)] = count + i;
      places_of[static_cast<std::size_t>(i)] = std::exchange(place, place + count + i);
    }
  };
  const Calls allgatherv = [&](const Mpi& way, const Turn& turn) {
    lay_out(turn.count);
    way.of(mpi.allgatherv)(turn.send, turn.count + rank, MPI_INT, turn.recv, counts_of.data(), places_of.data(),
                           MPI_INT, world);
  };
  const Calls iallgatherv = [&](const Mpi& way, const Turn& turn) {
    MPI_Request request = MPI_REQUEST_NULL;
    lay_out(turn.count);
    way.of(mpi.iallgatherv)(turn.send, turn.count + rank, MPI_INT, turn.recv, counts_of.data(), places_of.data(),
                            MPI_INT, world, &request);
    wait(way, request);
  };
  const Calls reduce_scatter = [&](const Mpi& way, const Turn& turn) {
    lay_out(turn.count);
    way.of(mpi.reduce_scatter)(turn.send, turn.recv, counts_of.data(), MPI_INT, MPI_SUM, world);
  };
  const Calls neighbor_alltoall = [&](const Mpi& way, const Turn& turn) {
    way.of(mpi.neighbor_alltoall)(turn.send, turn.count, MPI_INT, turn.recv, turn.count, MPI_INT, ring);
  };
  const Calls neighbor_alltoallv = [&](const Mpi& way, const Turn& turn) {
    const std::array lengths{turn.count, turn.count};
    const std::array displacements{0, turn.count};
    way.of(mpi.neighbor_alltoallv)(turn.send, lengths.data(), displacements.data(), MPI_INT, turn.recv, lengths.data(),
                                   displacements.data(), MPI_INT, ring);
  };
  const Calls ialltoall = [&](const Mpi& way, const Turn& turn) {
    MPI_Request request = MPI_REQUEST_NULL;
    way.of(mpi.ialltoall)(turn.send, turn.count, MPI_INT, turn.recv, turn.count, MPI_INT, world, &request);
    wait(way, request);
  };
  const Calls iallreduce = [&](const Mpi& way, const Turn& turn) {
    MPI_Request request = MPI_REQUEST_NULL;
    way.of(mpi.iallreduce)(turn.send, turn.recv, turn.count, MPI_INT, MPI_SUM, world, &request);
    wait(way, request);
  };
  measure("bcast, counts", buffers, counts, bcast, 1, measurement);
  measure("bcast, roots", buffers, roots, bcast, 1, measurement);
  measure("bcast, places", buffers, places, bcast, 1, measurement);
  measure("allreduce, counts", buffers, counts, allreduce, p, measurement);
  measure("allreduce, places", buffers, places, allreduce, p, measurement);
  measure("alltoall, counts", buffers, counts, alltoall, 1, measurement);
  measure("allgather, counts", buffers, counts, allgather, 1, measurement);
  measure("reduce_scatter_block, counts", buffers, counts, reduce_scatter_block, p, measurement);
  measure("allgatherv, counts", buffers, counts, allgatherv, 1, measurement);
  measure("reduce_scatter, counts", buffers, counts, reduce_scatter, p, measurement);
  measure("bcast, types", buffers, types, bcast, 1, measurement, Handles::kTypes);
  measure("alltoall, types", buffers, types, alltoall, 1, measurement, Handles::kTypes);
  measure("bcast, a type made for each call", buffers, places, with_its_type(bcast), 1, measurement, 1);
  measure("alltoall, a type made for each call", buffers, places, with_its_type(alltoall), 1, measurement, 1);
  measure("bcast, communicators", buffers, comms, bcast, 1, measurement, Handles::kComms);
  measure("allreduce, communicators", buffers, comms, allreduce, p, measurement, Handles::kComms);
  measure("alltoall, communicators", buffers, comms, alltoall, 1, measurement, Handles::kComms);
  if (!library) {
    measure("neighbor_alltoall, counts", buffers, counts, neighbor_alltoall, 1, measurement);
    measure("neighbor_alltoallv, counts", buffers, counts, neighbor_alltoallv, 1, measurement);
    measure("iallgatherv, counts", buffers, counts, iallgatherv, 1, measurement);
    measure("ialltoall, counts", buffers, counts, ialltoall, 1, measurement);
    measure("iallreduce, counts", buffers, counts, iallreduce, p, measurement);
  }
  MPI_Comm_free(&ring);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmark(argc, argv, {}, {.window_seconds = 0.01, .rounds = 7, .most_rounds = 15},
                              [&](const bench::Options& options, bench::Report& report) {
                                Functions mpi;
                                std::string only;
                                bool library = false;
                                for (int i = 1; i < argc; ++i) {
                                  library = library || std::string_view(argv[i]) == "--library";
                                  if (std::string_view(argv[i]) == "--only" && i + 1 < argc) only = argv[i + 1];
                                }
                                if (library == (mpi.wait.as_called != mpi.wait.own)) {
                                  std::fprintf(stderr,
                                               "changing: librondo_pmpi.so must be loaded in front of MPI, "
                                               "unless there is --library\n");
                                  MPI_Abort(MPI_COMM_WORLD, 2);
                                }
                                if (library) take_library(mpi);
                                Measurement measurement(options, report, only, library ? "library" : "plug-in");
                                if (options.regime == bench::Regime::back_to_back)
                                  measure_all(mpi, library, measurement);
                              });
}
