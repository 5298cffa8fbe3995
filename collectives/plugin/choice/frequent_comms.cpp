#include "collectives/plugin/choice/frequent_comms.hpp"

#include "collectives/comm_state/attribute_key.hpp"

#include <memory>

namespace rondo::internal::plugin {
namespace {

struct EarlierCalls {
  int calls = 0;
  bool leaves_inexact = false;
};

const AttributeKey<EarlierCalls>& earlier_calls_key() {
  static const AttributeKey<EarlierCalls> key;
  return key;
}

EarlierCalls& earlier_calls_on(MPI_Comm comm) {
  EarlierCalls* const found = earlier_calls_key().find(comm);
  return found != nullptr ? *found : earlier_calls_key().attach(comm, std::make_unique<EarlierCalls>());
}

}  // namespace

bool is_frequent(MPI_Comm comm) {
  EarlierCalls& of = earlier_calls_on(comm);
  if (of.calls == kCallsThatPay) return true;
  ++of.calls;
  return false;
}

void leave_inexact(MPI_Comm comm) { earlier_calls_on(comm).leaves_inexact = true; }

bool leaves_inexact(MPI_Comm comm) {
  const EarlierCalls* const found = earlier_calls_key().find(comm);
  return found != nullptr && found->leaves_inexact;
}

}  // namespace rondo::internal::plugin
