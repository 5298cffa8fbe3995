/// @file
/// What the builder says of a program that is wrong.
#ifndef RONDO_TESTS_SUPPORT_EXPECT_COMPLAINT_HPP
#define RONDO_TESTS_SUPPORT_EXPECT_COMPLAINT_HPP

#include <gtest/gtest.h>
#include <mpi.h>
#include <rondo/error.hpp>

#include "runtime/schedule/schedule_builder.hpp"

#include <string>

namespace rondo::internal {

/// `body`, given an empty builder, throws an Error, MPI_ERR_INTERN, whose text has `part` in it.
template <typename Body>
void expect_complaint(const std::string& part, const Body& body) {
  ScheduleBuilder builder;
  try {
    body(builder);
    ADD_FAILURE() << "accepted, instead of: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), MPI_ERR_INTERN);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace rondo::internal

#endif
