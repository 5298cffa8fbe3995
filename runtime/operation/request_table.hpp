/// @file
/// Request handles: numbers that are recognized after their request was freed.
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

/// Maps handles to operations. A handle is a slot and the generation of its use, so a stale one never meets a new
/// operation. Slots never move: looking up takes no lock.
class RequestTable {
 public:
  static RequestTable& process();

  /// A handle that has no operation yet: it gets one from fill(), or is given back by remove(). Throws Error,
  /// MPI_ERR_NO_MEM, and std::bad_alloc: all that can fail is done here.
  [[nodiscard]] Rondo_Request reserve();
  void fill(Rondo_Request handle, std::unique_ptr<Operation> operation) noexcept;
  /// The operation behind a handle; throws Error, MPI_ERR_REQUEST, for null and for a freed one, and MPI_ERR_OTHER
  /// while MPI does not run.
  [[nodiscard]] Operation& at(Rondo_Request handle) const { return *held(handle); }
  /// The same, where another operation may take its place.
  [[nodiscard]] std::unique_ptr<Operation>& held(Rondo_Request handle) const;
  /// Ends a handle and gives its operation back.
  [[nodiscard]] std::unique_ptr<Operation> remove(Rondo_Request handle);

  /// At MPI_Finalize: no handle is good for anything from here on, but for drop(). Returns how many operations were
  /// started and are not complete, and calls `visit` with each.
  std::size_t close(const std::function<void(const Operation&)>& visit);
  [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }  // see close()
  /// After close(): what a destructor does with a handle. An idle operation goes. One that is under way stays, as it is
  /// what MPI and the reports still know; the log says once that there was one.
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

  // What a look-up needs lies together: a rank that shares its core finds caches and page tables cold at every turn.
  ProgressToken lock_;
  std::atomic<std::size_t> size_ = 0;  ///< slots; 0 once it is closed, so that no look-up has to ask for that
  std::vector<std::uint32_t> free_;
  std::array<std::unique_ptr<Slot[]>, kChunks> chunks_;
  std::atomic<bool> closed_ = false;
  std::size_t slots_ = 0;  ///< when it was closed
};

/// A handle in wait of its operation, made before anything is started: afterwards nothing may fail.
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
