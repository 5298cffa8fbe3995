#include "collectives/plugin/choice/settled_calls.hpp"

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/plugin/choice/comms_of_mpi.hpp"
#include "datatypes/reading/layout_cache.hpp"

#include <exception>
#include <mutex>

namespace rondo::internal::plugin {
namespace {

/// Returns the mutex of threads that change settled_calls. Never destroyed, because communicators are freed in
/// MPI_Finalize.
std::mutex& changing() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

void remember_settled(ReplacedCall call, MPI_Comm comm, const CallValues& values) noexcept {
  try {
    if (!values.may_be_recognized()) return;
    if (!is_always_known(values.sent_type) || !is_always_known(values.received_type)) return;
    if (values.op != MPI_OP_NULL && !reduction::is_predefined_op(values.op)) return;
    if (!is_forgotten_when_freed(comm)) return;
    const std::scoped_lock lock(changing());
    settled_calls.add(values.words(call, comm));
  } catch (const std::exception&) {
    // The call is not remembered, and is checked every time.
  }
}

void forget_settled(MPI_Comm comm) noexcept {
  if (!settled_calls.any()) return;
  const std::scoped_lock lock(changing());
  settled_calls.remove(comm);
}

}  // namespace rondo::internal::plugin
