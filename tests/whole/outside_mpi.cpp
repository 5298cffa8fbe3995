// What is called before MPI_Init or after MPI_Finalize is refused, not a crash, and what is destroyed then does no
// harm. Has no GoogleTest, whose main is in MPI.
#include <mpi.h>
#include <unistd.h>
#include <rondo/own/check.hpp>
#include <rondo/rondo.hpp>
#include <rondo/schedule.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace {

int failures = 0;
const char* when = "before MPI_Init";

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::printf("%s: %s\n", when, what.c_str());
}

/// Whether a C function returned MPI_ERR_OTHER, with the right words and the function's name.
void refused(int code, const char* function) {
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  const bool told = Rondo_Error_string(code, text.data(), &length) == MPI_SUCCESS &&
                    std::strstr(text.data(), "between MPI_Init and MPI_Finalize") != nullptr &&
                    std::strstr(text.data(), function) == text.data();
  expect(code == MPI_ERR_OTHER && told, std::string(function) + ": code " + std::to_string(code) + ", " + text.data());
}

void throws(const char* name, const std::function<void()>& call) {
  try {
    call();
    expect(false, std::string(name) + " throws nothing");
  } catch (const rondo::Error& error) {
    const bool told = std::strstr(error.what(), "between MPI_Init and MPI_Finalize") != nullptr;
    expect(error.error_class() == MPI_ERR_OTHER && told, std::string(name) + ": " + error.what());
  }
}

const std::array kOne{1};
std::array<int, 8> sent{};
std::array<int, 8> received{};

/// Passes a number on around a ring.
void shift(rondo::ScheduleBuilder& build, int rank, int size) {
  build.exchange((rank + 1) % size, (rank + size - 1) % size, build.send_block(0, 1, MPI_INT),
                 build.recv_block(0, 1, MPI_INT));
}

void refuses_communicators(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  std::array<int, 8> numbers{};
  int* const n = numbers.data();
  refused(Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 1, kOne.data(), kOne.data(), 1, kOne.data(), MPI_UNWEIGHTED,
                                         MPI_INFO_NULL, 0, &made),
          "Rondo_Cart_neighborhood_create");
  refused(Rondo_Neighborhood_from_graph(MPI_COMM_WORLD, 1, kOne.data(), kOne.data(), MPI_INFO_NULL, n, nullptr, &made),
          "Rondo_Neighborhood_from_graph");
  refused(Rondo_Iso_neighborhood_create(comm, 1, kOne.data(), &made), "Rondo_Iso_neighborhood_create");
  refused(Rondo_Comm_prepare(MPI_COMM_WORLD, MPI_INFO_NULL), "Rondo_Comm_prepare");
  refused(Rondo_Cart_relative_rank(comm, kOne.data(), n), "Rondo_Cart_relative_rank");
  refused(Rondo_Cart_relative_shift(comm, kOne.data(), n, n + 1), "Rondo_Cart_relative_shift");
  refused(Rondo_Cart_relative_coord(comm, 0, n), "Rondo_Cart_relative_coord");
  refused(Rondo_Cart_neighbor_count(comm, n), "Rondo_Cart_neighbor_count");
  refused(Rondo_Cart_neighbor_get(comm, 1, n, nullptr, 1, n + 1, nullptr), "Rondo_Cart_neighbor_get");
  refused(Rondo_Neighborhood_graph_order(comm, 1, n, n + 1), "Rondo_Neighborhood_graph_order");
  refused(Rondo_Iso_neighborhood_count(comm, n, n + 1, n + 2), "Rondo_Iso_neighborhood_count");
  refused(Rondo_Iso_neighborhood_get(comm, 1, n, n + 1), "Rondo_Iso_neighborhood_get");
  refused(Rondo_Iso_neighborhood_graph_get(comm, 1, n, n + 1), "Rondo_Iso_neighborhood_graph_get");
  refused(Rondo_Cart_mpi_neighbor_count(comm, n, n + 1, n + 2), "Rondo_Cart_mpi_neighbor_count");
  refused(Rondo_Cart_mpi_neighbor_get(comm, 1, n, n + 1), "Rondo_Cart_mpi_neighbor_get");
  refused(Rondo_Cart_mpi_neighbor_graph_get(comm, 1, n, n + 1), "Rondo_Cart_mpi_neighbor_graph_get");
  throws("CartComm", [] { const rondo::CartComm none(MPI_COMM_WORLD, {1}, rondo::moore(1, 1)); });
  throws("CartComm::from_graph", [] { static_cast<void>(rondo::CartComm::from_graph(MPI_COMM_WORLD, kOne)); });
  throws("Comm", [] { const rondo::Comm none(MPI_COMM_WORLD); });
  throws("OwnCollective", [] { const rondo::OwnCollective none(MPI_COMM_WORLD, "shift", shift); });
  throws("check", [] { static_cast<void>(rondo::check(shift, 2)); });
}

