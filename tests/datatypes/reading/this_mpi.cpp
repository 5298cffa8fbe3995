#include "datatypes/reading/this_mpi.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>

namespace rondo::internal::this_mpi_test {
namespace {

TEST(ThisMpi, IsReadFromItsText) {
  using enum MpiKind;
  for (const auto& [text, kind, number] : std::initializer_list<std::tuple<std::string_view, MpiKind, int>>{
           {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022", open_mpi, 40104},
           {"Open MPI v6.0.0rc2, package: Debian OpenMPI", open_mpi, 59999},
           {"Open MPI v6.1, package: Debian OpenMPI", open_mpi, 60100},
           {"Open MPI", open_mpi, 0},
           {"MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7", mpich, 40002},
           {"MPICH Version:\t10.1a1\n", mpich, 100099}}) {
    for (const MpiKind otherwise : {open_mpi, mpich}) {
      const MpiVersion version = read_mpi_version(text, otherwise);
      EXPECT_EQ(version.kind, kind) << text;
      EXPECT_EQ(version.number, number) << text;
    }
  }
}

TEST(ThisMpi, IsTheOneOfTheHeadersIfItHasAnotherName) {
  for (const std::string_view text : {"FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)", "Intel(R) MPI Library 2021.11", ""}) {
    for (const MpiKind kind : {MpiKind::open_mpi, MpiKind::mpich}) {
      EXPECT_EQ(read_mpi_version(text, kind).kind, kind) << text;
      EXPECT_EQ(read_mpi_version(text, kind).number, 0) << text;
    }
  }
}

TEST(ThisMpi, IsTheOneThatRuns) {
#if defined(OPEN_MPI)
  EXPECT_EQ(this_mpi().kind, MpiKind::open_mpi);
  constexpr int kNumber = OMPI_MAJOR_VERSION * 10000 + OMPI_MINOR_VERSION * 100 + OMPI_RELEASE_VERSION;
#else
  EXPECT_EQ(this_mpi().kind, MpiKind::mpich);
  constexpr int kNumber = MPICH_NUMVERSION / 1000;
#endif
  EXPECT_LE(std::abs(this_mpi().number - kNumber), 1) << "of which one is for a prerelease";
  EXPECT_NE(mpi_name().find(std::to_string(this_mpi().number / 10000)), std::string::npos) << mpi_name();
}

}  // namespace
}  // namespace rondo::internal::this_mpi_test
