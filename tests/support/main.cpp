// Runs GoogleTest between MPI_Init and MPI_Finalize. Rank 0 reports; a failure on any rank is shown and fails all.
// Usage: test_ROOM [--file=NAME] [GoogleTest's options]     with a name, the tests of NAME.cpp only
// RONDO_TEST_NODES=n makes ranks those of n nodes in turn (test_nodes.c); RONDO_TEST_THREADS asks for
// MPI_THREAD_MULTIPLE, or MPI_THREAD_SERIALIZED if it is "serialized".
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

/// A filter of GoogleTest's that lets the tests of one file through; empty where there are none.
std::string filter_for(const std::string& name) {
  const std::string file = "/" + name + ".cpp";
  std::string filter;
  const auto& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const auto& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const auto& test = *suite.GetTestInfo(j);
      if (std::string_view(test.file()).ends_with(file)) filter += std::string(suite.name()) + "." + test.name() + ":";
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    const std::string_view option = argv[1];
    constexpr std::string_view kFile = "--file=";
    const std::string filter = option.starts_with(kFile) ? filter_for(std::string(option.substr(kFile.size()))) : "";
    if (argc > 2 || filter.empty()) {
      fprintf(stderr, "%s: %s must be --file=NAME of a file whose tests are in here\n", argv[0], argv[argc - 1]);
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  }
  int provided = MPI_THREAD_SINGLE;
  const char* const threads = std::getenv("RONDO_TEST_THREADS");
  const int level = threads == nullptr                          ? MPI_THREAD_SINGLE
                    : std::string_view(threads) == "serialized" ? MPI_THREAD_SERIALIZED
                                                                : MPI_THREAD_MULTIPLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
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
