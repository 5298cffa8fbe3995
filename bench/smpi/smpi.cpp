// Alltoalls of the library on a cluster that SimGrid's SMPI simulates, beside our own simulation of the same cluster.
// The ranks are SMPI's; nothing here is measured on this machine.
#include "both_simulations.hpp"
#include "collectives.hpp"
#include "machine_of_run.hpp"
#include "points.hpp"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace rondo::internal::smpi {
namespace {

/// Lines for people, and rows in a CSV file that is appended to: on rank 0.
class Figures {
 public:
  Figures(const std::string& csv, const machine::Machine& machine)
      : file_(std::fopen(csv.c_str(), "a")), machine_(machine) {
    if (file_ == nullptr) throw std::runtime_error(csv + ": cannot be written");
  }
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;
  ~Figures() { std::fclose(file_); }

  void add(const std::string& collective, int bytes, const std::string& algorithm, const Outcomes& outcomes) {
    const double ratio = outcomes.smpi.nanoseconds / outcomes.loggp.nanoseconds;
    const bool right = outcomes.smpi.right && outcomes.loggp.right;
    all_right_ = all_right_ && right;
    ++points_;
    if (ratio < 1 / kNear || ratio > kNear) ++apart_;
    std::printf("  %-9s %6d B  %-14s SMPI %11.3f us  LogGP %11.3f us  %5.2f%s\n", collective.c_str(), bytes,
                algorithm.c_str(), outcomes.smpi.nanoseconds / 1000, outcomes.loggp.nanoseconds / 1000, ratio,
                right ? "" : "  WRONG DATA");
    std::fflush(stdout);
    std::fprintf(file_, "\"%s\",\"%s\",%d,%d,blocks,\"%s\",%d,%s,%.4f,%.4f,%.4f,%s\n", machine_.platform.name().c_str(),
                 machine_.parameters.name.c_str(), machine_.ranks(), machine_.platform.nodes(), collective.c_str(),
                 bytes, algorithm.c_str(), outcomes.smpi.nanoseconds / 1000, outcomes.loggp.nanoseconds / 1000, ratio,
                 right ? "right" : "wrong");
  }
  void end() const { std::printf("  %d of %d within 15%%\n", points_ - apart_, points_); }
  [[nodiscard]] bool all_right() const { return all_right_; }

 private:
  static constexpr double kNear = 1.15;
  std::FILE* file_;
  const machine::Machine& machine_;
  int points_ = 0;
  int apart_ = 0;
  bool all_right_ = true;
};

/// 0, or 3 where some data were wrong.
int run(const Arguments& arguments, int rank) {
  const machine::Machine machine = machine_of_run();
  std::unique_ptr<Figures> figures;
  if (rank == 0) {
    figures = std::make_unique<Figures>(arguments.csv, machine);
    std::printf("%d ranks on %d nodes, %s, %s\n", machine.ranks(), machine.platform.nodes(),
                machine.platform.name().c_str(), machine.parameters.name.c_str());
  }
  for (const Points& points : arguments.points) {
    const Collective collective = collective_named(points.collective);
    for (const int bytes : points.bytes) {
      for (const Variant& variant : points.variants) {
        const Outcomes outcomes = run_in_both(machine, collective, bytes, variant.options);
        if (figures) figures->add(collective.name, bytes, variant.name, outcomes);
      }
    }
  }
  if (!figures) return 0;
  figures->end();
  return figures->all_right() ? 0 : 3;
}

}  // namespace
}  // namespace rondo::internal::smpi

int main(int argc, char** argv) {
  using namespace rondo::internal::smpi;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 2;
  // What is wrong is wrong on all ranks: nobody waits for one that has ended.
  try {
    status = run(parse(argc, argv), rank);
  } catch (const std::invalid_argument& error) {
    if (rank == 0) std::fprintf(stderr, "smpi: %s\n%s", error.what(), kUsage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "smpi: rank %d: %s\n", rank, error.what());
  }
  MPI_Finalize();
  return status;
}