void refuses_collectives(MPI_Comm comm) {
  Rondo_Request request = RONDO_REQUEST_NULL;
  const void* s = sent.data();
  void* r = received.data();
  refused(Rondo_Cart_alltoall(s, 1, MPI_INT, r, 1, MPI_INT, comm), "Rondo_Cart_alltoall");
  refused(Rondo_Icart_alltoall(s, 1, MPI_INT, r, 1, MPI_INT, comm, &request), "Rondo_Icart_alltoall");
  refused(Rondo_Cart_alltoall_init(s, 1, MPI_INT, r, 1, MPI_INT, comm, MPI_INFO_NULL, &request),
          "Rondo_Cart_alltoall_init");
  refused(Rondo_Cart_allgather(s, 1, MPI_INT, r, 1, MPI_INT, comm), "Rondo_Cart_allgather");
  refused(Rondo_Cart_reduce(s, r, 1, MPI_INT, MPI_SUM, comm), "Rondo_Cart_reduce");
  refused(Rondo_Alltoall(s, 1, MPI_INT, r, 1, MPI_INT, MPI_COMM_WORLD), "Rondo_Alltoall");
  refused(Rondo_Ialltoall(s, 1, MPI_INT, r, 1, MPI_INT, MPI_COMM_WORLD, &request), "Rondo_Ialltoall");
  refused(Rondo_Alltoall_init(s, 1, MPI_INT, r, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
          "Rondo_Alltoall_init");
  refused(Rondo_Alltoall_c(s, 1, MPI_INT, r, 1, MPI_INT, MPI_COMM_WORLD), "Rondo_Alltoall_c");
  refused(Rondo_Cart_alltoall_c(s, 1, MPI_INT, r, 1, MPI_INT, comm), "Rondo_Cart_alltoall_c");
  const int* one = kOne.data();
  refused(Rondo_Halo_exchange(r, 1, one, nullptr, one, one, MPI_ORDER_C, MPI_INT, RONDO_STENCIL_BOX, comm),
          "Rondo_Halo_exchange");
  refused(Rondo_Halo_init(r, 1, one, nullptr, one, one, MPI_ORDER_C, MPI_INT, RONDO_STENCIL_BOX, comm, MPI_INFO_NULL,
                          &request),
          "Rondo_Halo_init");
}

void refuses_datatypes() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint position = 0;
  refused(Rondo_Type_create_vector_bounded(9, 2, 4, MPI_INT, &type), "Rondo_Type_create_vector_bounded");
  refused(Rondo_Type_create_vector_circular(9, 0, 9, 2, 4, MPI_INT, &type), "Rondo_Type_create_vector_circular");
  refused(Rondo_Type_create_bucket(1, 1, kOne.data(), MPI_INT, &type), "Rondo_Type_create_bucket");
  refused(Rondo_Type_create_triangular(3, 3, -1, 4, 1, MPI_INT, &type), "Rondo_Type_create_triangular");
  refused(Rondo_Type_create_signature(MPI_INT, &type), "Rondo_Type_create_signature");
  refused(Rondo_Pack(sent.data(), 1, MPI_INT, received.data(), 32, &position), "Rondo_Pack");
  refused(Rondo_Unpack(sent.data(), 32, &position, received.data(), 1, MPI_INT), "Rondo_Unpack");
  refused(Rondo_Transpack(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT), "Rondo_Transpack");
  throws("vector_bounded", [] { static_cast<void>(rondo::vector_bounded(9, 2, 4, MPI_INT)); });
  throws("vector_circular", [] { static_cast<void>(rondo::vector_circular(9, 0, 9, 2, 4, MPI_INT)); });
  throws("bucket", [] { static_cast<void>(rondo::bucket(kOne, 1, MPI_INT)); });
  throws("triangular", [] { static_cast<void>(rondo::triangular(3, 3, -1, 4, 1, MPI_INT)); });
  throws("signature_type", [] { static_cast<void>(rondo::signature_type(MPI_INT)); });
  throws("packed_size", [] { static_cast<void>(rondo::packed_size(1, MPI_INT)); });
  throws("Datatype::commit", [] { rondo::Datatype().commit(); });
}

