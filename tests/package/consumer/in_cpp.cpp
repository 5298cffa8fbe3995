#include <mpi.h>
#include <rondo/coroutine.hpp>
#include <rondo/rondo.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace {

int wrong = 0;
void expect(bool right) { wrong += right ? 0 : 1; }

void collectives(rondo::CartComm& ring) {
  const std::vector<int> send(2, ring.rank());
  std::vector<int> recv(2);
  ring.alltoall(send, recv);
  expect(recv == ring.sources());
  const std::vector<int> own(1, ring.rank());
  ring.allgather(own, recv);
  expect(recv == ring.sources());
  std::vector<int> sum(1);
  ring.reduce(own, sum, MPI_SUM);
  expect(sum[0] == recv[0] + recv[1]);

  bool told = false;
  rondo::Request exchange = ring.alltoall_init(send, recv, 1, {.algorithm = rondo::Algorithm::direct});
  expect(exchange.algorithm() == "direct" && !exchange.explain().empty() && !rondo::to_dot(exchange).empty());
  exchange.start();
  expect(exchange.on_complete([&told] { told = true; }) || exchange.test());
  while (const std::optional<int> block = exchange.wait_any_block()) expect(exchange.arrived(*block));
  exchange.wait();
  expect(told && recv == ring.sources());
}

void halo(const rondo::CartComm& ring) {
  std::vector<int> values(6, ring.rank());
  rondo::Request exchange = rondo::halo_init(ring, rondo::HaloArray::of(values, {6}, 1));
  exchange.start();
  exchange.wait();
  expect(values.front() == ring.relative_rank({-1}) && values.back() == ring.relative_rank({1}));
}

void dense() {
  rondo::Comm comm(MPI_COMM_WORLD);
  const std::vector<int> send(static_cast<std::size_t>(comm.size()), comm.rank());
  std::vector<int> recv(send.size());
  comm.ialltoall(send, recv).wait();
  expect(recv.back() == comm.size() - 1);
}

void local_functions(rondo::CartComm& ring) {
  const std::array<int, 1> right{1};
  expect(rondo::moore(2, 1).minus(rondo::von_neumann(2, 1)).size() == 4 && rondo::box(1, 3, 0).find(right) == 1);
  expect(ring.with_neighborhood(rondo::Neighborhood{{2}}).neighbor_count() == 1);
  expect(rondo::packed_size(1, rondo::vector_bounded(9, 2, 4, MPI_INT).native()) == 5 * sizeof(int));
  expect(rondo::name(rondo::granted_progress(rondo::ProgressMode::inlined)) == std::string("inline"));
  rondo::progress();
  rondo::trace::Span const span("consumer");
  // Thrown inside the library, and known outside.
  try {
    static_cast<void>(ring.relative_rank({1, 2}));
    expect(false);
  } catch (const rondo::Error& error) {
    expect(error.error_class() != MPI_SUCCESS && !std::string(error.what()).empty());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    rondo::CartComm ring(MPI_COMM_WORLD, {p}, rondo::moore(1, 1));
    collectives(ring);
    halo(ring);
    dense();
    local_functions(ring);
  }
  MPI_Finalize();
  return wrong;
}
