#include "collectives/comm_state/creation.hpp"

#include "runtime/base/mix.hpp"
#include "runtime/base/node.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/lanes/process_memory.hpp"
#include "runtime/shared_memory/node_card.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace rondo::internal {
namespace {

/// Of ranks per core.
std::uint64_t thousandths_here() { return static_cast<std::uint64_t>(ranks_per_core() * 1000.0); }
/// A number for the ranks that may share memory with this one; 0 where it wants none, or has none to give.
std::uint64_t node_of_this_rank(SharedMemory use) noexcept {
  try {
    const NodeCard card = own_node_card(use);
    if (use != SharedMemory::on || card.fault != CardFault::none || !may_have_memory()) return 0;
    std::uint64_t hash = mix(mix(1, card.boot_id), card.pid_namespace);
    hash = mix(mix(hash, card.node_name), card.user);
    return hash == 0 ? 1 : hash;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}
double load_of(std::uint64_t thousandths) { return std::max(1.0, static_cast<double>(thousandths) / 1000.0); }

}  // namespace

OneNode::OneNode(Agreement& words, SharedMemory use) : OneNode(words, node_of_this_rank(use)) {}

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
      name_(words.greatest(rank_word(true, comm) == 1 ? SpareComms::of_process().next_name() : 0)) {}

double Creation::ranks_per_core() const { return load_of(words.of(thousandths_)); }

double Creation::load_here() { return load_of(thousandths_here()); }

void Creation::make(PrivateComm& own, MPI_Comm comm) {
  if (words.holds(offered_) && spare_.word() != 0)
    own.adopt(spare_.take(), comm);
  else
    own.duplicate(comm);
  if (SpareComms::of_process().keeps()) SpareComms::inherit(own, words.of(name_));
}

void Creation::align_traces(const PrivateComm& own) const {
  if (words.of(untraced_) == 0) Engine::process().observers().trace_file->align(own.get());
}

}  // namespace rondo::internal
