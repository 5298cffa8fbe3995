// Exchanges for ever; after a while one rank is killed. Run by killed_rank.sh. Argument: which way the messages go:
// mpi, slots, lanes, or claims, which are messages between allocated arrays.
#include <mpi.h>
#include <signal.h>
#include <rondo/rondo.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int kSteps = 20;  ///< before the end

int ints_of(const std::string& way) {
  if (way == "mpi") return 100000;  // too long for slots
  return way == "claims" ? 5000 : 10;
}

/// A way that is not taken is not tested.
void demand(const rondo::Request& request, const char* words) {
  if (request.explain().find(words) != std::string::npos) return;
  std::fprintf(stderr, "\"%s\" is not in\n%s", words, request.explain().c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string way = argc > 1 ? argv[1] : "";
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rondo::CartComm ring(MPI_COMM_WORLD, {ranks}, rondo::moore(1, 1), {.algorithm = rondo::Algorithm::direct});
  const int length = ints_of(way);
  const std::size_t size = 2 * static_cast<std::size_t>(length);
  const std::vector<int> send(size, ring.rank());
  std::vector<int> recv(size);
  const rondo::Array<int> allocated_send(size);
  rondo::Array<int> allocated_recv(size);
  rondo::Request exchange;
  std::function<void()> start = [&] { exchange.start(); };
  if (way == "lanes") {
    start = [&] { exchange = ring.ialltoall(send, recv, length); };
  } else if (way == "claims") {
    exchange = ring.alltoall_init(allocated_send, allocated_recv, length);
    demand(exchange, "4 lie in allocated arrays at both ends");
  } else {
    exchange = ring.alltoall_init(send, recv, length);
    demand(exchange, way == "slots" ? "4 of 4 messages go through shared memory" : "0 of 4 messages go through");
  }
  for (int step = 0;; ++step) {
    start();
    if (way == "lanes" && step == 0) demand(exchange, "4 of 4 messages go through lanes");
    if (step == kSteps && ring.rank() == 1) raise(SIGKILL);
    exchange.wait();
  }
}
