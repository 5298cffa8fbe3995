/// @file
/// RequestsOfOurs: those of an array of requests that stand for operations of Rondo's.
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

/// Looked up when the application waits or tests; what is complete is ended before MPI is asked.
class RequestsOfOurs {
 public:
  RequestsOfOurs(int count, const MPI_Request* requests);
  RequestsOfOurs(const RequestsOfOurs&) = delete;
  RequestsOfOurs& operator=(const RequestsOfOurs&) = delete;
  /// Failures of requests that MPI has not completed now are for whoever completes them.
  ~RequestsOfOurs();

  [[nodiscard]] bool none() const noexcept { return calls_.empty(); }
  /// Ends those that are complete after a pass of progress.
  void end_complete();
  /// One pass of progress; whether all are complete. Ends all, or none.
  [[nodiscard]] bool end_all_or_none();
  /// Drives until all are complete, and ends them.
  void wait_and_end();

  /// What the call returns that completed request `index` with `status`, and nothing else; MPI_UNDEFINED: none.
  [[nodiscard]] int tell_one(int index, MPI_Status* status);
  /// The same for one that returned `code` and completed `ended` requests, the i-th of them number indices[i], or i
  /// where that is null.
  [[nodiscard]] int tell_several(int code, int ended, const int* indices, MPI_Status* statuses);

  /// Of a request that is freed before anybody is told.
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

  // A wait for a few requests allocates nothing.
  alignas(Entry) std::array<std::byte, 16 * sizeof(Entry)> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::vector<Entry> calls_{&memory_};  ///< active ones
  std::vector<Failure> failures_;            ///< of those that were ended, now or before
};

}  // namespace rondo::internal::plugin

#endif
