/// @file
/// Operations under faults of MPI: what must come of it, whatever they are.
#ifndef RONDO_TESTS_SUPPORT_FAULTS_FAULTY_RUNS_HPP
#define RONDO_TESTS_SUPPORT_FAULTS_FAULTY_RUNS_HPP

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/request.hpp>

#include "runtime/engine/engine.hpp"
#include "tests/support/faults/failing_mpi.hpp"

#include <concepts>
#include <cstdlib>
#include <string>
#include <vector>

namespace rondo::internal::mpi_faults {

inline int sum_of_all(int value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

/// Empty, or the error.
[[nodiscard]] inline std::string error_of_wait(Request& request) {
  try {
    request.wait();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// One that can be started again and again, with its buffers.
template <typename T>
concept Startable = requires(T& it, const T& as_it_is) {
  it.start();
  { it.wait() } -> std::same_as<std::string>;        // empty, or the error
  { as_it_is.right() } -> std::same_as<bool>;        // whether what came of its last start is
  { as_it_is.name() } -> std::same_as<std::string>;  // by which its errors call it
};

class MpiFaults : public ::testing::Test {
 protected:
  MpiFaults() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    faulty_rank_ = ranks_ - 1;
    // MPICH raises the errors of calls on many requests on MPI_COMM_WORLD.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    setenv("RONDO_SHM", "off", 1);  // all messages are MPI's
  }
  /// Starts all, with a fault on one rank, and checks what comes of it. False: the fault did not strike.
  template <Startable Operation>
  bool run(std::vector<Operation>& operations, Call call, int after) {
    MPI_Barrier(MPI_COMM_WORLD);
    struck = false;
    under_way = 0;
    if (rank_ == faulty_rank_) fault = {call, after};
    for (Operation& operation : operations) operation.start();
    int failed = 0;
    std::string text;
    std::string whose;
    for (Operation& operation : operations) {
      const std::string error = operation.wait();
      if (error.empty()) {
        EXPECT_TRUE(operation.right()) << operation.name() << ": wrong data and no error";
      } else {
        ++failed;
        text = error;
        whose = operation.name();
      }
    }
    fault.reset();
    const Transport& transport = Engine::process().transport();
    EXPECT_EQ(transport.in_flight(), has_lanes_ ? transport.abandoned() : 0U);
    const bool anywhere = sum_of_all(struck ? 1 : 0) > 0;
    const int failed_everywhere = sum_of_all(failed);
    if (has_lanes_) receive_copies();
    EXPECT_EQ(transport.in_flight(), 0U);
    EXPECT_EQ(under_way, 0) << "MPI still has messages of what is over";
    if (struck) check_text(call, failed, text, whose);
    if (!anywhere) {
      EXPECT_EQ(failed_everywhere, 0);
    }
    // Everything can be started again.
    SCOPED_TRACE("after " + std::to_string(after) + ", second start");
    for (Operation& operation : operations) operation.start();
    for (Operation& operation : operations) {
      EXPECT_EQ(operation.wait(), "");
      EXPECT_TRUE(operation.right()) << operation.name();
    }
    return anywhere;
  }
  /// At each place in turn. How many there were.
  template <Startable Operation>
  int run_with_each(std::vector<Operation>& operations, Call call) {
    int after = 0;
    while (after < 200 && run(operations, call, after)) ++after;
    return after;
  }

  static void check_text(Call call, int failed, const std::string& text, const std::string& name) {
    if (call == Call::testall) return;  // the poll that follows finds all well
    EXPECT_GE(failed, 1);
    if (call == Call::testsome) {
      EXPECT_NE(text.find("no progress can be made"), std::string::npos) << text;
      return;
    }
    EXPECT_EQ(failed, 1) << "the other operation goes on";
    for (const std::string& word : {name, std::string("task"), std::string("phase"), std::string("round")})
      EXPECT_NE(text.find(word), std::string::npos) << text;
    if (call == Call::reduce || call == Call::compute) return;
    EXPECT_NE(text.find("rank"), std::string::npos) << text;
  }

  /// Waits until MPI has delivered the copies of messages that found no room in a lane. Such a send is complete before
  /// its receiver comes, if that takes long. Call it when all operations of all ranks are over.
  static void receive_copies() {
    constexpr int kPasses = 10'000;  // far more than needed, and messages that nobody receives are found after them
    for (int pass = 0; pass < kPasses && Engine::process().transport().in_flight() > 0; ++pass)
      Engine::process().progress();
  }

  int rank_ = 0;
  int ranks_ = 0;
  int faulty_rank_ = 0;
  bool has_lanes_ = false;  ///< messages between some ranks are not MPI's
};

}  // namespace rondo::internal::mpi_faults

#endif
