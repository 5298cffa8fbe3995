#include "datatypes/reading/this_mpi.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <string_view>
#include <tuple>

namespace rondo::internal::this_mpi_test {
namespace {

TEST(ThisMpi, IsReadFromItsText) {
  using enum MpiKind;
  for (const auto& [text, kind, number] : std::initializer_list<std::tuple<std::string_view, MpiKind, int>>{
           {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022", open_mpi, 40104},
           {"Open MPI v6.0.0rc2, package: Debian OpenMPI", open_mpi, 60000},
           {"Open MPI", open_mpi, 0},
           {"IBM Spectrum MPI Version 10.4", open_mpi, 0},
           {"MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7", mpich, 40002},
           {"MPICH Version:\t10.1\n", mpich, 100100},
           {"Intel(R) MPI Library 2021.11 for Linux* OS\n", mpich, 0},
           {"", mpich, 0}}) {
    const MpiVersion version = read_mpi_version(text);
    EXPECT_EQ(version.kind, kind) << text;
    EXPECT_EQ(version.number, number) << text;
  }
}

TEST(ThisMpi, IsTheOneOfTheHeaders) {
#if defined(OPEN_MPI)
  EXPECT_EQ(this_mpi().kind, MpiKind::open_mpi);
  EXPECT_EQ(this_mpi().number, OMPI_MAJOR_VERSION * 10000 + OMPI_MINOR_VERSION * 100 + OMPI_RELEASE_VERSION);
#else
  EXPECT_EQ(this_mpi().kind, MpiKind::mpich);
  EXPECT_EQ(this_mpi().number, MPICH_NUMVERSION / 1000);
#endif
  EXPECT_NE(mpi_name().find(std::to_string(this_mpi().number / 10000)), std::string::npos) << mpi_name();
}

}  // namespace
}  // namespace rondo::internal::this_mpi_test
