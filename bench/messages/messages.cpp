// How one message travels whose data do not lie in a row: staged through contiguous memory, as one derived datatype,
// as auto chooses, and as an operation learns that begins as auto does. Rows of the same length, one apart, at both
// ends, at the sender or at the receiver only. Figures: auto is never above 1.10x the better form, nor is what is
// learned. Usage: messages CSV [--quick]
#include <mpi.h>
#include <rondo/rondo.hpp>

#include "harness.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// Past the third look, wherever that is.
constexpr int kStartsToLearn = 900;

/// `bytes` bytes in rows of `row`, every other row of memory; or all in a row.
class Rows {
 public:
  Rows(int bytes, int row, bool scattered) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(bytes / row, row, scattered ? 2 * MPI_Aint{row} : row, MPI_BYTE, &type);
    type_ = rondo::Datatype(type);
    type_.commit();
    memory_.resize(2 * static_cast<std::size_t>(bytes));
  }
  [[nodiscard]] char* data() { return memory_.data(); }
  [[nodiscard]] MPI_Datatype type() const { return type_.native(); }
  void fill(int seed) {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      memory_[i] = static_cast<char>(i * 7 + i / 251 + static_cast<std::size_t>(seed));
  }
  [[nodiscard]] std::vector<std::byte> packed() const {
    std::vector<std::byte> bytes(memory_.size() / 2);
    rondo::pack(memory_.data(), 1, type_.native(), bytes);
    return bytes;
  }

 private:
  rondo::Datatype type_;
  std::vector<char> memory_;
};

/// Both ranks send each other the same.
class Point {
 public:
  Point(int bytes, int row, bool at_sender, bool at_receiver)
      : torus_(MPI_COMM_WORLD, {2}, rondo::Neighborhood{{1}}),
        send_(bytes, row, at_sender),
        recv_(bytes, row, at_receiver),
        expected_(bytes, row, at_sender) {
    send_.fill(torus_.rank());
    expected_.fill(1 - torus_.rank());
  }

  [[nodiscard]] bench::Variant variant(const char* form) {
    return variant(form, {.messages = rondo::message_form_from(form)});
  }
  /// Of an operation that has learned.
  [[nodiscard]] bench::Variant learned() {
    bench::Variant its = variant("learned", {.learn = "auto"});
    its.run(kStartsToLearn);
    return its;
  }

 private:
  [[nodiscard]] bench::Variant variant(const char* name, const rondo::Options& options) {
    const rondo::SendBlock send{send_.data(), 1, send_.type()};
    const rondo::RecvBlock recv{recv_.data(), 1, recv_.type()};
    requests_.push_back(torus_.alltoallw_init({&send, 1}, {&recv, 1}, options));
    const std::size_t which = requests_.size() - 1;
    const auto run = [this, which](int times) {
      for (int i = 0; i < times; ++i) {
        requests_[which].start();
        requests_[which].wait();
      }
    };
    const bool is_fixed = options.learn.empty() && std::strcmp(name, "auto") != 0;
    return {name, !is_fixed, run, [this, run] {
              std::memset(recv_.data(), 0, recv_.packed().size());
              run(1);
              return recv_.packed() == expected_.packed();
            }};
  }

  rondo::CartComm torus_;
  Rows send_;
  Rows recv_;
  Rows expected_;
  std::vector<rondo::Request> requests_;
};

void measure(const bench::Options& options, bench::Report& report) {
  struct Ends {
    const char* name;
    bool sender;
    bool receiver;
  };
  for (const Ends& ends : {Ends{"both ends", true, true}, Ends{"sender", true, false}, Ends{"receiver", false, true}}) {
    for (const int row : {8, 64, 512, 4096, 32768, 262144}) {
      for (const int bytes : {256, 2048, 8192, 32768, 131072, 1048576, 4194304}) {
        if (bytes < 2 * row) continue;
        Point point(bytes, row, ends.sender, ends.receiver);
        const std::vector<bench::Variant> variants{point.variant("auto"), point.variant("staged"),
                                                   point.variant("datatype"), point.learned()};
        const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
        const std::string what =
            std::string("rows of ") + std::to_string(row) + " B at " + ends.name + ", " + std::to_string(bytes) + " B";
        report.point(what, comparison);
        const bench::Result* better = bench::best(comparison, [](const bench::Result& result) { return !result.ours; });
        if (better == nullptr) {
          report.no_figure(what);
          continue;
        }
        for (const bench::Result& result : comparison.results) {
          if (result.ours)
            report.require(what + ", " + result.name + " / " + better->name, bench::ratio(result, *better), 1.10);
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_back_to_back(argc, argv, {.window_seconds = 0.004, .rounds = 9, .most_rounds = 20},
                                 {.window_seconds = 0.002, .rounds = 5, .most_rounds = 10}, measure);
}
