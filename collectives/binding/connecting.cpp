#include "collectives/binding/connecting.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/partner_exchange.hpp"
#include "collectives/selection/once_log.hpp"
#include "runtime/base/given_up.hpp"
#include "runtime/base/log.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace rondo::internal {
namespace {

/// Returns the list of given-up operations. It is never destroyed, because MPI may still write into their memory.
std::vector<std::unique_ptr<Operation>>& given_up_operations() {
  static auto& all = *new std::vector<std::unique_ptr<Operation>>;
  return all;
}

/// Logs each reason why a partner has no shared memory, once. Must not fail, because partners go on with the operation.
void tell(const Operation& operation, const Connection& connection) noexcept {
  try {
    static auto& told = *new OnceLog;
    for (const Connection::Obstacle& obstacle : connection.obstacles()) {
      if (!told.first(obstacle.reason)) continue;
      log(obstacle.expected ? LogLevel::info : LogLevel::warning, operation.description(),
          ": no shared memory with a partner (", obstacle.reason, "); ",
          obstacle.takes_mpi ? "its messages take MPI" : "what others get, too, is packed anew for it");
    }
  } catch (const std::bad_alloc&) {
    // Without memory, nothing is logged.
  }
}

/// Exchanges offers and answers with all partners, in the memory of `operation`. Throws Error on failure; the operation
/// is kept for ever then.
void talk_to_partners(std::unique_ptr<Operation>& operation, Connection& connection) {
  const MPI_Comm comm = operation->comm();
  const int tag = operation->execution().first_tag();
  try {
    exchange_with_partners(connection, sizeof(Offer), comm, tag, [](Connection::Partner& of) {
      return Ends{&of.own, &of.theirs};
    });
    connection.answer();
    exchange_with_partners(connection, sizeof(Answer), comm, tag, [](Connection::Partner& of) {
      return Ends{&of.own_answer, &of.their_answer};
    });
  } catch (const Error&) {
    give_up_on(comm);
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    given_up_operations().push_back(std::move(operation));
    throw;
  }
}

}  // namespace

void connect(std::unique_ptr<Operation>& operation) {
  Connection& connection = *operation->execution().connection();
  talk_to_partners(operation, connection);
  connection.settle();
  operation->take_channels();
  // Logs and traces must not fail one rank alone.
  static_cast<void>(trouble_in([&] {
    operation->show_channels();
    tell(*operation, connection);
  }));
}

}  // namespace rondo::internal
