/// @file
/// RequestTable: the table of request handles, numbers that are recognized even after their request was freed.
#ifndef RONDO_RUNTIME_OPERATION_REQUEST_TABLE_HPP
#define RONDO_RUNTIME_OPERATION_REQUEST_TABLE_HPP

#include <rondo/request.h>

#include "runtime/engine/engine.hpp"
#include "runtime/operation/operation.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A RequestTable maps handles to operations. A handle consists of a slot and the generation of the slot's use, so a
/// stale handle never reaches a new operation. Slots never move: a look-up takes no lock.
class RequestTable {
 public:
  static RequestTable& process();

  /// Returns a handle without an operation. fill() gives it one, or remove() takes it back. Throws Error
  /// (MPI_ERR_NO_MEM) and std::bad_alloc: all that can fail is done here.
  [[nodiscard]] Rondo_Request reserve();
  void fill(Rondo_Request handle, std::unique_ptr<Operation> operation) noexcept;
  /// Returns the operation behind a handle. Throws Error (MPI_ERR_REQUEST) for null and for a freed handle, and Error
  /// (MPI_ERR_OTHER) while MPI does not run.
  [[nodiscard]] Operation& at(Rondo_Request handle) const { return *held(handle); }
  /// Returns the pointer to the operation behind a handle, for callers that may replace the operation. Throws as at().
  [[nodiscard]] std::unique_ptr<Operation>& held(Rondo_Request handle) const;
  /// Ends a handle and returns its operation.
  [[nodiscard]] std::unique_ptr<Operation> remove(Rondo_Request handle);

  /// Closes the table at MPI_Finalize: from now on every function refuses handles, except drop(). Returns the number of
  /// operations that were started and are not complete, and calls `visit` with each.
  std::size_t close(const std::function<void(const Operation&)>& visit);
  [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }  // see close()
  /// Handles the destruction of a request after close(). An idle operation is destroyed. An operation under way stays,
  /// because MPI and the reports still refer to it; the log says once that there was one.
  void drop(Rondo_Request handle) noexcept;

 private:
  static constexpr std::size_t kChunk = 1024;
  static constexpr std::size_t kChunks = 1024;
  struct Slot {
    std::atomic<std::uint32_t> generation = 1;
    std::unique_ptr<Operation> operation;
  };
  [[nodiscard]] Slot& slot_of(Rondo_Request handle) const;
  [[noreturn]] void refuse(Rondo_Request handle) const;

  // Members of a look-up lie together: a rank that shares its core finds caches and page tables cold each time.
  ProgressToken lock_;
  std::atomic<std::size_t> size_ = 0;  ///< number of slots; 0 once closed, so that look-ups need not check closed_
  std::vector<std::uint32_t> free_;
  std::array<std::unique_ptr<Slot[]>, kChunks> chunks_;
  std::atomic<bool> closed_ = false;
  std::size_t slots_ = 0;  ///< number of slots when the table was closed
};

/// A ReservedRequest is a handle that waits for its operation. It is made before anything is started, because
/// afterwards nothing may fail.
class ReservedRequest {
 public:
  ReservedRequest() : handle_(RequestTable::process().reserve()) {}
  ReservedRequest(const ReservedRequest&) = delete;
  ReservedRequest& operator=(const ReservedRequest&) = delete;
  ~ReservedRequest() {
    if (handle_ != RONDO_REQUEST_NULL) static_cast<void>(RequestTable::process().remove(handle_));
  }
  [[nodiscard]] Rondo_Request fill(std::unique_ptr<Operation> operation) noexcept {
    RequestTable::process().fill(handle_, std::move(operation));
    return std::exchange(handle_, RONDO_REQUEST_NULL);
  }

 private:
  Rondo_Request handle_;
};

}  // namespace rondo::internal

#endif
