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

/// Never destroyed: MPI may still write what is in it.
std::vector<std::unique_ptr<Operation>>& given_up_operations() {
  static auto& all = *new std::vector<std::unique_ptr<Operation>>;
  return all;
}

/// Partners go on with the operation, so nothing may fail here any more.
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
    // Then it is not told.
  }
}

/// Offers and answers, in the memory of `operation`.
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
  // What is only told must not fail one rank alone.
  static_cast<void>(trouble_in([&] {
    operation->show_channels();
    tell(*operation, connection);
  }));
}

}  // namespace rondo::internal
