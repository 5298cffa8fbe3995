// Runs GoogleTest between MPI_Init and MPI_Finalize. Rank 0 reports; a failure on any rank is shown and fails all.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <memory>

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  const bool threads = std::getenv("RONDO_TEST_THREADS") != nullptr;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    // The other ranks say only what went wrong.
    class Failures : public ::testing::EmptyTestEventListener {
      void OnTestPartResult(const ::testing::TestPartResult& result) override {
        if (result.failed()) {
          fprintf(stderr, "%s:%d: %s\n", result.file_name() == nullptr ? "?" : result.file_name(), result.line_number(),
                  result.summary());
        }
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
