// The vocabulary of rondo_algorithm: what the registries have, and nothing else.
#include "collectives/settings/algorithm_names.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>

#include "collectives/barrier/algorithms.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/halo/algorithms.hpp"

#include <string>
#include <string_view>

namespace rondo::internal::algorithm_names_test {
namespace {

/// The text of the refusal; empty where there is none.
std::string refused(std::string_view name) {
  try {
    static_cast<void>(parse_algorithms(name));
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_INFO_VALUE);
    return error.what();
  }
  return {};
}

template <typename Problem>
void expect_names_of(const Registry<Problem>& registry) {
  for (const Algorithm<Problem>& row : registry.algorithms) EXPECT_EQ(refused(row.name), "") << registry.collective;
}

TEST(AlgorithmNames, WhatCanBeSelectedAnywhere) {
  EXPECT_EQ(refused("auto"), "");
  expect_names_of(alltoall::registry());
  expect_names_of(allgather::registry());
  expect_names_of(reduction::registry());
  expect_names_of(halo::registry());
  expect_names_of(dense::registry());
  expect_names_of(dense_allgather::registry());
  expect_names_of(broadcast::registry());
  expect_names_of(barrier::registry());
}

TEST(AlgorithmNames, NothingElse) {
  const std::string text = refused("fastest");
  EXPECT_EQ(text.find("rondo_algorithm: is \"fastest\", must be auto, direct, "), 0U) << text;
  EXPECT_NE(text.find(" or "), std::string::npos) << text;
  EXPECT_EQ(text.find("direct"), text.rfind("direct")) << "each once: " << text;
  EXPECT_NE(refused(""), "");
}

TEST(AlgorithmNames, EachKindHasItsOwn) {
  const AskedAlgorithms asked = parse_algorithms("halo:combining,direct,bcast:chain,alltoall:own:mine");
  EXPECT_EQ(asked.of_others, "direct");
  EXPECT_EQ(algorithm_in(asked.of_kinds, kHaloKind), "combining");
  EXPECT_EQ(algorithm_in(asked.of_kinds, "bcast"), "chain");
  EXPECT_EQ(algorithm_in(asked.of_kinds, "alltoall"), "own:mine");
  EXPECT_EQ(algorithm_in(asked.of_kinds, kCartAlltoallKind), "");
  EXPECT_EQ(parse_algorithms("halo:auto").of_others, "auto");
  EXPECT_EQ(parse_algorithms("own:mine").of_others, "own:mine");
}

TEST(AlgorithmNames, KindsAndTheirNamesAreChecked) {
  const auto expect = [](std::string_view value, std::string_view words) {
    const std::string text = refused(value);
    EXPECT_NE(text.find(words), std::string::npos) << value << ": " << text;
  };
  expect("hello:direct", "is \"hello:direct\", but \"hello\" is no kind of collective, must be halo, cart_alltoall, ");
  expect("halo:fastest", "but halo has no algorithm \"fastest\", must be auto, direct, ");
  expect("halo:bruck", "but halo has no algorithm \"bruck\"");
  expect("halo:own:mine", "but halo has no algorithm \"own:mine\"");
  expect("halo:direct,halo:combining", "must name each kind once");
  expect("direct,combining", "must name at most one algorithm without a kind");
  for (const char* value : {"halo:", ":direct", "halo:direct,", ",direct", "halo"})
    EXPECT_NE(refused(value), "") << value;
}

}  // namespace
}  // namespace rondo::internal::algorithm_names_test