void refuses_requests(Rondo_Request request) {
  int flag = 0;
  int index = 0;
  int length = 0;
  std::array<char, RONDO_MAX_ALGORITHM_NAME> name{};
  MPI_Status status;
  std::array both{request, request};
  refused(Rondo_Start(&request), "Rondo_Start");
  refused(Rondo_Startall(2, both.data()), "Rondo_Startall");
  refused(Rondo_Startall(0, nullptr), "Rondo_Startall");
  refused(Rondo_Wait(&request, &status), "Rondo_Wait");
  refused(Rondo_Waitall(2, both.data(), MPI_STATUSES_IGNORE), "Rondo_Waitall");
  refused(Rondo_Waitall(0, nullptr, MPI_STATUSES_IGNORE), "Rondo_Waitall");
  refused(Rondo_Waitany(2, both.data(), &index, &status), "Rondo_Waitany");
  refused(Rondo_Test(&request, &flag, &status), "Rondo_Test");
  refused(Rondo_Testall(2, both.data(), &flag, MPI_STATUSES_IGNORE), "Rondo_Testall");
  refused(Rondo_Testany(2, both.data(), &index, &flag, &status), "Rondo_Testany");
  refused(Rondo_Arrived(request, 0, &flag), "Rondo_Arrived");
  refused(Rondo_Sent(request, 0, &flag), "Rondo_Sent");
  refused(Rondo_Wait_any_block(request, &index), "Rondo_Wait_any_block");
  refused(Rondo_Request_free(&request), "Rondo_Request_free");
  refused(Rondo_Explain(request, 0, nullptr, &length), "Rondo_Explain");
  refused(Rondo_To_dot(request, 0, nullptr, &length), "Rondo_To_dot");
  refused(Rondo_Request_get_algorithm(request, name.data(), &length), "Rondo_Request_get_algorithm");
  refused(Rondo_Request_get_progress(request, &flag), "Rondo_Request_get_progress");
  refused(Rondo_On_complete(
              request, [](void*) {}, nullptr, &flag),
          "Rondo_On_complete");
  refused(Rondo_Progress(&flag), "Rondo_Progress");
  throws("progress", [] { rondo::progress(); });
  throws("granted_progress", [] { static_cast<void>(rondo::granted_progress()); });
}

void refuses_memory() {
  void* memory = nullptr;
  refused(Rondo_Alloc(8, static_cast<void*>(&memory)), "Rondo_Alloc");
  throws("allocate", [] { static_cast<void>(rondo::allocate(8)); });
  throws("Array", [] { const rondo::Array<int> none(8); });
}

void refuses_all(MPI_Comm comm, Rondo_Request request) {
  refuses_communicators(comm);
  refuses_collectives(comm);
  refuses_datatypes();
  refuses_memory();
  refuses_requests(request);
}

/// What needs no MPI works.
void allows_the_rest() {
  int t = 0;
  expect(Rondo_Neighborhood_moore(2, 1, 0, nullptr, &t) == MPI_SUCCESS && t == 8, "Rondo_Neighborhood_moore fails");
  expect(Rondo_Neighborhood_box(1, 3, 0, 0, nullptr, &t) == MPI_SUCCESS && t == 3, "Rondo_Neighborhood_box fails");
  Rondo_Trace_mark("here");
  rondo::trace::mark("here");
  expect(Rondo_Free(nullptr) == MPI_SUCCESS, "Rondo_Free fails");
  expect(rondo::Request().null(), "an empty request is not null");
}

void refuses_methods(rondo::CartComm& torus, rondo::Comm& all, rondo::OwnCollective& own, rondo::Request& request) {
  throws("OwnCollective::run", [&] { own.run(sent, received); });
  throws("OwnCollective::init", [&] { static_cast<void>(own.init(sent, received)); });
  throws("CartComm::rank", [&] { static_cast<void>(torus.rank()); });
  throws("CartComm::targets", [&] { static_cast<void>(torus.targets()); });
  throws("CartComm::with_neighborhood", [&] { static_cast<void>(torus.with_neighborhood(rondo::moore(1, 1))); });
  throws("CartComm::alltoall", [&] { torus.alltoall<int>(sent, received, 1); });
  throws("CartComm::ialltoall",
         [&] { static_cast<void>(torus.ialltoall(std::span<const int>(sent), std::span<int>(received), 1)); });
  throws("CartComm::alltoall_init",
         [&] { static_cast<void>(torus.alltoall_init(std::span<const int>(sent), std::span<int>(received), 1)); });
  throws("Comm::size", [&] { static_cast<void>(all.size()); });
  throws("Comm::alltoall", [&] { all.alltoall(std::span<const int>(sent), std::span<int>(received), 1); });
  throws("Comm::alltoall_init",
         [&] { static_cast<void>(all.alltoall_init(std::span<const int>(sent), std::span<int>(received), 1)); });
  throws("Request::start", [&] { request.start(); });
  throws("Request::wait", [&] { request.wait(); });
  throws("Request::test", [&] { static_cast<void>(request.test()); });
  throws("Request::arrived", [&] { static_cast<void>(request.arrived(0)); });
  throws("Request::sent", [&] { static_cast<void>(request.sent(0)); });
  throws("Request::wait_any_block", [&] { static_cast<void>(request.wait_any_block()); });
  throws("Request::on_complete", [&] { request.on_complete([] {}); });
  throws("Request::progress", [&] { static_cast<void>(request.progress()); });
  throws("Request::algorithm", [&] { static_cast<void>(request.algorithm()); });
  throws("Request::explain", [&] { static_cast<void>(request.explain()); });
  throws("Request::to_dot", [&] { static_cast<void>(request.to_dot()); });
}

