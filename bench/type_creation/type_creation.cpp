// Making and freeing all datatypes of one alltoall, as one rank of p does in the zero-copy Bruck paper's six variants,
// without any communication (figures 6 and 7). Elements are in a row. One process. Usage: type_creation CSV [--quick]
#include "collectives/dense_alltoall/algorithms.hpp"

#include <mpi.h>

#include "harness.hpp"
#include "report.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace internal = rondo::internal;

namespace {

constexpr std::array kVariants{"basic-bruck",       "basic-bruck-ix",  "modified-bruck",
                               "modified-bruck-ix", "zero-copy-bruck", "zero-copy-bruck-blocks"};

/// An alltoall of p elements of `bytes` bytes, seen from a rank in the middle.
class Point {
 public:
  Point(int p, std::int64_t bytes) : p_(p), bytes_(bytes), element_(internal::Layout::contiguous(bytes)) {
    for (int j = 0; j < p; ++j) shapes_.push_back({j * bytes, &element_});
    for (auto& buffer : buffers_) buffer = std::make_unique<std::byte[]>(static_cast<std::size_t>(p * bytes));
    for (std::size_t i = 0; i < internal::kSpaces; ++i) bases_[i] = buffers_[i].get();
  }

  [[nodiscard]] bench::Variant variant(const char* name) {
    const internal::dense::Problem problem{p_ / 2, p_, shapes_, shapes_, true, costs_, bytes_, bytes_};
    const auto schedule = internal::dense::choose(problem, name, rondo::Ordering::dependencies).schedule;
    const auto make = [this](const internal::WireLayout& wire) {
      return wire.in_one_space() ? wire.type_in_space() : wire.type_at(bases_);
    };
    return {.name = name,
            .ours = true,
            .run =
                [schedule, make](int times) {
                  for (int i = 0; i < times; ++i) {
                    for (const internal::WireLayout& wire : schedule->wire_layouts()) static_cast<void>(make(wire));
                  }
                },
            .verify =
                [schedule, make] {
                  std::int64_t messages = 0;
                  std::int64_t types = 0;
                  for (const internal::Task& task : schedule->tasks()) {
                    if (internal::is_message(task) && task.first_part != internal::kContiguous) messages += task.bytes;
                  }
                  for (const internal::WireLayout& wire : schedule->wire_layouts()) {
                    int size = 0;
                    MPI_Type_size(make(wire).get(), &size);
                    types += size;
                  }
                  return types == messages && types > 0;
                }};
  }

 private:
  int p_;
  std::int64_t bytes_;
  internal::Layout element_;
  internal::CostModel costs_{1.0};
  std::vector<internal::BlockShape> shapes_;
  std::array<std::unique_ptr<std::byte[]>, internal::kSpaces> buffers_;
  std::array<std::byte*, internal::kSpaces> bases_{};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  // One process that waits for nobody: windows so short that few are interrupted, on a busy machine, too.
  bench::Options options{.window_seconds = 0.0005, .rounds = 40, .most_rounds = 400};
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) options = {.window_seconds = 0.0005, .rounds = 9, .most_rounds = 90};
  }
  bench::Report report(true, argc > 1 ? argv[1] : "");
  for (const int p : {2, 4, 8, 16, 24, 36, 48, 64, 80}) {
    for (const std::int64_t bytes : {4, 64, 1000, 10000, 40000, 80000}) {
      Point point(p, bytes);
      std::vector<bench::Variant> variants;
      for (const char* name : kVariants) variants.push_back(point.variant(name));
      const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
      report.point("p=" + std::to_string(p) + " n=" + std::to_string(bytes), comparison);
    }
  }
  MPI_Finalize();
  return 0;
}
