// Starting and completing persistent collectives allocates nothing, neither in Rondo nor in what stands before MPI.
#include <mpi.h>

extern "C" {
#include "parts/outcome.h"
#include "parts/persistent.h"
}

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace {

std::atomic<long> allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

MPI_Request make(const std::vector<int>& send, std::vector<int>& recv) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto init = PERSISTENT(Alltoall_init);
  init(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  return request;
}

}  // namespace

// The plug-in's and the library's, too: the linker takes the program's first.
void* operator new(std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr std::size_t kRequests = 8;
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<int> send(p, rank);
  std::vector<std::vector<int>> recv(kRequests, std::vector<int>(p, -1));
  std::array<MPI_Request, kRequests> requests{};
  const long before_any = allocations;
  for (std::size_t i = 0; i < kRequests; ++i) requests[i] = make(send, recv[i]);
  const long made = allocations - before_any;
  long before = 0;
  for (int round = 0; round < 30; ++round) {
    if (round == 10) before = allocations;  // what is kept for later has been made
    MPI_Start(requests.data());
    MPI_Wait(requests.data(), MPI_STATUS_IGNORE);
    MPI_Startall(kRequests, requests.data());
    if (round % 2 == 0) {
      MPI_Waitall(kRequests, requests.data(), MPI_STATUSES_IGNORE);
    } else {
      for (int done = 0; done == 0;) MPI_Testall(kRequests, requests.data(), &done, MPI_STATUSES_IGNORE);
    }
  }
  const long more = allocations - before;
  for (const std::vector<int>& from : recv)
    for (std::size_t i = 0; i < p; ++i)
      if (from[i] != static_cast<int>(i)) wrong("%d from rank %zu", from[i], i);
  if (made == 0) wrong("what the plug-in allocates is not counted");
  if (more != 0) wrong("%ld allocations in 20 rounds", more);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  return finish();
}
