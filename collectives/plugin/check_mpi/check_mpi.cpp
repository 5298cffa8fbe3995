// rondo-check-mpi: are the neighborhood collectives of the MPI at hand right? Calls them on grids and graphs in which
// ranks are several times neighbors of one another, and compares the result with MPI's definition. Not linked with
// Rondo: with the plug-in preloaded it checks what an application gets.
//
// Usage: mpirun -n RANKS rondo-check-mpi [-v]        -v: a line for each case that is not right
// Ends with 0 if all cases are right, with 1 if some are not, with 3 if a call does not end in a minute.
#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#endif

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

// Open MPI 4 has the persistent collectives under the names of an extension, older MPIs have none.
// Open MPI 5 says that it is MPI 3, and has them.
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_MAJOR_VERSION < 5
#define RONDO_PERSISTENT(name) MPIX_Neighbor_##name##_init
#elif MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
#define RONDO_PERSISTENT(name) MPI_Neighbor_##name##_init
#endif

enum Collective { alltoall, alltoallv, alltoallw, allgather, kCollectives };
enum Form { blocking, nonblocking, persistent, kForms };
constexpr std::array<const char*, kCollectives> kCollectiveNames{"alltoall", "alltoallv", "alltoallw", "allgather"};
constexpr std::array<const char*, kForms> kFormNames{"blocking", "nonblocking", "persistent"};

int rank = 0;
int size = 0;
bool verbose = false;
char case_now[200] = "making a communicator";
constexpr unsigned kPatience = 60;  // seconds

/// A communicator with a topology, and what a right MPI delivers on it: the block that arrives in place i of the
/// receive buffer is block sent_block[i] of rank sources[i].
struct Topology {
  MPI_Comm comm = MPI_COMM_NULL;
  std::string name;
  std::vector<int> sources;
  std::vector<int> sent_block;
};

/// The buffers and arguments of one call with blocks of so many ints.
struct Arguments {
  Arguments(std::size_t blocks, int ints)
      : count(ints),
        send(blocks * static_cast<std::size_t>(ints)),
        recv(send.size()),
        counts(blocks, ints),
        types(blocks, MPI_INT) {
    for (std::size_t i = 0; i < blocks; ++i) {
      places.push_back(static_cast<int>(i) * ints);
      bytes.push_back(static_cast<MPI_Aint>(sizeof(int)) * places.back());
    }
  }
  int count;
  std::vector<int> send;
  std::vector<int> recv;
  std::vector<int> counts;
  std::vector<int> places;
  std::vector<MPI_Aint> bytes;
  std::vector<MPI_Datatype> types;
};

int call_blocking(Collective what, Arguments& a, MPI_Comm comm) {
  switch (what) {
    case alltoall:
      return MPI_Neighbor_alltoall(a.send.data(), a.count, MPI_INT, a.recv.data(), a.count, MPI_INT, comm);
    case alltoallv:
      return MPI_Neighbor_alltoallv(a.send.data(), a.counts.data(), a.places.data(), MPI_INT, a.recv.data(),
                                    a.counts.data(), a.places.data(), MPI_INT, comm);
    case alltoallw:
      return MPI_Neighbor_alltoallw(a.send.data(), a.counts.data(), a.bytes.data(), a.types.data(), a.recv.data(),
                                    a.counts.data(), a.bytes.data(), a.types.data(), comm);
    default:
      return MPI_Neighbor_allgather(a.send.data(), a.count, MPI_INT, a.recv.data(), a.count, MPI_INT, comm);
  }
}

