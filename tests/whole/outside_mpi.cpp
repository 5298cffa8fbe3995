// What is called before MPI_Init or after MPI_Finalize is refused, not a crash. Has no GoogleTest, whose main is in
// MPI.
#include <mpi.h>
#include <rondo/rondo.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace {

/// Whether making a neighborhood is refused with the right words.
bool refuses(const char* when) {
  const std::array one{1};
  MPI_Comm cart = MPI_COMM_NULL;
  const int code = Rondo_Cart_neighborhood_create(MPI_COMM_WORLD, 1, one.data(), one.data(), 1, one.data(),
                                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &cart);
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  const bool told = Rondo_Error_string(code, text.data(), &length) == MPI_SUCCESS &&
                    std::strstr(text.data(), "between MPI_Init and MPI_Finalize") != nullptr;
  if (code == MPI_ERR_OTHER && told) return true;
  std::printf("%s: code %d, %s\n", when, code, text.data());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool before = refuses("before MPI_Init");
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return before && refuses("after MPI_Finalize") ? 0 : 1;
}
