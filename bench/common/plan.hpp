/// @file
/// What runs, as precisely as Rondo can say it.
#ifndef RONDO_BENCH_COMMON_PLAN_HPP
#define RONDO_BENCH_COMMON_PLAN_HPP

#include <rondo/request.hpp>

#include <cstddef>
#include <string>

namespace bench {

/// The name in the first row of the table that explains a request, such as "bruck, radix 4"; that of its algorithm
/// where nothing was compared.
[[nodiscard]] inline std::string plan_of(const rondo::Request& request) {
  const std::string table = request.explain();
  const std::size_t row = table.find('\n') + 1;
  const std::size_t end = table.find("  ", row);  // names have single blanks
  return end == std::string::npos ? request.algorithm() : table.substr(row, end - row);
}

}  // namespace bench

#endif