int call_nonblocking(Collective what, Arguments& a, MPI_Comm comm, MPI_Request* request) {
  switch (what) {
    case alltoall:
      return MPI_Ineighbor_alltoall(a.send.data(), a.count, MPI_INT, a.recv.data(), a.count, MPI_INT, comm, request);
    case alltoallv:
      return MPI_Ineighbor_alltoallv(a.send.data(), a.counts.data(), a.places.data(), MPI_INT, a.recv.data(),
                                     a.counts.data(), a.places.data(), MPI_INT, comm, request);
    case alltoallw:
      return MPI_Ineighbor_alltoallw(a.send.data(), a.counts.data(), a.bytes.data(), a.types.data(), a.recv.data(),
                                     a.counts.data(), a.bytes.data(), a.types.data(), comm, request);
    default:
      return MPI_Ineighbor_allgather(a.send.data(), a.count, MPI_INT, a.recv.data(), a.count, MPI_INT, comm, request);
  }
}

#if defined(RONDO_PERSISTENT)
constexpr int kFormsHere = kForms;

int make_persistent(Collective what, Arguments& a, MPI_Comm comm, MPI_Request* request) {
  switch (what) {
    case alltoall:
      return RONDO_PERSISTENT(alltoall)(a.send.data(), a.count, MPI_INT, a.recv.data(), a.count, MPI_INT, comm,
                                        MPI_INFO_NULL, request);
    case alltoallv:
      return RONDO_PERSISTENT(alltoallv)(a.send.data(), a.counts.data(), a.places.data(), MPI_INT, a.recv.data(),
                                         a.counts.data(), a.places.data(), MPI_INT, comm, MPI_INFO_NULL, request);
    case alltoallw:
      return RONDO_PERSISTENT(alltoallw)(a.send.data(), a.counts.data(), a.bytes.data(), a.types.data(), a.recv.data(),
                                         a.counts.data(), a.bytes.data(), a.types.data(), comm, MPI_INFO_NULL, request);
    default:
      return RONDO_PERSISTENT(allgather)(a.send.data(), a.count, MPI_INT, a.recv.data(), a.count, MPI_INT, comm,
                                         MPI_INFO_NULL, request);
  }
}
#else
constexpr int kFormsHere = persistent;  // those before

int make_persistent(Collective, Arguments&, MPI_Comm, MPI_Request*) { return MPI_ERR_OTHER; }
#endif

int value(int sender, int block, std::size_t element, int time) {
  return sender * 100003 + block * 10007 + static_cast<int>(element % 9973) + time + 1;
}

/// Fills the buffers for the call of a number, which differs from those of the calls before.
void fill(Arguments& a, int time) {
  for (std::size_t k = 0; k < a.send.size(); ++k) {
    const auto count = static_cast<std::size_t>(a.count);
    a.send[k] = value(rank, static_cast<int>(k / count), k % count, time);
  }
  std::fill(a.recv.begin(), a.recv.end(), -1);
}

bool is_right(const Topology& on, Collective what, const Arguments& a, int time) {
  const auto count = static_cast<std::size_t>(a.count);
  for (std::size_t k = 0; k < a.recv.size(); ++k) {
    const std::size_t block = k / count;
    const int sent = what == allgather ? 0 : on.sent_block[block];
    const int source = on.sources[block];
    if (a.recv[k] != (source == MPI_PROC_NULL ? -1 : value(source, sent, k % count, time))) return false;
  }
  return true;
}

/// The outcome of a collective in one form, in all cases of one kind of topology.
struct Tally {
  int cases = 0;
  int wrong = 0;
  int errors = 0;
};

