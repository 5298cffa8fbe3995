#include "collectives/plugin/requests_of_ours.hpp"

#include "collectives/faces/c/errors.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace rondo::internal::plugin {
namespace {

/// Failures of requests that are complete for MPI, and whose completion the application has not seen.
struct Untold {
  std::mutex mutex;
  std::vector<FailedCall> failures;
  std::atomic<std::size_t> count = 0;  ///< relaxed, because whoever completes a request has seen it ended

  static Untold& of_process() {
    static Untold& all = *new Untold;  // never destroyed, because MPI_Finalize may run in an exit handler
    return all;
  }
  void keep(FailedCall failure) {
    const std::scoped_lock lock(mutex);
    failures.push_back(std::move(failure));
    count.store(failures.size(), std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<FailedCall> take(MPI_Request request) {
    if (count.load(std::memory_order_relaxed) == 0) return std::nullopt;
    const std::scoped_lock lock(mutex);
    const auto found = std::ranges::find(failures, request, &FailedCall::request);
    if (found == failures.end()) return std::nullopt;
    FailedCall failure = std::move(*found);
    failures.erase(found);
    count.store(failures.size(), std::memory_order_relaxed);
    return failure;
  }
};

}  // namespace

RequestsOfOurs::RequestsOfOurs(int count, const MPI_Request* requests) {
  calls_.reserve(room_.size() / sizeof(Entry));
  for (int i = 0; requests != nullptr && i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (RequestedCall* call = RequestedCall::find_active(requests[i]))
      calls_.push_back({i, call});
    else if (std::optional<FailedCall> failure = Untold::of_process().take(requests[i]))
      failures_.push_back({i, std::move(*failure)});
  }
}

RequestsOfOurs::~RequestsOfOurs() {
  for (Failure& failure : failures_) Untold::of_process().keep(std::move(failure.what));
}

void RequestsOfOurs::end(const Entry& entry) {
  if (std::optional<FailedCall> failure = entry.call->end()) failures_.push_back({entry.index, std::move(*failure)});
}

void RequestsOfOurs::end_complete() {
  std::erase_if(calls_, [this](const Entry& entry) {
    if (!entry.call->test()) return false;
    end(entry);
    return true;
  });
}

bool RequestsOfOurs::end_all_or_none() {
  if (!std::ranges::all_of(calls_, [](const Entry& entry) { return entry.call->test(); })) return false;
  for (const Entry& entry : calls_) end(entry);
  calls_.clear();
  return true;
}

void RequestsOfOurs::wait_and_end() {
  for (const Entry& entry : calls_) {
    entry.call->wait();
    end(entry);
  }
  calls_.clear();
}

std::optional<FailedCall> RequestsOfOurs::take_failure(int index) {
  const auto found = std::ranges::find(failures_, index, &Failure::index);
  if (found == failures_.end()) return std::nullopt;
  FailedCall failure = std::move(found->what);
  failures_.erase(found);
  active_calls.fetch_sub(1, std::memory_order_relaxed);
  return failure;
}

int RequestsOfOurs::tell_one(int index, MPI_Status* status) {
  const std::optional<FailedCall> failure = take_failure(index);
  if (!failure) return MPI_SUCCESS;
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = failure->error_class;
  return report_error(failure->comm->load(), failure->error_class, failure->text);
}

int RequestsOfOurs::tell_several(int code, int ended, const int* indices, MPI_Status* statuses) {
  // With other errors MPI has not completed anything.
  if (failures_.empty() || (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)) return code;
  std::optional<FailedCall> first;
  for (int i = 0; i < ended; ++i) {
    std::optional<FailedCall> failure = take_failure(indices == nullptr ? i : indices[i]);
    // MPI has filled in all errors only if one of its own requests has an error.
    if (statuses != MPI_STATUSES_IGNORE && (failure || code == MPI_SUCCESS))
      statuses[i].MPI_ERROR = failure ? failure->error_class : MPI_SUCCESS;
    if (failure && !first) first = std::move(failure);
  }
  return first && code == MPI_SUCCESS ? report_error(first->comm->load(), MPI_ERR_IN_STATUS, first->text) : code;
}

void RequestsOfOurs::forget_failure(MPI_Request request) {
  if (Untold::of_process().take(request)) active_calls.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace rondo::internal::plugin
