// Any arguments for a neighborhood on one process: refused with an error that names one of them, or made, and then the
// queries agree with the definition and an alltoall delivers. And any neighborhood on any small grid: every algorithm's
// schedules pass the checker.
#include <mpi.h>
#include <rondo/rondo.h>
#include <rondo/neighborhood.hpp>

#include "tests/fuzz/fuzz_input.hpp"
#include "tests/support/cases/alltoall_case.hpp"

#include <array>
#include <vector>

namespace {

using rondo::internal::FuzzInput;
using rondo::internal::require_that;

std::string last_error(int code) {
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  Rondo_Error_string(code, text.data(), &length);
  return text.data();
}

void try_arguments(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  const int d = input.draw(-1, 6);
  const int t = input.draw(-1, 20);
  std::vector<int> dimensions;
  std::vector<int> periods;
  for (int k = 0; k < d; ++k) {
    dimensions.push_back(input.draw(0, 15) == 0 ? input.draw(-3, 3) : 1);
    periods.push_back(input.draw(0, 15) == 0 ? 0 : 1);
  }
  std::vector<int> offsets;
  std::vector<int> weights;
  for (int i = 0; i < t; ++i) {
    for (int k = 0; k < d; ++k)
      offsets.push_back(input.draw(0, 7) == 0 ? 2147483647 - input.draw(0, 1) : input.draw(-3, 3));
    weights.push_back(input.draw(-1, 9));
  }
  const bool weighted = input.draw(0, 1) == 1;
  MPI_Comm cart = MPI_COMM_NULL;
  const int code =
      Rondo_Cart_neighborhood_create(MPI_COMM_SELF, d, dimensions.data(), periods.data(), t, offsets.data(),
                                     weighted ? weights.data() : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &cart);
  if (code != MPI_SUCCESS) {
    const std::string text = last_error(code);
    bool named = false;
    for (const char* argument : {"d:", "dimensions", "periods", "t:", "targetrelative", "weight"})
      named = named || text.find(argument) != std::string::npos;
    require_that(named, "an error names an argument: " + text);
    require_that(cart == MPI_COMM_NULL, "no communicator after an error");
    return;
  }
  MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
  int count = -1;
  require_that(Rondo_Cart_neighbor_count(cart, &count) == MPI_SUCCESS && count == t, "t neighbors");
  const rondo::Neighborhood same(d, offsets);
  require_that(same.size() == t, "the C++ neighborhood has as many");
  std::vector<char> exists;  // a mesh of one process has no neighbors but itself
  for (int i = 0; i < t; ++i) {
    bool on_grid = true;
    for (int k = 0; k < d; ++k)
      on_grid = on_grid && (periods[static_cast<std::size_t>(k)] != 0 || same[i][static_cast<std::size_t>(k)] == 0);
    exists.push_back(on_grid ? 1 : 0);
    int rank = -1;
    require_that(
        Rondo_Cart_relative_rank(cart, same[i].data(), &rank) == MPI_SUCCESS && rank == (on_grid ? 0 : MPI_PROC_NULL),
        "one process");
    require_that(same.find(same[i]) >= 0 && same.find(same[i]) <= i, "an offset is found");
  }
  std::vector<short> send;
  for (int i = 0; i < t; ++i) send.push_back(static_cast<short>(i + 1));
  std::vector<short> recv(send.size(), -1);
  require_that(Rondo_Cart_alltoall(send.data(), 1, MPI_SHORT, recv.data(), 1, MPI_SHORT, cart) == MPI_SUCCESS,
               "alltoall");
  for (std::size_t i = 0; i < send.size(); ++i)
    require_that(recv[i] == (exists[i] != 0 ? send[i] : -1), "block i comes back, if there is a neighbor");
  MPI_Comm_free(&cart);
}

void try_algorithms(const std::uint8_t* data, std::size_t size) {
  FuzzInput input(data, size);
  const int d = input.draw(1, 4);
  rondo::internal::AlltoallCase given{.sizes = {}, .neighborhood = rondo::Neighborhood(d), .periods = {}, .bytes = {}};
  for (int k = 0; k < d; ++k) {
    given.sizes.push_back(input.draw(1, d > 2 ? 3 : 5));
    given.periods.push_back(input.draw(0, 1));
  }
  std::vector<std::int64_t> bytes;
  for (int i = input.draw(0, 16); i > 0; --i) {
    std::vector<int> offset;
    for (int k = 0; k < d; ++k)
      offset.push_back(input.draw(0, 31) == 0 ? -2147483647 - input.draw(0, 1) : input.draw(-6, 6));
    given.neighborhood.add(offset);
    bytes.push_back(input.draw(0, 40));
  }
  given.bytes = [&](int, int i) { return bytes[static_cast<std::size_t>(i)]; };
  rondo::internal::for_each_alltoall(given, true, static_cast<std::uint64_t>(input.draw(0, 1000)),
                                     [](const rondo::internal::CollectiveCase& collective) {
                                       const std::string wrong = rondo::internal::checked(collective);
                                       require_that(wrong.empty(), wrong);
                                     });
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint8_t kAlgorithms = 255;  // so begin inputs of the second kind
  if (size > 0 && data[0] == kAlgorithms)
    try_algorithms(data + 1, size - 1);
  else
    try_arguments(data, size);
  return 0;
}