/// Makes one call, or starts a persistent one twice, and adds to the tally what came of it on all ranks.
void check(const Topology& on, Collective what, Form form, int ints, Tally& tally) {
  std::snprintf(case_now, sizeof case_now, "%s, %s, %s, %d ints", on.name.c_str(),
                kCollectiveNames[static_cast<std::size_t>(what)], kFormNames[static_cast<std::size_t>(form)], ints);
  Arguments a(on.sources.size(), ints);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  std::array<int, 2> bad{};  // wrong, error
  alarm(kPatience);
  for (int time = 0; time < (form == persistent ? 2 : 1); ++time) {
    fill(a, time);
    if (form == blocking) code = call_blocking(what, a, on.comm);
    if (form == nonblocking) code = call_nonblocking(what, a, on.comm, &request);
    if (form == persistent && time == 0) code = make_persistent(what, a, on.comm, &request);
    if (form == persistent && code == MPI_SUCCESS) code = MPI_Start(&request);
    if (form != blocking && code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!is_right(on, what, a, time)) bad[0] = 1;
  }
  if (form == persistent && request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  bad[1] = code == MPI_SUCCESS ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, bad.data(), 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  ++tally.cases;
  if (bad[1] > 0)
    ++tally.errors;
  else if (bad[0] > 0)
    ++tally.wrong;
  if (verbose && rank == 0 && (bad[0] > 0 || bad[1] > 0))
    std::printf("  %s: %s, ranks: %d\n", case_now, bad[1] > 0 ? "error" : "wrong", bad[1] > 0 ? bad[1] : bad[0]);
}

using Tallies = std::array<std::array<Tally, kForms>, kCollectives>;

void check_all(Topology& on, Tallies& tallies) {
  MPI_Comm_set_errhandler(on.comm, MPI_ERRORS_RETURN);
  for (int what = 0; what < kCollectives; ++what) {
    for (int form = 0; form < kFormsHere; ++form) {
      for (const int ints : {3, 10000}) {
        check(on, static_cast<Collective>(what), static_cast<Form>(form), ints,
              tallies[static_cast<std::size_t>(what)][static_cast<std::size_t>(form)]);
      }
    }
  }
  MPI_Comm_free(&on.comm);
}

/// Checks a grid of all ranks. The neighbors are, for each dimension, the ranks before and after (MPI-4.0, 8.6): block
/// 2d goes to the one before, for which this rank is the one after.
void check_grid(const std::vector<int>& dims, const std::vector<int>& periods, Tallies& tallies) {
  Topology on;
  on.name = "grid";
  const auto dimensions = static_cast<int>(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d)
    on.name += (d == 0 ? " " : "x") + std::to_string(dims[d]) + (periods[d] != 0 ? "" : " (not periodic)");
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims.data(), periods.data(), 0, &on.comm);
  for (int d = 0; d < dimensions; ++d) {
    int before = MPI_PROC_NULL;
    int after = MPI_PROC_NULL;
    MPI_Cart_shift(on.comm, d, 1, &before, &after);
    on.sources.insert(on.sources.end(), {before, after});
    on.sent_block.insert(on.sent_block.end(), {2 * d + 1, 2 * d});
  }
  check_all(on, tallies);
}

/// Checks grids with as many places as there are ranks, each with all dimensions periodic, and with the first one not:
/// all of up to three dimensions of sizes 1 to 3, and others where one dimension has all ranks.
void check_grids(Tallies& tallies) {
  const auto check_both = [&](const std::vector<int>& dims) {
    std::vector<int> periods(dims.size(), 1);
    check_grid(dims, periods, tallies);
    periods[0] = 0;
    check_grid(dims, periods, tallies);
  };
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    const int grids = dimensions == 1 ? 3 : dimensions == 2 ? 9 : 27;
    for (int number = 0; number < grids; ++number) {
      std::vector<int> dims;
      int places = 1;
      for (int d = 0, rest = number; d < dimensions; ++d, rest /= 3) {
        dims.push_back(1 + rest % 3);
        places *= dims.back();
      }
      if (places == size) check_both(dims);
    }
    if (size <= 3) continue;
    std::vector<int> dims(static_cast<std::size_t>(dimensions), 1);
    dims.back() = size;
    check_both(dims);
  }
}

