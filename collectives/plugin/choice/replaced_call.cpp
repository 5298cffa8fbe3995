#include "collectives/plugin/choice/replaced_call.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include <algorithm>

namespace rondo::internal::plugin {
namespace {

constexpr std::array<std::string_view, kReplacedCalls> kNames{
    "alltoall",
    "alltoallv",
    "alltoallw",
    "ialltoall",
    "ialltoallv",
    "ialltoallw",
    "alltoall_init",
    "alltoallv_init",
    "alltoallw_init",
    "barrier",
    "bcast",
    "allgather",
    "allgatherv",
    "allreduce",
    "reduce_scatter_block",
    "reduce_scatter",
    "ibarrier",
    "ibcast",
    "iallgather",
    "iallgatherv",
    "iallreduce",
    "ireduce_scatter_block",
    "ireduce_scatter",
    "barrier_init",
    "bcast_init",
    "allgather_init",
    "allgatherv_init",
    "allreduce_init",
    "reduce_scatter_block_init",
    "reduce_scatter_init",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "ineighbor_alltoall",
    "ineighbor_alltoallv",
    "ineighbor_alltoallw",
    "ineighbor_allgather",
    "ineighbor_allgatherv",
    "neighbor_alltoall_init",
    "neighbor_alltoallv_init",
    "neighbor_alltoallw_init",
    "neighbor_allgather_init",
    "neighbor_allgatherv_init",
};

/// Sets `what` for all calls that a pattern names. Returns how many these are.
std::size_t set(WantedCalls& wanted, std::string_view pattern, Wanted what) {
  const bool open = pattern.ends_with('*');
  if (open) pattern.remove_suffix(1);
  std::size_t named = 0;
  for (std::size_t i = 0; i < kReplacedCalls; ++i) {
    if (open ? !kNames[i].starts_with(pattern) : kNames[i] != pattern) continue;
    wanted.of[i] = what;
    ++named;
  }
  return named;
}

[[noreturn]] void refuse(std::string_view word) {
  std::string allowed = "off, auto, all";
  for (const std::string_view name : kNames) allowed += ", " + std::string(name);
  throw Error(MPI_ERR_INFO_VALUE, "RONDO_PMPI: contains \"" + std::string(word) + "\", must contain only " + allowed +
                                      ", a name ending in *, or one of these after a minus sign");
}

}  // namespace

std::string_view name(ReplacedCall call) noexcept { return kNames[static_cast<std::size_t>(call)]; }

bool is_neighborhood(ReplacedCall call) noexcept { return call >= ReplacedCall::neighbor_alltoall; }

bool is_nonblocking(ReplacedCall call) noexcept { return name(call).starts_with('i'); }

bool is_persistent(ReplacedCall call) noexcept { return name(call).ends_with("_init"); }

bool is_exchange(ReplacedCall call) noexcept { return is_neighborhood(call) || call <= ReplacedCall::alltoallw_init; }

WantedCalls wanted_calls(std::string_view text) {
  WantedCalls wanted;
  wanted.of.fill(Wanted::automatic);
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word == "off" || word == "auto" || word == "all") {
      wanted.of.fill(word == "off" ? Wanted::leave : word == "all" ? Wanted::take : Wanted::automatic);
    } else {
      const bool leaves = word.starts_with('-');
      // A list that begins with a name to be taken names all calls that are taken.
      if (first && !leaves) wanted.of.fill(Wanted::leave);
      if (set(wanted, word.substr(leaves ? 1 : 0), leaves ? Wanted::leave : Wanted::take) == 0) refuse(word);
    }
    first = false;
  }
  return wanted;
}

}  // namespace rondo::internal::plugin
