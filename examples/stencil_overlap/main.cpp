// A stencil whose tiles are tasks of oneTBB, with the halo exchanged before the computation, beside it with and without
// progress in the background, and by each tile for itself. Times these in turns and compares each with a serial run.
// docs/overlap.md says what one sees.
#include "../stencil/domain.hpp"
#include "arguments.hpp"
#include "five_point.hpp"
#include "table.hpp"
#include "variants.hpp"

#include <mpi.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <rondo/rondo.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace stencil {
namespace {

int least_of_all_ranks(int value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return value;
}

/// The cores of the node divided by the ranks on it, but no more than this process may use.
int share_of_cores() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int ranks = 1;
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  const int share = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) / ranks;
  return std::clamp(share, 1, oneapi::tbb::info::default_concurrency());
}

/// State 0 as it is before the first step, and everything else no number: what is used too early shows in the result.
void begin_anew(Domain& domain) {
  for (int which = 0; which < 2; ++which) {
    const Tile<double> all = domain.tile(which);
    std::fill_n(all.cells, &all.at(all.rows, all.columns) - all.cells + 1, std::numeric_limits<double>::quiet_NaN());
  }
  const Tile<double> own = domain.tile(0);
  for (int i = 0; i < own.rows; ++i) {
    for (int j = 0; j < own.columns; ++j)
      own.at(i, j) = first_value(domain.rows().begin + i, domain.columns().begin + j);
  }
}

/// Whether all ranks have the same cells in both, to the last bit. Collective.
bool equal(Domain& domain, int which, Domain& expected) {
  const Tile<double> mine = domain.tile(which);
  const Tile<double> right = expected.tile(0);
  bool same = true;
  for (int i = 0; i < mine.rows; ++i) {
    same = same &&
           std::memcmp(&mine.at(i, 0), &right.at(i, 0), sizeof(double) * static_cast<std::size_t>(mine.columns)) == 0;
  }
  return least_of_all_ranks(same ? 1 : 0) == 1;
}

/// Microseconds a step, until the last rank is through.
double run_turn(Stepper& stepper, const char* literal, int steps, oneapi::tbb::task_arena& arena) {
  MPI_Barrier(MPI_COMM_WORLD);
  const rondo::trace::Span turn(literal);
  const double begin = MPI_Wtime();
  arena.execute([&] {
    for (int step = 0; step < steps;) {
      const rondo::trace::Span span("step");
      step += stepper.step(step % 2, steps - step);
    }
  });
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return 1e6 * seconds / steps;
}

/// Those that MPI's thread level has room for; throws InputError when none is left.
std::vector<Variant> possible(std::vector<Variant> variants) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (least_of_all_ranks(level) >= MPI_THREAD_SERIALIZED) return variants;
  std::erase_if(variants, by_tile);
  if (variants.empty())
    throw InputError("--variant: tasks and async-tasks need MPI_THREAD_SERIALIZED, which this MPI does not give");
  return variants;
}

void check_size(const Arguments& arguments, const std::vector<int>& processes) {
  const int least_rows = processes[0] * arguments.tiles;
  const int least_columns = processes[1] * arguments.tiles;
  if (arguments.rows >= least_rows && arguments.columns >= least_columns) return;
  const auto size = [](int rows, int columns) { return std::to_string(rows) + "x" + std::to_string(columns); };
  throw InputError("--size: is " + size(arguments.rows, arguments.columns) + ", must be at least " +
                   size(least_rows, least_columns) + " for " + size(arguments.tiles, arguments.tiles) +
                   " tiles on each of " + size(processes[0], processes[1]) + " ranks");
}

/// Whether all turns of all variants were right.
bool run(const Arguments& arguments) {
  const std::vector<Variant> variants = possible(arguments.variants);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> processes(2, 0);
  MPI_Dims_create(ranks, 2, processes.data());
  check_size(arguments, processes);
  const int workers = arguments.workers > 0 ? arguments.workers : share_of_cores();
  oneapi::tbb::task_arena arena(workers);

  rondo::CartComm torus(MPI_COMM_WORLD, processes, rondo::moore(2, 1));
  Domain domain(torus, processes, arguments.rows, arguments.columns);
  Domain expected(torus, processes, arguments.rows, arguments.columns);
  expected.scatter(
      torus.rank() == 0 ? run_serial(arguments.rows, arguments.columns, arguments.steps) : std::vector<double>(), 0);
  const Workplace workplace{torus, domain, cut_into_tiles(domain.rows().size, domain.columns().size, arguments.tiles),
                            arguments.contrary};

  std::vector<std::unique_ptr<Stepper>> steppers;
  std::vector<Row> rows;
  for (const Variant variant : variants) {
    steppers.push_back(make_stepper(variant, workplace));
    rows.push_back({variant,
                    static_cast<rondo::ProgressMode>(least_of_all_ranks(static_cast<int>(steppers.back()->progress()))),
                    {},
                    true});
  }
  for (int repetition = 0; repetition <= arguments.repetitions; ++repetition) {
    for (std::size_t k = 0; k < steppers.size(); ++k) {
      begin_anew(domain);
      const double us = run_turn(*steppers[k], name(variants[k]), arguments.steps, arena);
      if (repetition > 0) rows[k].us.push_back(us);  // the first one warms up
      rows[k].right = equal(domain, arguments.steps % 2, expected) && rows[k].right;
    }
  }

  if (torus.rank() == 0) {
    std::printf("%d x %d cells, 5 points, %d steps, %d ranks as %d x %d; a rank: %d x %d tiles, %d worker%s\n",
                arguments.rows, arguments.columns, arguments.steps, ranks, processes[0], processes[1], arguments.tiles,
                arguments.tiles, workers, workers == 1 ? "" : "s");
    print_table(rows);
    if (variants.size() < arguments.variants.size())
      std::printf("tasks and async-tasks did not run: they need MPI_THREAD_SERIALIZED, which this MPI does not give\n");
  }
  return std::ranges::all_of(rows, &Row::right);
}

}  // namespace
}  // namespace stencil

int main(int argc, char** argv) {
  // async needs MPI_THREAD_MULTIPLE. What MPI gives instead, and what becomes of async then, the table says.
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 1;
  try {
    const stencil::Arguments arguments = stencil::parse(argc, argv);
    if (arguments.help) {
      if (rank == 0) std::fputs(stencil::kUsage, stdout);
      status = 0;
    } else {
      status = stencil::run(arguments) ? 0 : 1;
    }
  } catch (const stencil::InputError& error) {  // thrown on all ranks alike
    if (rank == 0) std::fprintf(stderr, "stencil_overlap: %s\n", error.what());
  } catch (const std::exception& error) {  // the others would wait for ever
    std::fprintf(stderr, "stencil_overlap: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
