#include "collectives/comm_state/creation.hpp"

#include "runtime/base/node.hpp"
#include "runtime/engine/engine.hpp"

#include <algorithm>

namespace rondo::internal {

Creation::Creation(std::uint64_t asked, const std::exception_ptr& trouble, MPI_Comm comm)
    : words(trouble, comm),
      asked_(words.same(asked)),
      thousandths_(words.greatest(static_cast<std::uint64_t>(internal::ranks_per_core() * 1000.0))),
      untraced_(words.greatest(Engine::process().observers().trace == nullptr ? 1 : 0)) {}

double Creation::ranks_per_core() const { return std::max(1.0, static_cast<double>(words.of(thousandths_)) / 1000.0); }

void Creation::align_traces(const PrivateComm& own) const {
  if (words.of(untraced_) == 0) Engine::process().observers().trace_file->align(own.get());
}

}  // namespace rondo::internal
