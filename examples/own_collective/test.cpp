// As in docs/own-collectives.md.
#include "doubling.hpp"

#include <rondo/own/check.hpp>

#include <iostream>
#include <span>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);  // one process will do
  const auto sum = [](int, std::span<const std::vector<double>> sent, std::vector<double>& recv) {
    recv = sent[0];
    for (std::size_t r = 1; r < sent.size(); ++r) {
      for (std::size_t i = 0; i < recv.size(); ++i) recv[i] += sent[r][i];
    }
  };
  int failed = 0;
  for (const int ranks : {1, 2, 4, 8, 16, 3}) {
    const rondo::CheckResult result = rondo::check<double>(doubling(5), ranks, {.send = 5, .recv = 5}, sum);
    std::cout << "p = " << ranks << ": " << result << "\n";
    failed += result.ok() ? 0 : 1;
  }
  MPI_Finalize();
  return failed;
}
