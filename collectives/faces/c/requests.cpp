// The C interface: requests.
#include <rondo/request.h>

#include "collectives/faces/c/errors.hpp"
#include "collectives/faces/handles/any_request.hpp"
#include "collectives/faces/handles/request_calls.hpp"
#include "runtime/operation/request_table.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

using namespace rondo;
using namespace rondo::internal;

namespace {

void set_empty(MPI_Status* status, int error) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  status->MPI_ERROR = error;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
}

MPI_Status* status_at(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
}

std::span<Rondo_Request> checked_array(int count, Rondo_Request requests[]) {
  if (count < 0) throw Error(MPI_ERR_ARG, "count: is " + std::to_string(count) + ", must be at least 0");
  if (count > 0)
    require(requests, "requests");
  else
    require_mpi("requests");
  return {requests, static_cast<std::size_t>(count)};
}

/// Ends a request that is complete and fills its status; a failure is thrown after that.
void finish_one(Rondo_Request& request, Operation& operation, MPI_Status* status) {
  try {
    complete_request(request, operation);
  } catch (const Error& error) {
    set_empty(status, error.error_class());
    throw;
  }
  set_empty(status, MPI_SUCCESS);
}

void finish_one(Rondo_Request& request, MPI_Status* status) {
  finish_one(request, RequestTable::process().at(request), status);
}

/// Ends all requests of an array, each complete or idle. After failures throws Error (MPI_ERR_IN_STATUS) with the text
/// of the first one.
void finish_all(std::span<Rondo_Request> requests, MPI_Status* statuses) {
  std::optional<Error> first;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MPI_Status* status = status_at(statuses, static_cast<int>(i));
    if (is_idle(requests[i])) {
      set_empty(status, MPI_SUCCESS);
      continue;
    }
    try {
      finish_one(requests[i], status);
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw Error(MPI_ERR_IN_STATUS, first->what());
}

/// Returns an index as C reports it: MPI_UNDEFINED for none.
int number_of(const std::optional<std::size_t>& index) { return index ? static_cast<int>(*index) : MPI_UNDEFINED; }

/// Stores as much as fits of the text that `make` makes, and the length of the whole text.
template <typename Make>
void give_text(Make make, int size, char* text, int* length) {
  require(length, "length");
  if (size < 0) throw Error(MPI_ERR_ARG, "size: is " + std::to_string(size) + ", must be at least 0");
  const std::string whole = make();
  *length = static_cast<int>(whole.size());
  if (size == 0) return;
  require(text, "text");
  const auto end = std::copy_n(whole.begin(), std::min(whole.size(), static_cast<std::size_t>(size) - 1), text);
  *end = '\0';
}

}  // namespace

[[gnu::hot]] int Rondo_Start(Rondo_Request* request) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Start", [&] {
    require(request, "request");
    start_request(*request);
  });
}

int Rondo_Startall(int count, Rondo_Request requests[]) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Startall", [&] {
    for (const Rondo_Request request : checked_array(count, requests)) start_request(request);
  });
}

[[gnu::hot]] int Rondo_Wait(Rondo_Request* request, MPI_Status* status) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Wait", [&] {
    require(request, "request");
    Operation* operation = active_operation(*request);
    if (operation == nullptr) {
      set_empty(status, MPI_SUCCESS);
      return;
    }
    operation->wait();
    finish_one(*request, *operation, status);
  });
}

int Rondo_Waitall(int count, Rondo_Request requests[], MPI_Status* statuses) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Waitall", [&] {
    const auto all = checked_array(count, requests);
    for (const Rondo_Request request : all) begin_waiting(request);
    for (const Rondo_Request request : all) {
      if (Operation* operation = active_operation(request)) operation->wait();
    }
    finish_all(all, statuses);
  });
}

int Rondo_Waitany(int count, Rondo_Request requests[], int* index, MPI_Status* status) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Waitany", [&] {
    require(index, "index");
    const auto all = checked_array(count, requests);
    *index = number_of(wait_for_complete(all, std::identity()));
    if (*index == MPI_UNDEFINED)
      set_empty(status, MPI_SUCCESS);
    else
      finish_one(requests[*index], status);
  });
}

int Rondo_Test(Rondo_Request* request, int* flag, MPI_Status* status) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Test", [&] {
    require(request, "request");
    require(flag, "flag");
    const bool idle = is_idle(*request);
    *flag = idle || test_request(*request) ? 1 : 0;
    if (idle)
      set_empty(status, MPI_SUCCESS);
    else if (*flag != 0)
      finish_one(*request, status);
  });
}

int Rondo_Testall(int count, Rondo_Request requests[], int* flag, MPI_Status* statuses) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Testall", [&] {
    require(flag, "flag");
    const auto all = checked_array(count, requests);
    const auto complete = [](Rondo_Request request) { return is_idle(request) || test_request(request); };
    *flag = std::ranges::all_of(all, complete) ? 1 : 0;
    if (*flag != 0) finish_all(all, statuses);
  });
}

int Rondo_Testany(int count, Rondo_Request requests[], int* index, int* flag, MPI_Status* status) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Testany", [&] {
    require(index, "index");
    require(flag, "flag");
    const auto all = checked_array(count, requests);
    const AnyComplete found = test_for_complete(all, std::identity());
    *index = number_of(found.index);
    *flag = *index != MPI_UNDEFINED || !found.any_active ? 1 : 0;
    if (*index != MPI_UNDEFINED)
      finish_one(requests[*index], status);
    else if (*flag != 0)
      set_empty(status, MPI_SUCCESS);
  });
}

int Rondo_Arrived(Rondo_Request request, int block, int* flag) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Arrived", [&] {
    require(flag, "flag");
    *flag = block_arrived(request, block) ? 1 : 0;
  });
}

int Rondo_Sent(Rondo_Request request, int block, int* flag) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Sent", [&] {
    require(flag, "flag");
    *flag = block_sent(request, block) ? 1 : 0;
  });
}

int Rondo_Wait_any_block(Rondo_Request request, int* block) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Wait_any_block", [&] {
    require(block, "block");
    *block = wait_any_block(request).value_or(MPI_UNDEFINED);
  });
}

int Rondo_Request_free(Rondo_Request* request) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Request_free", [&] {
    require(request, "request");
    free_request(*request);
  });
}

int Rondo_Explain(Rondo_Request request, int size, char* text, int* length) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Explain",
                          [&] { give_text([&] { return explain_request(request); }, size, text, length); });
}

int Rondo_To_dot(Rondo_Request request, int size, char* text, int* length) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_To_dot",
                          [&] { give_text([&] { return dot_of_request(request); }, size, text, length); });
}

int Rondo_Request_get_algorithm(Rondo_Request request, char* name, int* length) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Request_get_algorithm", [&] {
    require(name, "name");
    require(length, "length");
    std::string text = algorithm_of_request(request);
    text.resize(std::min<std::size_t>(text.size(), RONDO_MAX_ALGORITHM_NAME - 1));
    std::ranges::copy(text, name);
    name[text.size()] = '\0';
    *length = static_cast<int>(text.size());
  });
}
