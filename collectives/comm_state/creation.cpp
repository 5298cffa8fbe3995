#include "collectives/comm_state/creation.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/waiting.hpp"
#include "runtime/base/mix.hpp"
#include "runtime/base/node.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/lanes/process_memory.hpp"
#include "runtime/shared_memory/node_card.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace rondo::internal {
namespace {

/// Returns this rank's ranks per core, in thousandths.
std::uint64_t thousandths_here() { return static_cast<std::uint64_t>(ranks_per_core() * 1000.0); }
/// Numbers that ranks compare to find out whether they are on one node, and share a cache.
struct OfThisRank {
  std::uint64_t node = 0;  ///< equal for ranks that may share memory; 0 if this rank wants none or has none to give
  std::uint64_t cache = 0;
};
OfThisRank of_this_rank(SharedMemory use) noexcept {
  try {
    const NodeCard card = own_node_card(use);
    if (use != SharedMemory::on || card.fault != CardFault::none || !may_have_memory()) return {};
    std::uint64_t hash = mix(mix(1, card.boot_id), card.pid_namespace);
    hash = mix(mix(hash, card.node_name), card.user);
    return {hash == 0 ? 1 : hash, cache_number(card)};
  } catch (const std::bad_alloc&) {
    return {};
  }
}
double load_of(std::uint64_t thousandths) { return std::max(1.0, static_cast<double>(thousandths) / 1000.0); }

}  // namespace

OneNode::OneNode(Agreement& words, SharedMemory use) {
  const auto [node, cache] = of_this_rank(use);
  cache_ = words.same(cache);
  node_ = words.same(node);
  nodeless_ = words.greatest(node == 0 ? 1 : 0);
}

Creation::Creation(std::uint64_t asked, SharedMemory use, const std::exception_ptr& trouble, MPI_Comm comm,
                   SpareComms::Offer spare)
    : words(trouble, comm),
      asked_(words.same(asked)),
      thousandths_(words.greatest(thousandths_here())),
      least_thousandths_(words.least(thousandths_here())),
      one_node_(words, use),
      untraced_(words.greatest(Engine::process().observers().trace == nullptr ? 1 : 0)),
      spare_(std::move(spare)),
      offered_(words.same(spare_.word())),
      name_(words.greatest(rank_word(true, comm) == 1 ? SpareComms::of_process().next_name() : 0)),
      refused_(words.greatest(SpareComms::of_process().why_refused() != nullptr ? 1 : 0)),
      enough_(words.greatest(SpareComms::of_process().has_enough() ? 1 : 0)) {}

double Creation::ranks_per_core() const { return load_of(words.of(thousandths_)); }

double Creation::load_here() { return load_of(thousandths_here()); }

void Creation::duplicate_or_refuse(PrivateComm& own, MPI_Comm comm) const {
  if (words.of(enough_) != 0)
    throw NoPrivateComm(MPI_ERR_OTHER, "Rondo has " + std::to_string(PrivateComm::count()) +
                                           " of its own, and leaves the others that MPI can make to the application");
  try {
    // MPI_Comm_create fails on all ranks when MPI has no number for a communicator, but may run short of memory on one.
    agree_that_all_is_well(trouble_in([&] { own.duplicate(comm); }), comm);
  } catch (const TimedOut&) {
    throw;
  } catch (const Error& error) {
    throw NoPrivateComm(error.error_class(), error.what());
  }
}

void Creation::make(PrivateComm& own, MPI_Comm comm) {
  if (words.of(refused_) != 0) {
    const char* const why = SpareComms::of_process().why_refused();
    throw NoPrivateComm(MPI_ERR_OTHER, why != nullptr ? why : "another rank of the communicator should have none");
  }
  if (words.holds(offered_) && spare_.word() != 0)
    own.adopt(spare_.take(), comm);
  else
    duplicate_or_refuse(own, comm);
  if (SpareComms::of_process().keeps()) SpareComms::inherit(own, words.of(name_));
}

void Creation::align_traces(const PrivateComm& own) const {
  if (words.of(untraced_) == 0) Engine::process().observers().trace_file->align(own.get());
}

}  // namespace rondo::internal
