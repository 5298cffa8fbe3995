#include "collectives/operations/connecting.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/given_up.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/selection/once_log.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/world.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <vector>

namespace rondo::internal {
namespace {

/// What a rank tells a partner, and where the partner's counterpart goes.
struct Ends {
  const void* own;
  void* theirs;
};

/// One message each way with each partner.
template <typename EndsOf>
void exchange(Operation& operation, std::size_t bytes, EndsOf ends_of) {
  Connection& connection = *operation.execution().connection();
  const MPI_Comm comm = operation.comm();
  const int tag = operation.execution().first_tag();
  const auto count = static_cast<int>(bytes);
  const std::span<MPI_Request> requests = connection.requests();
  MPI_Request* request = requests.data();
  for (Connection::Partner& partner : connection.partners())
    check_mpi(MPI_Irecv(ends_of(partner).theirs, count, MPI_BYTE, partner.rank, tag, comm, request++), "MPI_Irecv");
  for (Connection::Partner& partner : connection.partners())
    check_mpi(MPI_Isend(ends_of(partner).own, count, MPI_BYTE, partner.rank, tag, comm, request++), "MPI_Isend");
  const auto complete = [requests] {
    int all = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    return all != 0;
  };
  wait_until(std::ref(complete), describe_comm(comm).view(), Patience::ends);
}

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
      if (told.first(obstacle.reason))
        log(obstacle.expected ? LogLevel::info : LogLevel::warning, operation.description(),
            ": no shared memory with a partner (", obstacle.reason, "); its messages take MPI");
    }
  } catch (const std::bad_alloc&) {
    // Then it is not told.
  }
}

}  // namespace

void connect(std::unique_ptr<Operation>& operation) {
  Connection& connection = *operation->execution().connection();
  try {
    exchange(*operation, sizeof(Offer), [](Connection::Partner& of) { return Ends{&of.own, &of.theirs}; });
    connection.answer();
    exchange(*operation, sizeof(Answer), [](Connection::Partner& of) {
      return Ends{&of.own_answer, &of.their_answer};
    });
  } catch (const Error&) {
    give_up_on(operation->comm());
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    given_up_operations().push_back(std::move(operation));
    throw;
  }
  connection.settle();
  operation->take_channels();
  // What is only told must not fail one rank alone.
  static_cast<void>(trouble_in([&] {
    operation->show_channels();
    tell(*operation, connection);
  }));
}

}  // namespace rondo::internal
