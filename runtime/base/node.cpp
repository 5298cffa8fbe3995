#include "runtime/base/node.hpp"

#include "datatypes/reading/this_mpi.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <string>

namespace rondo::internal {
namespace {

/// Returns how many cores the control group allows, whatever the thread is bound to now, or 0 if it is unknown.
int cores_allowed() {
  const std::optional<cpu_set_t> bound = unbind_thread();
  if (!bound) return 0;
  cpu_set_t all;
  const int count = sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : 0;
  sched_setaffinity(0, sizeof *bound, &*bound);
  return count;
}

/// Returns the first line of a file; empty if it cannot be read.
std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

/// Returns the cores of a list such as "0-7,64-71".
cpu_set_t cores_in(const std::string& list) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const char* text = list.c_str();
  while (*text >= '0' && *text <= '9') {
    char* rest = nullptr;
    const long first = std::strtol(text, &rest, 10);
    const long last = *rest == '-' ? std::strtol(rest + 1, &rest, 10) : first;
    for (long core = first; core <= last && core < CPU_SETSIZE; ++core) CPU_SET(core, &cores);
    text = *rest == ',' ? rest + 1 : rest;
  }
  return cores;
}

int first_of(const cpu_set_t& cores) noexcept {
  int core = 0;
  while (core < CPU_SETSIZE && !CPU_ISSET(core, &cores)) ++core;
  return core;
}

/// Returns the cores that share the last-level cache of `core`; none if `system` does not say. Linux numbers a core's
/// caches from the first level up, and each file of them takes some 20 microseconds to read.
cpu_set_t sharers_of_cache(int core, const std::string& system) {
  constexpr int kMostCaches = 8;
  const std::string caches = system + "/cpu" + std::to_string(core) + "/cache/index";
  std::string sharers;
  for (int i = kMostCaches; sharers.empty() && i-- > 0;)
    sharers = first_line(caches + std::to_string(i) + "/shared_cpu_list");
  return cores_in(sharers);
}

/// Returns the number that an environment variable begins with, or 0 if there is none.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : static_cast<int>(std::strtol(text, nullptr, 10));
}

/// Returns the number of tasks on this node by Slurm's list of the tasks on a step's nodes: "4(x2),3" is 4 on the first
/// two nodes and 3 on the third. Returns 0 if there is no list.
int ranks_by_slurm() {
  const char* text = std::getenv("SLURM_STEP_TASKS_PER_NODE");
  int node = number_in("SLURM_NODEID");
  int tasks = 0;
  while (text != nullptr && *text >= '0' && *text <= '9') {
    char* rest = nullptr;
    tasks = static_cast<int>(std::strtol(text, &rest, 10));
    const bool is_repeated = std::strncmp(rest, "(x", 2) == 0;
    node -= is_repeated ? static_cast<int>(std::strtol(rest + 2, &rest, 10)) : 1;
    if (node < 0) return tasks;
    text = std::strchr(rest, ',');
    if (text != nullptr) ++text;
  }
  return tasks;
}

/// Returns the number of tasks on a node in a job of Flux, which spreads them evenly and does not say their number.
/// Returns 0 outside such a job.
int ranks_by_flux() {
  const int nodes = number_in("FLUX_JOB_NNODES");
  return nodes < 1 ? 0 : (number_in("FLUX_JOB_SIZE") + nodes - 1) / nodes;
}

/// Functions that return how many processes a launcher says it has started on this node, or 0. The first launcher that
/// says a number counts, because mpirun may run inside a job of the others, which know only of its daemons.
constexpr std::array<int (*)(), 6> kLaunchers{
    [] { return number_in("OMPI_COMM_WORLD_LOCAL_SIZE"); },  // Open MPI's mpirun
    [] { return number_in("MPI_LOCALNRANKS"); },             // Hydra, MPICH's mpiexec
    [] { return number_in("PALS_LOCAL_SIZE"); },             // mpiexec and aprun of HPE's PALS
    [] { return number_in("JSM_NAMESPACE_LOCAL_SIZE"); },    // IBM's jsrun
    ranks_by_slurm,
    ranks_by_flux};

std::atomic<int> counted_ranks = 0;  ///< 0: the ranks were not counted

}  // namespace

void know_ranks_on_node(int ranks) noexcept {
  counted_ranks.store(ranks, std::memory_order_relaxed);  // relaxed: a number, nothing is published with it
}

std::optional<int> told_ranks_on_node() noexcept {
  if (const int ranks = counted_ranks.load(std::memory_order_relaxed); ranks > 0) return ranks;  // relaxed: a number
  for (const auto ranks_by_launcher : kLaunchers) {
    if (const int ranks = ranks_by_launcher(); ranks > 0) return ranks;
  }
  return std::nullopt;
}

int ranks_on_node() { return told_ranks_on_node().value_or(1); }

std::optional<cpu_set_t> unbind_thread() noexcept {
  cpu_set_t bound;
  if (sched_getaffinity(0, sizeof bound, &bound) != 0) return std::nullopt;
  cpu_set_t all;
  std::memset(&all, 0xFF, sizeof all);  // the kernel keeps of these cores only those that the group allows
  if (sched_setaffinity(0, sizeof all, &all) != 0) return std::nullopt;
  return bound;
}

int cores_of_quota(const std::string& limit) {
  char* rest = nullptr;
  const double microseconds = std::strtod(limit.c_str(), &rest);
  const double period = std::strtod(rest, nullptr);
  if (microseconds <= 0 || period <= 0) return std::numeric_limits<int>::max();
  return std::max(1, static_cast<int>(std::lround(microseconds / period)));
}

std::string cpu_quota() {
  std::string limit = first_line("/sys/fs/cgroup/cpu.max");
  if (!limit.empty()) return limit;
  // cgroup v1: a quota of -1 means no limit
  return first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") + " " + first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
}

int cores_of_node() {
  static const int cores = [] {
    // Not the affinity mask's cores: Open MPI binds each of two ranks to its own core, and they do not share that core.
    int allowed = cores_allowed();
    if (allowed == 0) allowed = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    return std::max(1, std::min(allowed, cores_of_quota(cpu_quota())));
  }();
  return cores;
}

double ranks_per_core() {
  return std::max(1.0, static_cast<double>(ranks_on_node()) / static_cast<double>(cores_of_node()));
}

std::uint16_t last_level_cache(const cpu_set_t& cores, const std::string& system) {
  const int first = first_of(cores);
  if (first == CPU_SETSIZE) return 0;
  const cpu_set_t sharers = sharers_of_cache(first, system);
  if (!CPU_ISSET(first, &sharers)) return 0;
  cpu_set_t near;
  CPU_AND(&near, &cores, &sharers);
  return CPU_EQUAL(&near, &cores) ? static_cast<std::uint16_t>(first_of(sharers) + 1) : kSeveralCaches;
}

std::uint16_t own_last_level_cache() noexcept {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 0;
  try {
    return last_level_cache(cores, "/sys/devices/system/cpu");
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

bool mpi_yields_when_idle() noexcept {
  if (this_mpi().kind != MpiKind::open_mpi) return false;
  // Asking by MPI_T would make Open MPI load all components that it has, which takes a fifth of a second.
  for (const char* const variable : {"opal_progress_yield_when_idle", "ompi_mpi_yield_when_idle"}) {
    if (const auto* const yields = static_cast<const bool*>(dlsym(RTLD_DEFAULT, variable))) return *yields;
  }
  return false;
}

}  // namespace rondo::internal
