#include "runtime/operation.hpp"

#include <rondo/error.hpp>

#include "datatypes/mpi_check.hpp"
#include "runtime/log.hpp"
#include "runtime/node.hpp"

#include <mutex>

namespace rondo {

Operation::Operation(Engine& engine, std::shared_ptr<const Schedule> schedule, std::shared_ptr<const PrivateComm> comm,
                     int ticket, std::string name, std::string algorithm, bool persistent)
    : engine_(engine),
      comm_(std::move(comm)),
      name_(std::move(name)),
      algorithm_(std::move(algorithm)),
      persistent_(persistent) {
  const TokenGuard guard(engine_.token());  // the transport makes room
  execution_.emplace(std::move(schedule), engine_.transport(), comm_->get(), ticket);
}

Operation::~Operation() {
  const TokenGuard guard(engine_.token());
  execution_.reset();
}

void Operation::prepare() {
  const TokenGuard guard(engine_.token());
  execution_->prepare();
}

[[gnu::hot]] void Operation::start() {
  if (started_) throw Error(MPI_ERR_REQUEST, name_ + ": the request is active: wait for it before it is started again");
  started_ = true;
  engine_.start(*execution_);
}

[[gnu::hot]] void Operation::finish() {
  started_ = false;
  if (!execution_->failure()) return;
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(execution_->failure()->code, &error_class);
  throw Error(error_class, name_ + " (" + algorithm_ + "): " + execution_->describe_failure());
}

std::unique_ptr<Operation> OperationPool::take() {
  const TokenGuard guard(lock_);
  if (idle_.empty()) return nullptr;
  auto operation = std::move(idle_.back());
  idle_.pop_back();
  return operation;
}

void OperationPool::give(std::unique_ptr<Operation> operation) {
  const TokenGuard guard(lock_);
  idle_.push_back(std::move(operation));
}

namespace {

int at_finalize(MPI_Comm, int, void*, void*) {
  const std::size_t messages = Engine::process().transport().in_flight();
  if (messages > 0) {
    log().warn("MPI_Finalize with operations in flight: {} messages were never waited for", messages);
  }
  return MPI_SUCCESS;
}

}  // namespace

void watch_for_finalize() {
  static std::once_flag once;
  std::call_once(once, [] {
    int keyval = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &keyval, nullptr), "MPI_Comm_create_keyval");
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr), "MPI_Comm_set_attr");
    const bool shared_cores = ranks_per_core() > 1.0;
    const bool mpi_yields = mpi_yields_when_idle();
    int thread_level = MPI_THREAD_MULTIPLE;
    check_mpi(MPI_Query_thread(&thread_level), "MPI_Query_thread");
    Engine::process().set_waiting({.shared_cores = shared_cores,
                                   .yields = !mpi_yields,
                                   .may_block = thread_level != MPI_THREAD_MULTIPLE && (mpi_yields || !shared_cores)});
  });
}

}  // namespace rondo
