#include <mpi.h>
#include <oneapi/tbb/task_group.h>
#include <rondo/rondo.hpp>
#include <rondo/tbb.hpp>

#include <vector>

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int wrong = 0;
  {
    int p = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    rondo::CartComm ring(MPI_COMM_WORLD, {p}, rondo::moore(1, 1));
    const std::vector<int> send(2, ring.rank());
    std::vector<int> recv(2);
    rondo::Request request = ring.alltoall_init(send, recv);
    tbb::task_group group;
    group.run_and_wait([&] {
      request.start();
      rondo::tbb::wait(request);
    });
    wrong = recv == ring.sources() ? 0 : 1;
  }
  MPI_Finalize();
  return wrong;
}
