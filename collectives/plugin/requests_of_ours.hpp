/// @file
/// RequestsOfOurs: the requests of an array that stand for operations of Rondo.
#ifndef RONDO_COLLECTIVES_PLUGIN_REQUESTS_OF_OURS_HPP
#define RONDO_COLLECTIVES_PLUGIN_REQUESTS_OF_OURS_HPP

#include <mpi.h>

#include "collectives/plugin/requested_call.hpp"

#include <array>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <vector>

namespace rondo::internal::plugin {

/// The requests of a wait or test that are Rondo's. Complete operations are ended before MPI is asked.
class RequestsOfOurs {
 public:
  RequestsOfOurs(int count, const MPI_Request* requests);
  RequestsOfOurs(const RequestsOfOurs&) = delete;
  RequestsOfOurs& operator=(const RequestsOfOurs&) = delete;
  /// Keeps failures of requests that MPI has not completed now, for the call that completes them.
  ~RequestsOfOurs();

  [[nodiscard]] bool none() const noexcept { return calls_.empty(); }
  /// Makes a pass of progress, and ends the operations that are complete after it.
  void end_complete();
  /// Makes a pass of progress, and returns whether all operations are complete. Ends all of them, or none.
  [[nodiscard]] bool end_all_or_none();
  /// Waits until all operations are complete, and ends them.
  void wait_and_end();

  /// Returns the code of a call that completed only request `index` with `status`, or none if it is MPI_UNDEFINED.
  [[nodiscard]] int tell_one(int index, MPI_Status* status);
  /// Returns the code of a call that returned `code` and completed `ended` requests. The i-th of them is number
  /// indices[i], or i if `indices` is null.
  [[nodiscard]] int tell_several(int code, int ended, const int* indices, MPI_Status* statuses);

  /// Drops the failure of a request that is freed before anybody is told.
  static void forget_failure(MPI_Request request);

 private:
  struct Entry {
    int index;
    RequestedCall* call;
  };
  struct Failure {
    int index;
    FailedCall what;
  };
  void end(const Entry& entry);
  [[nodiscard]] std::optional<FailedCall> take_failure(int index);

  // Memory for a few entries, so that a wait for a few requests allocates nothing.
  alignas(Entry) std::array<std::byte, 16 * sizeof(Entry)> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::vector<Entry> calls_{&memory_};  ///< active calls
  std::vector<Failure> failures_;            ///< failures of requests that were ended, now or before
};

}  // namespace rondo::internal::plugin

#endif
