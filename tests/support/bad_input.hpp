/// @file
/// What tests of bad input share.
#ifndef RONDO_TESTS_SUPPORT_BAD_INPUT_HPP
#define RONDO_TESTS_SUPPORT_BAD_INPUT_HPP

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.h>
#include <rondo/error.hpp>

#include <array>
#include <initializer_list>
#include <string>

namespace rondo::internal {

inline int world_size() {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  return p;
}

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The code is of this class, and the text has all of the words.
inline void expect_error(int code, int error_class, std::initializer_list<const char*> words, int line) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  EXPECT_EQ(found, error_class) << "line " << line;
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  ASSERT_EQ(Rondo_Error_string(code, text.data(), &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(text.data()).size(), static_cast<std::size_t>(length));
  for (const char* word : words) {
    EXPECT_NE(std::string(text.data()).find(word), std::string::npos)
        << "line " << line << ": \"" << text.data() << "\" lacks \"" << word << '"';
  }
}

/// The class of the error that `body` throws.
template <typename Body>
int class_of(Body body) {
  try {
    static_cast<void>(body());
  } catch (const Error& error) {
    return error.error_class();
  }
  return MPI_SUCCESS;
}

/// The text of the error that `body` throws; empty where it throws none.
template <typename Body>
std::string text_of(Body body) {
  try {
    static_cast<void>(body());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// With a neighborhood to be created, wrongly, and one that was.
class BadInput : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    sizes = {world_size(), 1};
    ASSERT_EQ(create(), MPI_SUCCESS);
    MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
    good = cart;
    cart = MPI_COMM_NULL;
  }
  void TearDown() override {
    // Whatever was refused, the communicator still works.
    const std::array send{1, 2};
    std::array recv{0, 0};
    EXPECT_EQ(Rondo_Cart_alltoall(send.data(), 1, MPI_INT, recv.data(), 1, MPI_INT, good), MPI_SUCCESS);
    EXPECT_EQ(recv, send);
    MPI_Comm_free(&good);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  int create() {
    return Rondo_Cart_neighborhood_create(comm, d, sizes.data(), periods.data(), t, offsets, weight, info, reorder,
                                          &cart);
  }

  MPI_Comm comm = MPI_COMM_WORLD;
  int d = 2;
  std::array<int, 2> sizes{};
  std::array<int, 2> periods{1, 1};
  int t = 2;
  std::array<int, 4> list{1, 0, -1, 0};
  const int* offsets = list.data();
  const int* weight = MPI_UNWEIGHTED;
  int reorder = 0;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Comm good = MPI_COMM_NULL;
};

}  // namespace rondo::internal

#endif
