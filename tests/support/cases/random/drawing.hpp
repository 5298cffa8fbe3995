/// @file
/// What drawn calls have in common: numbers, forms and datatypes.
#ifndef RONDO_TESTS_SUPPORT_CASES_RANDOM_DRAWING_HPP
#define RONDO_TESTS_SUPPORT_CASES_RANDOM_DRAWING_HPP

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/rondo.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rondo::internal::random_exchange {

class Random {
 public:
  explicit Random(std::uint64_t seed) : numbers_(seed) {}
  /// From 0 on, below `end`.
  int draw(int end) { return static_cast<int>(numbers_() % static_cast<std::uint64_t>(end)); }
  bool one_in(int many) { return draw(many) == 0; }
  template <typename T>
  const T& among(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(draw(static_cast<int>(all.size())))];
  }
  template <typename T>
  void shuffle(std::vector<T>& all) {
    std::ranges::shuffle(all, numbers_);
  }

 private:
  std::mt19937_64 numbers_;
};

inline void expect_success(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, RONDO_MAX_ERROR_STRING> text{};
  int length = 0;
  Rondo_Error_string(code, text.data(), &length);
  ADD_FAILURE() << what << ": " << text.data();
}

enum class Form { blocking, nonblocking, persistent };

/// Two ints of an array: how they lie in it, and how far apart such items are.
struct Item {
  std::array<int, 2> at;
  int extent;

  [[nodiscard]] MPI_Datatype type() const {
    MPI_Datatype ints = MPI_DATATYPE_NULL;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(2, 1, at.data(), MPI_INT, &ints);
    MPI_Type_create_resized(ints, 0, extent * static_cast<MPI_Aint>(sizeof(int)), &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&ints);
    return made;
  }
};
inline const std::vector<Item> kItems{{{0, 1}, 2}, {{0, 1}, 2}, {{0, 2}, 4}, {{1, 0}, 2}, {{2, 0}, 5}};

}  // namespace rondo::internal::random_exchange

#endif
