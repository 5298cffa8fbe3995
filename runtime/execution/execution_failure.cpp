// The failure of an execution: what went wrong first, in words, and what is left of an execution that is given up.
#include "runtime/execution/execution.hpp"
#include "runtime/execution/slot_transport.hpp"

#include <array>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

namespace {

/// Returns the text of an exception that a function threw; empty if there is no memory for it.
std::string text_of(const std::exception_ptr& thrown) noexcept {
  try {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      return error.what();
    } catch (...) {
      return "what is no std::exception";
    }
  } catch (...) {
    return {};
  }
}

}  // namespace

void Execution::fail(TaskId task, int code) {
  if (!failure_) failure_ = Failure{task, code};  // later failures are mostly caused by the first one
  if (crew_ != nullptr) crew_->pass_over(true);
}

void Execution::fail_with(TaskId task, const std::exception_ptr& thrown) noexcept {
  if (!failure_) thrown_ = text_of(thrown);
  fail(task, kFunctionThrew);
}

void Execution::keep_arrays() noexcept {
  if (connection_ == nullptr) return;
  transport_.slots()->release(connection_->channels());
  // The connection is never destroyed, because it owns references to the arrays. Its channels are kept, too, but this
  // execution is never started again.
  Connection* const kept = connection_.release();
  try {
    static auto& all = *new std::vector<Connection*>;
    all.push_back(kept);
  } catch (const std::bad_alloc&) {
    // Without memory for the list a leak checker reports the connection.
  }
}

void Execution::abandon(int code, std::string story) {
  transport_.abandon(*this, scratch_);
  fail(kNoTask, code);
  story_ = std::move(story);
  usable_ = false;
  unposted_ = 0;
  complete_rest();
}

int Execution::failure_class() const {
  if (!failure_) return MPI_SUCCESS;
  if (failure_->code == kPartnerFailed || failure_->code == kFunctionThrew) return MPI_ERR_OTHER;
  if (failure_->code == kShortMessage) return MPI_ERR_COUNT;
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(failure_->code, &error_class);
  return error_class;
}

std::string Execution::describe_failure() const {
  if (!failure_) return {};
  if (!story_.empty()) return story_;
  const auto [id, code] = *failure_;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  if (code > 0) MPI_Error_string(code, words.data(), &length);
  const std::string of_mpi(words.data(), static_cast<std::size_t>(length));
  if (id == kNoTask) return "no progress can be made: " + of_mpi;
  const Task& task = schedule_->tasks()[id];
  const std::string where = describe(*schedule_, id) + ": ";
  if (code == kFunctionThrew) return where + "its function threw: " + thrown_;
  const std::string expected = "the " + std::to_string(task.bytes) + " bytes expected here";
  if (code == kPartnerFailed) return where + "rank " + std::to_string(task.peer) + " failed earlier in this operation";
  if (code == kShortMessage) return where + "the message is shorter than " + expected;
  if (failure_class() == MPI_ERR_TRUNCATE) return where + "the message is longer than " + expected;
  return where + of_mpi;
}

}  // namespace rondo::internal