/// What `body` writes on standard error.
std::string errors_of(const std::function<void()>& body) {
  std::FILE* file = std::tmpfile();
  const int original = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  body();
  dup2(original, STDERR_FILENO);
  close(original);
  std::string all(static_cast<std::size_t>(lseek(fileno(file), 0, SEEK_END)), '\0');
  const ssize_t got = pread(fileno(file), all.data(), all.size(), 0);
  std::fclose(file);
  all.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return all;
}

std::size_t count(const std::string& text, const std::string& words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

/// All that a program may forget to wait for and to free.
struct Forgotten {
  explicit Forgotten(int ranks)
      : torus(MPI_COMM_WORLD, {ranks}, rondo::moore(1, 1)),
        all(MPI_COMM_WORLD),
        own(MPI_COMM_WORLD, "shift", shift),
        idle_own(own.init(sent, received)),
        idle(torus.alltoall_init(std::span<const int>(sent), std::span<int>(received), 1)),
        complete(all.alltoall_init(std::span<const int>(sent), std::span<int>(received), 1)),
        type(rondo::vector_bounded(9, 2, 4, MPI_INT)) {
    complete.start();
    complete.wait();
    const std::span<const int> from(buffers[0]);
    lost.push_back(torus.alltoall_init(from, std::span<int>(buffers[1]), 1));
    lost.push_back(torus.alltoall_init(from, std::span<int>(buffers[2]), 1));
    lost.push_back(torus.ialltoall(from, std::span<int>(buffers[3]), 1));
  }
  std::array<std::array<int, 2>, 4> buffers{};
  rondo::Array<double> field = rondo::Array<double>(100000, 1.0);
  std::vector<int, rondo::Allocator<int>> numbers = std::vector<int, rondo::Allocator<int>>(100, 1);
  rondo::CartComm torus;
  rondo::Comm all;
  rondo::OwnCollective own;
  rondo::Request idle_own;
  rondo::Request idle;
  rondo::Request complete;
  rondo::Datatype type;
  std::vector<rondo::Request> lost;
};

}  // namespace

int main(int argc, char** argv) {
  // Errors go to the log as well then, all of them.
  static_cast<void>(errors_of([] { refuses_all(MPI_COMM_WORLD, RONDO_REQUEST_NULL); }));
  allows_the_rest();
  int provided = 0;
  expect(Rondo_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "Rondo_Init_thread fails");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  expect(Rondo_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided) == MPI_ERR_OTHER, "MPI is initialized twice");

  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm cart = MPI_COMM_NULL;
  Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &ranks, kOne.data(), 1, kOne.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &cart);
  std::optional<Forgotten> forgotten(std::in_place, ranks);
  when = "in MPI_Finalize";
  // With one rank all of an operation is done as soon as it is started. With two, rank 0 has nobody to exchange with.
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool loses = ranks > 1;
  if (rank == 0) {
    forgotten->lost[0].start();
    forgotten->lost[1].start();
  }
  const std::string told = errors_of([] { MPI_Finalize(); });
  expect(count(told, "MPI_Finalize with operations in flight") == (loses ? 1U : 0U), "the log says " + told);
  expect(count(told, "[rondo] [warning] rank ") == (loses ? 1U : 0U), "the log says " + told);
  expect(count(told, "CartComm::ialltoall (") == (loses ? 1U : 0U), "the log says " + told);
  expect((count(told, ") on a communicator of 2 ranks") > 0) == loses, "the log says " + told);

  when = "after MPI_Finalize";
  static_cast<void>(errors_of([&] {
    refuses_all(cart, forgotten->idle.native());
    refuses_all(cart, RONDO_REQUEST_NULL);
    for (rondo::Request* request : {&forgotten->idle, &forgotten->complete, &forgotten->lost[2]})
      refuses_methods(forgotten->torus, forgotten->all, forgotten->own, *request);
  }));
  allows_the_rest();
  expect(Rondo_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided) == MPI_ERR_OTHER, "MPI is initialized again");
  const std::string last = errors_of([&] { forgotten.reset(); });
  expect(count(last, "destroyed after MPI_Finalize") == (loses ? 1U : 0U), "the log says " + last);
  return failures == 0 ? 0 : 1;
}
