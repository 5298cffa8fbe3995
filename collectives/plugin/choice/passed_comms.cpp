#include "collectives/plugin/choice/passed_comms.hpp"

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/comm_state/attribute_key.hpp"
#include "collectives/plugin/choice/settled_calls.hpp"
#include "datatypes/reading/layout_cache.hpp"

#include <exception>
#include <memory>
#include <mutex>

namespace rondo::internal::plugin {
namespace {

/// Of those that change settled calls.
std::mutex& settling() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

/// An attribute that a communicator is forgotten with; a duplicate begins anew.
class Remembered {
 public:
  explicit Remembered(MPI_Comm comm) noexcept : comm_(comm) {}
  Remembered(const Remembered&) = delete;
  Remembered& operator=(const Remembered&) = delete;
  ~Remembered() {
    for (auto& of_calls : all_passed_comms)
      for (PassedComms& comms : of_calls) comms.remove(comm_);
    const std::scoped_lock lock(settling());
    for (SettledCalls& calls : all_settled_calls) calls.remove(comm_);
  }

 private:
  MPI_Comm comm_;
};

bool is_forgotten_when_freed(MPI_Comm comm) noexcept {
  try {
    static const AttributeKey<Remembered> key;
    if (key.find(comm) == nullptr) key.attach(comm, std::make_unique<Remembered>(comm));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

// Where that fails, the communicator is looked at in every call.

void remember_passed(ReplacedCall call, MPI_Comm comm) noexcept {
  if (is_forgotten_when_freed(comm)) passed_comms(call).add(comm);
}

void remember_passed(ReplacedCall call, MPI_Comm comm, BlockSize blocks) noexcept {
  if (is_forgotten_when_freed(comm)) passed_comms(call, blocks).add(comm);
}

void remember_settled(ReplacedCall call, MPI_Comm comm, const CallValues& values) noexcept {
  try {
    if (!is_always_known(values.sent_type) || !is_always_known(values.received_type)) return;
    if (values.op != MPI_OP_NULL && !reduction::is_predefined_op(values.op)) return;
    if (!is_forgotten_when_freed(comm)) return;
    const std::scoped_lock lock(settling());
    if (!settled_calls(call).contains(comm, values)) settled_calls(call).add(comm, values);
  } catch (const std::exception&) {
    // Then it is looked at in every call.
  }
}

}  // namespace rondo::internal::plugin
