// MPI's functions that SMPI 3.32 does otherwise than Rondo needs. They lie in the program, whose names SMPI finds
// before its own.
#include "core_time.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

using rondo::internal::smpi::CoreTime;

namespace {

/// When the requests were posted that are not complete, as numbers.
std::unordered_map<MPI_Request, std::uint64_t>& times_posted() {
  static std::unordered_map<MPI_Request, std::uint64_t> times;
  return times;
}

int note_posted(int code, const MPI_Request* request) {
  static std::uint64_t time = 0;
  if (code == MPI_SUCCESS) times_posted()[*request] = ++time;
  return code;
}

}  // namespace

// Copies take their time before a message leaves, and before a rank waits for others.

int MPI_Isend(const void* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request) {
  CoreTime::of_rank().pass();
  return note_posted(PMPI_Isend(data, count, type, target, tag, comm, request), request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  CoreTime::of_rank().pass();
  return note_posted(PMPI_Irecv(data, count, type, source, tag, comm, request), request);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  CoreTime::of_rank().pass();
  for (const MPI_Request request : std::span(requests, static_cast<std::size_t>(count))) times_posted().erase(request);
  return PMPI_Waitall(count, requests, statuses);
}

/// The program tests only while it waits, so the rank may sleep until something is complete: a test that finds nothing
/// would take simulated time that is nobody's. SMPI takes one of the complete requests, and costs are those of one: the
/// one that was posted first, as messages come about in the order in which they are expected. In that of the array,
/// which is any, exchanges that others wait for come last.
int MPI_Testsome(int count, MPI_Request* requests, int* found, int* indices, MPI_Status* statuses) {
  CoreTime::of_rank().pass();
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int i) { return times_posted()[requests[i]]; });
  std::vector<MPI_Request> sorted;
  for (const int i : order) sorted.push_back(requests[i]);
  int place = MPI_UNDEFINED;
  const int code = PMPI_Waitany(count, sorted.data(), &place, statuses);
  *found = MPI_UNDEFINED;
  if (place == MPI_UNDEFINED) return code;
  *found = 1;
  *indices = order[static_cast<std::size_t>(place)];
  times_posted().erase(requests[*indices]);
  requests[*indices] = sorted[static_cast<std::size_t>(place)];
  return code;
}

/// SMPI leaves the flag as it is where the request is null and no status is wanted.
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (*request != MPI_REQUEST_NULL) return PMPI_Test(request, flag, status);
  *flag = 1;
  return MPI_SUCCESS;
}

// SMPI's nonblocking collectives send p^2 messages; nobody here computes meanwhile.

int MPI_Iallreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Allreduce(send, recv, count, type, op, comm);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
                   MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF before it does anything else, the last first (MPI-3.1, 8.7.1);
// SMPI does so when MPI is gone.

namespace {
std::vector<int>& keys_of_self() {
  static std::vector<int> keys;
  return keys;
}
}  // namespace

int MPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  const int code = PMPI_Comm_set_attr(comm, key, value);
  if (code == MPI_SUCCESS && comm == MPI_COMM_SELF && std::ranges::find(keys_of_self(), key) == keys_of_self().end())
    keys_of_self().push_back(key);
  return code;
}

int MPI_Finalize() {
  while (!keys_of_self().empty()) {
    const int key = keys_of_self().back();
    keys_of_self().pop_back();
    PMPI_Comm_delete_attr(MPI_COMM_SELF, key);
  }
  return PMPI_Finalize();
}
