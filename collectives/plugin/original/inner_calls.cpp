// The functions that Rondo itself calls, of those that the plug-in defines (the linker's --wrap, see CMakeLists.txt):
// they are MPI's own, not the ones that the application calls.
#include "collectives/plugin/original/original_mpi.hpp"

using rondo::internal::plugin::original_mpi;

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming): the linker's
// names
extern "C" {
int __wrap_MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return original_mpi().bcast.directly(buffer, count, datatype, root, comm);
}
int __wrap_MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm) {
  return original_mpi().allgather.directly(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
int __wrap_MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm) {
  return original_mpi().allreduce.directly(sendbuf, recvbuf, count, datatype, op, comm);
}
int __wrap_MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request) {
  return original_mpi().ibcast.directly(buffer, count, datatype, root, comm, request);
}
int __wrap_MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return original_mpi().iallgather.directly(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}
int __wrap_MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request) {
  return original_mpi().iallreduce.directly(sendbuf, recvbuf, count, datatype, op, comm, request);
}
int __wrap_MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return original_mpi().init_thread.directly(argc, argv, required, provided);
}
int __wrap_MPI_Wait(MPI_Request* request, MPI_Status* status) { return original_mpi().wait.directly(request, status); }
int __wrap_MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return original_mpi().waitall.directly(count, requests, statuses);
}
int __wrap_MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return original_mpi().test.directly(request, flag, status);
}
int __wrap_MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return original_mpi().testall.directly(count, requests, flag, statuses);
}
int __wrap_MPI_Testsome(int incount, MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses) {
  return original_mpi().testsome.directly(incount, requests, outcount, indices, statuses);
}
int __wrap_MPI_Start(MPI_Request* request) { return original_mpi().start.directly(request); }
int __wrap_MPI_Request_free(MPI_Request* request) { return original_mpi().request_free.directly(request); }
int __wrap_MPI_Cancel(MPI_Request* request) { return original_mpi().cancel.directly(request); }
int __wrap_MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return original_mpi().comm_create.directly(comm, group, made);
}
int __wrap_MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return original_mpi().comm_split.directly(comm, color, key, made);
}
int __wrap_MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return original_mpi().comm_split_type.directly(comm, type, key, info, made);
}
int __wrap_MPI_Cart_create(MPI_Comm comm, int dimensions, const int* sizes, const int* periods, int reorder,
                           MPI_Comm* made) {
  return original_mpi().cart_create.directly(comm, dimensions, sizes, periods, reorder, made);
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
