#include "runtime/base/private_comm.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/world.hpp"

#include <mutex>

namespace rondo::internal {
namespace {

/// The list of all private communicators. Never destroyed, because MPI_Finalize may run in an exit handler, after the
/// destructors of statics.
struct AllOfThem {
  std::mutex mutex;
  PrivateComm* first = nullptr;
};

AllOfThem& all_of_them() {
  static auto& all = *new AllOfThem;
  return all;
}

/// Calls MPI_Comm_create with the error handler of `comm` set to return errors. By default that handler ends the
/// program, and no communicator that Rondo makes is worth this.
int create_with_errors_returned(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  check_mpi(MPI_Comm_get_errhandler(comm, &handler), "MPI_Comm_get_errhandler");
  check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  const int code = MPI_Comm_create(comm, group, made);
  check_mpi(MPI_Comm_set_errhandler(comm, handler), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Errhandler_free(&handler), "MPI_Errhandler_free");
  return code;
}

}  // namespace

PrivateComm::PrivateComm() {
  AllOfThem& all = all_of_them();
  const std::scoped_lock lock(all.mutex);
  after_ = all.first;
  if (after_ != nullptr) after_->before_ = this;
  all.first = this;
}

PrivateComm::PrivateComm(MPI_Comm comm) : PrivateComm() { duplicate(comm); }

void PrivateComm::duplicate(MPI_Comm comm) {
  original_ = describe_comm(comm);
  // MPI_Comm_dup would call the copy functions of the user's attributes, for a communicator that the user does not
  // know.
  MPI_Group all = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  const int made = create_with_errors_returned(comm, all, &comm_);
  check_mpi(MPI_Group_free(&all), "MPI_Group_free");
  check_mpi(made, "MPI_Comm_create");
  count_.fetch_add(1, std::memory_order_relaxed);  // relaxed: see count()
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  made_.store(true, std::memory_order_release);  // release: see made()
}

void PrivateComm::adopt(const ReleasedComm& released, MPI_Comm comm) noexcept {
  original_ = describe_comm(comm);
  comm_ = released.comm;
  made_.store(true, std::memory_order_release);  // release: see made()
}

void PrivateComm::begin_duplicate(MPI_Comm comm) {
  original_ = describe_comm(comm);
  check_mpi(MPI_Comm_idup(comm, &coming_, &request_), "MPI_Comm_idup");
  set_original(comm);
  under_way_.fetch_add(1, std::memory_order_relaxed);  // relaxed: see has_duplicates_under_way()
}

void PrivateComm::set_original(MPI_Comm comm) noexcept {
  const std::scoped_lock lock(all_of_them().mutex);
  from_ = comm;
}

void PrivateComm::end_duplicate() noexcept {
  set_original(MPI_COMM_NULL);
  under_way_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: see has_duplicates_under_way()
  count_.fetch_add(1, std::memory_order_relaxed);      // relaxed: see count()
}

bool PrivateComm::advance_duplicates_of(MPI_Comm comm) {
  std::shared_ptr<PrivateComm> one;
  {
    AllOfThem& all = all_of_them();
    const std::scoped_lock lock(all.mutex);
    for (PrivateComm* any = all.first; any != nullptr && one == nullptr; any = any->after_) {
      if (any->from_ == comm) one = any->weak_from_this().lock();
    }
  }
  // Not under the lock, because MPI may delete attributes in this call.
  if (one != nullptr) static_cast<void>(one->advance_duplicate());
  return one == nullptr;
}

bool PrivateComm::advance_duplicate() {
  if (made()) return true;
  require_usable();
  int complete = 0;
  check_mpi(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE), "MPI_Test");
  if (complete == 0) return false;
  end_duplicate();
  check_mpi(MPI_Comm_set_errhandler(coming_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  comm_ = coming_;
  made_.store(true, std::memory_order_release);  // release: see made()
  return true;
}

void PrivateComm::give_up() const noexcept {
  keep();
  given_up_.store(true, std::memory_order_relaxed);  // relaxed: see given_up()
  made_.store(false, std::memory_order_relaxed);
  if (request_ != MPI_REQUEST_NULL) self_ = weak_from_this().lock();
}

void PrivateComm::give_up(MPI_Comm comm) noexcept {
  AllOfThem& all = all_of_them();
  const std::scoped_lock lock(all.mutex);
  for (const PrivateComm* one = all.first; one != nullptr; one = one->after_) {
    if (one->comm_ == comm) one->give_up();
  }
}

void PrivateComm::require_usable() const {
  if (given_up()) [[unlikely]]
    refuse_given_up_comm();
}

void refuse_given_up_comm() {
  throw Error(MPI_ERR_OTHER,
              "comm: an earlier call on it has waited for the other ranks in vain and was given up (RONDO_TIMEOUT): "
              "ranks are out of step there, use another communicator");
}

PrivateComm::~PrivateComm() {
  {
    AllOfThem& all = all_of_them();
    const std::scoped_lock lock(all.mutex);
    (before_ == nullptr ? all.first : before_->after_) = after_;
    if (after_ != nullptr) after_->before_ = before_;
  }
  if (!mpi_runs()) return;
  if (request_ != MPI_REQUEST_NULL) {  // a duplicate begun and never waited for: MPI would write to this object later
    if (MPI_Wait(&request_, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    comm_ = coming_;
    end_duplicate();
  }
  if (comm_ == MPI_COMM_NULL || kept_.load(std::memory_order_relaxed)) return;
  if (heir_ == nullptr || !heir_({comm_, name_, history_})) free(comm_);
}

void PrivateComm::free(MPI_Comm comm) noexcept {
  MPI_Comm_free(&comm);
  count_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: see count()
}

int highest_tag() {
  void* value = nullptr;
  int flag = 0;
  check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &flag), "MPI_Comm_get_attr");
  return flag != 0 ? *static_cast<int*>(value) : 32767;  // the smallest value that the MPI standard allows
}

}  // namespace rondo::internal
