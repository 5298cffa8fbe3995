/// @file
/// Which exchanges are run, and how: tables, or what the command line says.
#ifndef RONDO_BENCH_SMPI_POINTS_HPP
#define RONDO_BENCH_SMPI_POINTS_HPP

#include <rondo/options.hpp>

#include <string>
#include <vector>

namespace rondo::internal::smpi {

/// An algorithm and what it is called here.
struct Variant {
  std::string name;
  rondo::Options options;
};

/// All variants with all sizes of blocks.
struct Points {
  std::string collective;
  std::vector<int> bytes;
  std::vector<Variant> variants;
};

struct Arguments {
  std::string csv;
  std::vector<Points> points;
};

inline constexpr const char* kUsage =
    "usage: smpi CSV [--quick]\n"
    "       smpi CSV --collective dense|shift|9-point|27-point|box-5 [--bytes B,B,...] [--algorithms NAME,NAME,...]\n"
    "an algorithm is one of docs/algorithms.md; bruck:8 is Bruck's in radix 8, windowed:8 has 8 exchanges in flight\n";

/// Throws std::invalid_argument with what is wrong, and rondo::Error for an algorithm that there is not.
[[nodiscard]] Arguments parse(int argc, char** argv);

}  // namespace rondo::internal::smpi

#endif