/// Checks a graph in which each rank has the edges of a list of offsets, listed in another order as sources perhaps.
/// The k-th edge from one rank to another in the sender's list is the k-th in the receiver's.
void check_graph(const char* name, const std::vector<int>& targets, const std::vector<int>& sources, bool is_old,
                 Tallies& tallies) {
  const auto at = [](int from, int offset) { return (from + offset + 6 * size) % size; };
  Topology on;
  on.name = std::string("graph, ") + name;
  std::vector<int> destinations;
  for (const int offset : targets) destinations.push_back(at(rank, offset));
  for (const int offset : sources) {
    const int source = at(rank, -offset);
    auto earlier = std::count(on.sources.begin(), on.sources.end(), source);
    int block = 0;
    while (at(source, targets[static_cast<std::size_t>(block)]) != rank || earlier-- > 0) ++block;
    on.sources.push_back(source);
    on.sent_block.push_back(block);
  }
  const auto degree = static_cast<int>(targets.size());
  if (is_old) {
    std::vector<int> ends;
    std::vector<int> edges;
    for (int from = 0; from < size; ++from) {
      for (const int offset : targets) edges.push_back(at(from, offset));
      ends.push_back(static_cast<int>(edges.size()));
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, ends.data(), edges.data(), 0, &on.comm);
  } else {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, on.sources.data(), MPI_UNWEIGHTED, degree,
                                   destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &on.comm);
  }
  check_all(on, tallies);
}

void check_graphs(Tallies& tallies) {
  check_graph("twice to the right", {1, 1}, {1, 1}, false, tallies);
  check_graph("right, left, right, self", {1, -1, 1, 0}, {1, -1, 1, 0}, false, tallies);
  check_graph("the same with sources in another order", {1, -1, 1, 0}, {0, 1, 1, -1}, false, tallies);
  check_graph("MPI_Graph_create, left, right, self, self", {-1, 1, 0, 0}, {1, -1, 0, 0}, true, tallies);
}

std::string describe(const Tally& tally) {
  if (tally.cases == 0) return "-";
  std::string text;
  if (tally.wrong > 0) text = "WRONG " + std::to_string(tally.wrong);
  if (tally.errors > 0) text += (text.empty() ? "" : ", ") + ("ERROR " + std::to_string(tally.errors));
  return text.empty() ? "right" : text + " of " + std::to_string(tally.cases);
}

void print(const char* kind, const Tallies& tallies) {
  for (std::size_t what = 0; what < kCollectives; ++what) {
    std::printf("%-7s %-10s", kind, kCollectiveNames[what]);
    for (const Tally& tally : tallies[what]) std::printf("  %-16s", describe(tally).c_str());
    std::printf("\n");
  }
}

int count_bad(const Tallies& tallies) {
  int bad = 0;
  for (const auto& forms : tallies) {
    for (const Tally& tally : forms) bad += tally.wrong + tally.errors;
  }
  return bad;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  verbose = argc > 1 && std::strcmp(argv[1], "-v") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::signal(SIGALRM, [](int) {
    constexpr const char* kText = ": does not end\n";
    if (rank != 0) sleep(2);  // rank 0 says so first
    if (rank == 0 && write(STDOUT_FILENO, case_now, std::strlen(case_now)) > 0)
      static_cast<void>(write(STDOUT_FILENO, kText, std::strlen(kText)) > 0);
    _exit(3);
  });
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (rank == 0) {
    std::string first(version.data());
    first = first.substr(0, first.find_first_of(",\n"));
    std::replace(first.begin(), first.end(), '\t', ' ');
    std::printf("neighborhood collectives of %s, %d rank%s%s%s\n%-18s", first.c_str(), size, size == 1 ? "" : "s",
                preloaded == nullptr ? "" : ", LD_PRELOAD=", preloaded == nullptr ? "" : preloaded, "");
    for (const char* form : kFormNames) std::printf("  %-16s", form);
    std::printf("\n");
    std::fflush(stdout);
  }
  Tallies on_grids{};
  Tallies on_graphs{};
  alarm(kPatience);
  check_grids(on_grids);
  check_graphs(on_graphs);
  alarm(0);
  const int bad = count_bad(on_grids) + count_bad(on_graphs);
  if (rank == 0) {
    print("grids", on_grids);
    print("graphs", on_graphs);
    if (bad == 0)
      std::printf("no errors\n");
    else
      std::printf("not right: %d%s\n", bad, verbose ? "" : "; -v names them");
  }
  MPI_Finalize();
  return bad == 0 ? 0 : 1;
}
