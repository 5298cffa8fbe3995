// The experiments of the papers that Rondo's algorithms come from, on simulated machines like theirs; docs/papers.md
// sets them beside the papers' numbers. Usage: papers FOLDER [--quick] NAME...; without a name, lists them. Writes
// FOLDER/NAME.csv. Status 3: something is not as it must be, data that arrived wrong or a table that is exact.
#include "rows.hpp"

#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace rondo::internal::papers {
namespace {

std::vector<Row> all_rows() {
  std::vector<Row> all;
  for (const auto rows : {cartesian_rows(), isomorphic_rows(), bruck_rows(), slim_fly_rows()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

bool run(const Row& row, const std::string& folder, Extent extent) {
  const auto since = std::chrono::steady_clock::now();
  const std::string name(row.name);
  Figure figure(folder + "/" + name + ".csv");
  const bool as_it_must_be = row.run(extent, figure) && figure.all_right();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - since;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s: %s, in %.0f s, with %.1f GiB\n", name.c_str(), as_it_must_be ? "done" : "NOT AS IT MUST BE",
              took.count(), static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0));
  return as_it_must_be;
}

int run(const std::vector<std::string>& arguments) {
  const std::vector<Row> rows = all_rows();
  if (arguments.size() < 2) {
    for (const Row& row : rows) std::printf("%s\n", std::string(row.name).c_str());
    return 0;
  }
  Extent extent = Extent::full;
  bool as_they_must_be = true;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") {
      extent = Extent::quick;
      continue;
    }
    const auto row = std::ranges::find(rows, arguments[i], &Row::name);
    if (row == rows.end()) throw std::invalid_argument("no row is called " + arguments[i]);
    as_they_must_be = run(*row, arguments[0], extent) && as_they_must_be;
  }
  return as_they_must_be ? 0 : 3;
}

}  // namespace
}  // namespace rondo::internal::papers

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);  // for datatypes, and the sizes of grids
  int status = 2;
  try {
    status = rondo::internal::papers::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "papers: %s\n", error.what());
  }
  MPI_Finalize();
  return status;
}
