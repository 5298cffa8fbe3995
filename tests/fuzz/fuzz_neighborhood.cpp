// Any arguments for a neighborhood on one process: refused with an error that names one of them, or made, and then the
// queries agree with the definition and an alltoall delivers.
#include <mpi.h>
#include <rondo/rondo.h>
#include <rondo/neighborhood.hpp>

#include "tests/fuzz/fuzz_input.hpp"

#include <array>
#include <vector>

namespace {

using rondo::FuzzInput;
using rondo::require_that;

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
  for (int i = 0; i < t; ++i) {
    int rank = -1;
    require_that(Rondo_Cart_relative_rank(cart, same[i].data(), &rank) == MPI_SUCCESS && rank == 0, "one process");
    require_that(same.find(same[i]) >= 0 && same.find(same[i]) <= i, "an offset is found");
  }
  std::vector<short> send;
  for (int i = 0; i < t; ++i) send.push_back(static_cast<short>(i + 1));
  std::vector<short> recv(send.size(), -1);
  require_that(Rondo_Cart_alltoall(send.data(), 1, MPI_SHORT, recv.data(), 1, MPI_SHORT, cart) == MPI_SUCCESS,
               "alltoall");
  require_that(recv == send, "block i comes back");
  MPI_Comm_free(&cart);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_arguments(data, size);
  return 0;
}
