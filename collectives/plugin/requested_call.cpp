#include "collectives/plugin/requested_call.hpp"

#include <rondo/error.hpp>

#include "collectives/plugin/buffered_sends.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/this_mpi.hpp"
#include "runtime/base/private_comm.hpp"
#include "runtime/engine/engine.hpp"

#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::internal::plugin {
namespace {

int query(void* /*state*/, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  return MPI_SUCCESS;  // failures are reported by the functions that the application calls
}

int keep(void* /*state*/) { return MPI_SUCCESS; }

/// Refuses to cancel, because MPI has no canceling of collectives.
int cancel(void* /*state*/, int complete) { return complete != 0 ? MPI_SUCCESS : MPI_ERR_REQUEST; }

/// The empty messages that complete persistent requests for MPI: from the process to itself in MPICH, from
/// MPI_PROC_NULL in Open MPI.
class Bell {
 public:
  Bell() {
    if (this_mpi().kind == MpiKind::mpich) comm_ = std::make_unique<PrivateComm>(MPI_COMM_SELF);
  }
  [[nodiscard]] bool sends() const noexcept { return comm_ != nullptr; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return sends() ? comm_->get() : MPI_COMM_SELF; }
  [[nodiscard]] int peer() const noexcept { return sends() ? 0 : MPI_PROC_NULL; }
  [[nodiscard]] int take_tag() {
    if (free_.empty()) return next_++;
    const int tag = free_.back();
    free_.pop_back();
    return tag;
  }
  void give_tag(int tag) { free_.push_back(tag); }

 private:
  std::unique_ptr<PrivateComm> comm_;
  std::vector<int> free_;
  int next_ = 0;
};

struct Registry {
  ProgressToken lock;
  std::unordered_map<MPI_Request, std::unique_ptr<RequestedCall>> calls;
  std::optional<Bell> bell;  ///< set by prepare()

  [[nodiscard]] RequestedCall* find(MPI_Request request) {
    const TokenGuard guard(lock);
    const auto found = calls.find(request);
    return found == calls.end() ? nullptr : found->second.get();
  }
  [[nodiscard]] std::unique_ptr<RequestedCall> remove(MPI_Request request) {
    const TokenGuard guard(lock);
    const auto found = calls.find(request);
    std::unique_ptr<RequestedCall> removed = std::move(found->second);
    calls.erase(found);
    return removed;
  }
};

/// Returns the registry. Never destroyed, because MPI is gone by then; requests that were not freed are lost with it.
Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

}  // namespace

RequestedCall::~RequestedCall() {
  if (persistent_ && request_ != MPI_REQUEST_NULL) original_mpi().request_free.directly(&request_);
}

void RequestedCall::start(const Caller& caller, const std::function<std::unique_ptr<Operation>()>& start,
                          MPI_Request* request) {
  // Everything that may fail is done before the operation is under way.
  std::unique_ptr<RequestedCall> made(new RequestedCall(caller, false));
  RequestedCall& call = *made;
  check_mpi(MPI_Grequest_start(query, keep, cancel, nullptr, &call.request_), "MPI_Grequest_start");
  MPI_Request handle = call.request_;
  try {
    {
      const TokenGuard guard(registry().lock);
      registry().calls.emplace(handle, std::move(made));
    }
    if (CallReport::wanted() != nullptr) call.since_ = CallReport::Clock::now();
    call.operation_ = start();
  } catch (...) {
    if (registry().find(handle) != nullptr) static_cast<void>(registry().remove(handle));
    MPI_Grequest_complete(handle);
    original_mpi().wait.directly(&handle, MPI_STATUS_IGNORE);
    throw;
  }
  call.active_ = true;
  active_calls.fetch_add(1, std::memory_order_relaxed);
  *request = handle;
}

void RequestedCall::prepare() {
  const TokenGuard guard(registry().lock);
  if (!registry().bell) registry().bell.emplace();
}

MPI_Request RequestedCall::reserve(const Caller& caller) {
  prepare();
  std::unique_ptr<RequestedCall> made(new RequestedCall(caller, true));
  Registry& all = registry();
  const TokenGuard guard(all.lock);
  made->tag_ = all.bell->take_tag();
  check_mpi(MPI_Recv_init(nullptr, 0, MPI_BYTE, all.bell->peer(), made->tag_, all.bell->comm(), &made->request_),
            "MPI_Recv_init");
  const MPI_Request handle = made->request_;
  all.calls.emplace(handle, std::move(made));
  persistent_calls.fetch_add(1, std::memory_order_relaxed);
  return handle;
}

void RequestedCall::make(MPI_Request reserved, std::unique_ptr<Operation> operation) noexcept {
  registry().find(reserved)->operation_ = std::move(operation);
}

RequestedCall* RequestedCall::find(MPI_Request request) { return registry().find(request); }

RequestedCall* RequestedCall::find_active(MPI_Request request) {
  RequestedCall* call = find(request);
  return call != nullptr && call->active_ ? call : nullptr;
}

RequestedCall* RequestedCall::find_persistent(MPI_Request request) {
  if (persistent_calls.load(std::memory_order_relaxed) == 0) return nullptr;
  RequestedCall* call = find(request);
  return call != nullptr && call->persistent() ? call : nullptr;
}

void RequestedCall::start_again() {
  if (active_) throw Error(MPI_ERR_REQUEST, "request: is active, wait for it before starting it again");
  if (CallReport::wanted() != nullptr) since_ = CallReport::Clock::now();
  start_persistent(operation_);
  active_ = true;
  active_calls.fetch_add(1, std::memory_order_relaxed);
}

void RequestedCall::free(MPI_Request* request) {
  if (registry().find(*request)->active_)
    throw Error(MPI_ERR_REQUEST, "request: is active, wait for it before freeing it");
  const std::unique_ptr<RequestedCall> freed = registry().remove(*request);
  {
    const TokenGuard guard(registry().lock);
    registry().bell->give_tag(freed->tag_);
  }
  persistent_calls.fetch_sub(1, std::memory_order_relaxed);
  *request = MPI_REQUEST_NULL;
}

void RequestedCall::report() const {
  if (CallReport* to = CallReport::wanted())
    to->took(caller_.call, caller_.bytes, operation_->running().algorithm(), CallReport::Clock::now() - since_);
}

std::optional<FailedCall> RequestedCall::end() {
  report();
  std::optional<FailedCall> failure;
  const auto fail = [&](int error_class, const char* text) {
    failure.emplace(FailedCall{request_, caller_.comm, error_class, text});
  };
  try {
    if (persistent_)
      operation_->finish();
    else
      retire(std::move(operation_));
  } catch (const Error& error) {
    fail(error.error_class(), error.what());
  } catch (const std::bad_alloc&) {
    fail(MPI_ERR_NO_MEM, "out of memory");
  }
  active_ = false;
  BufferedSends::make_room_next();
  if (!failure) active_calls.fetch_sub(1, std::memory_order_relaxed);
  if (persistent_) {
    check_mpi(original_mpi().start.directly(&request_), "MPI_Start");
    const Bell& bell = *registry().bell;
    if (bell.sends()) check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, bell.peer(), tag_, bell.comm()), "MPI_Send");
  } else {
    check_mpi(MPI_Grequest_complete(request_), "MPI_Grequest_complete");
    static_cast<void>(registry().remove(request_));  // also destroys this object
  }
  return failure;
}

}  // namespace rondo::internal::plugin
