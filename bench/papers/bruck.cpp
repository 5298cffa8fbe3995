// Träff, Rougier and Hunold, Implementing a Classic: Zero-copy All-to-all Communication with MPI Datatypes, ICS 2014:
// the six variants, their irregular form, and figure 10. What making datatypes takes is measured by the benchmark
// `type_creation`.
#include "plans.hpp"
#include "rows.hpp"
#include "sites.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::internal::papers {
namespace {

using machine::Machine;
using simulated::DenseExchange;

constexpr std::array kVariants{"basic-bruck",       "basic-bruck-ix",  "modified-bruck",
                               "modified-bruck-ix", "zero-copy-bruck", "zero-copy-bruck-blocks"};

struct System {
  const char* name;
  Machine machine;
  std::vector<std::int64_t> bytes;
};

/// Section 4: one rank a node on the cluster, and one node of 80 cores.
std::vector<System> systems(Extent extent) {
  if (extent == Extent::quick) return {{"8 nodes", jupiter(8, 1), {64}}};
  // What the outcome depends on most.
  Machine slow = mars(80);
  slow.parameters.tasks.copied_byte *= 4;
  return {{"p = 36, InfiniBand", jupiter(36, 1), {4, 16, 64, 256, 1024, 4000, 10000, 20000, 40000, 80000}},
          {"p = 80, one node", mars(80), {4, 16, 64, 256, 1024, 4000, 10000, 20000, 40000}},
          {"p = 80, copies four times as slow", slow, {4, 16, 64, 256, 1024, 4000, 10000, 20000, 40000}}};
}

/// Figures 3 to 5, and the persistent and irregular forms of figures 8 and 9: schedules that are made before.
bool variants(Extent extent, Figure& figure) {
  for (const System& system : systems(extent)) {
    for (const std::int64_t bytes : system.bytes) {
      const DenseExchange exchange(system.machine, bytes, {.radix = 2});
      const auto add = [&](const char* line, const char* algorithm) {
        add_run(figure, {system.name, line, static_cast<double>(bytes)}, system.machine, exchange, algorithm);
      };
      for (const char* variant : kVariants) add(variant, variant);
      add("irregular-bruck", "irregular-bruck");
      add("bruck, radix 2", "bruck");
      add("direct", "direct");
    }
  }
  return true;
}

/// Figure 10: what a library gains that has Modified Bruck in the place of Basic Bruck.
bool in_a_library(Extent extent, Figure& figure) {
  const Machine machine = extent == Extent::full ? mars(80) : mars(8);
  for (const std::int64_t bytes : {4, 20, 60, 100, 140, 180, 220, 260, 300}) {
    const DenseExchange exchange(machine, bytes, {.radix = 2});
    for (const char* variant : {"basic-bruck-ix", "modified-bruck-ix"}) {
      add_run(figure, {"p = " + std::to_string(machine.ranks()) + ", one node", variant, static_cast<double>(bytes)},
              machine, exchange, variant);
    }
  }
  return true;
}

constexpr std::array kRows{Row{"ics-variants", variants}, Row{"ics-library", in_a_library}};

}  // namespace

std::span<const Row> bruck_rows() { return kRows; }

}  // namespace rondo::internal::papers
